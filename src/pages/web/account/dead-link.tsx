import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { isProblem } from '../../../client/problem.js';
import { Card } from '../parts/frame.js';
import { type Loading, useLoad } from '../parts/load.js';
import { say, Word } from '../parts/say.js';
import { mailedToken } from '../parts/token.js';

/** Whether the link of a mail opens nothing: it is used, replaced or too old, or a part of it is missing. */
export function isDeadLink(error: unknown): boolean {
  if (isProblem(error, 'InvalidToken')) return true;
  return isProblem(error, 'ValidationFailed') && error.errors.some(({ field }) => field === 'token');
}

/** What the link of a mail opens, read without using it up; `die` says that it turned out dead since. */
export function useLink<T>(read: () => Promise<T>): {
  link: Loading<T | null>;
  isDead: boolean;
  die: () => void;
} {
  const [isDead, setDead] = useState(false);
  const link = useLoad(async () => {
    try {
      return await read();
    } catch (error) {
      if (!isDeadLink(error)) throw error;
      setDead(true);
      return null;
    }
  });
  return { link, isDead, die: () => setDead(true) };
}

/** Says so, and the ways on. */
export function DeadLink({ children }: { children: ComponentChildren }) {
  const isCutOff = mailedToken() === '';
  return (
    <Card title={say(Word['link.dead'])} isNew>
      {isCutOff && <p>{say(Word['link.cutOff'])}</p>}
      {children}
    </Card>
  );
}
