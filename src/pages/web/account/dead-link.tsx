import type { ComponentChildren } from 'preact';
import { isProblem } from '../../../client/problem.js';
import { Card } from '../parts/frame.js';
import { mailedToken } from '../parts/token.js';

/** Whether the link of a mail opens nothing: it is used, replaced or too old, or a part of it is missing. */
export function isDeadLink(error: unknown): boolean {
  if (isProblem(error, 'InvalidToken')) return true;
  return isProblem(error, 'ValidationFailed') && error.errors.some(({ field }) => field === 'token');
}

/** Says so, and the ways on. */
export function DeadLink({ children }: { children: ComponentChildren }) {
  const isCutOff = mailedToken() === '';
  return (
    <Card title="This link is no longer valid" isNew>
      {isCutOff && <p>A part of the link is missing. Open it again from the mail.</p>}
      {children}
    </Card>
  );
}
