/** After so many tries the service answers that the client should come back. */
const MAX_TRIES = 10;

/** Other requests changed the same rows at every try; the service answers that the client should come back. */
export class Contended extends Error {
  constructor() {
    super(`other requests came in between ${MAX_TRIES} times`);
  }
}

/** Tries until there is a result, since other requests may come in between. Throws Contended when they always do. */
export async function tryAgain<Result>(attempt: () => Promise<Result | null>): Promise<Result> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const result = await attempt();
    if (result !== null) return result;
  }
  throw new Contended();
}
