import { Readable } from 'node:stream';
import type { Considered } from './activity-summary.service.js';
import { consideredView } from './activity-summary.view.js';

export const EVENT_STREAM = 'text/event-stream';

type Pieces = AsyncGenerator<string, Considered>;

/** What a client sees of an error. */
type ErrorView = (error: unknown) => object;

/**
 * A summary as server-sent events: `delta` for each piece, then `done`, or `error` with a problem. Resolves with the
 * first piece: what fails before that is answered like any other request.
 */
export async function eventStream(pieces: Pieces, viewOf: ErrorView): Promise<Readable> {
  const first = await pieces.next();
  // However the stream ends, and even if the client never read from it, the pieces end with it.
  return Readable.from(events(first, pieces, viewOf)).once('close', () => pieces.return(undefined as never));
}

async function* events(
  first: IteratorResult<string, Considered>,
  rest: Pieces,
  viewOf: ErrorView,
): AsyncGenerator<string> {
  try {
    let step = first;
    for (; !step.done; step = await rest.next()) yield event('delta', { text: step.value });
    yield event('done', consideredView(step.value));
  } catch (error) {
    yield event('error', viewOf(error));
  }
}

function event(name: string, data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
