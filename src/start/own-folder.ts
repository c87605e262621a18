import type { Environment } from '../config/environment.js';
import { OperatorError } from '../config/operator-error.js';
import { OwnFrame } from '../mail/own-frame.js';
import { OwnStyle } from '../pages/own-style.js';
import { type OwnMessages, OwnWords } from '../words/own-words.js';

type Settings = Pick<Environment, 'environment' | 'messagesDir' | 'footerLinks'>;

/**
 * Judges all that a product has of its own in `SVC_MESSAGES_DIR`: texts, the frame of its mails, and the style sheet of its pages.
 *
 * @throws OperatorError when there are faults; it names those of all three.
 */
export async function readOwnFolder(
  settings: Settings,
  messages?: OwnMessages,
): Promise<{ words: OwnWords; frame: OwnFrame | null }> {
  const readings = [
    OwnWords.read(settings, messages),
    OwnFrame.read(settings),
    OwnStyle.read(settings),
  ] as const;
  const outcomes = await Promise.allSettled(readings);
  const findings = outcomes.flatMap((outcome) =>
    outcome.status === 'rejected' && outcome.reason instanceof OperatorError ? outcome.reason.finding : [],
  );
  const [first, ...others] = findings;
  if (first) {
    // Behind all of them stands the fix of the first.
    const text = [first.text, ...others.map(({ code, text: fault }) => `${code}: ${fault}`)].join('\n');
    throw new OperatorError({ ...first, text });
  }
  const [words, frame] = await Promise.all(readings);
  return { words, frame };
}
