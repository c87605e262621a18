/** As many others may come in between before a request that keeps losing is told to come back. */
const MAX_TRIES = 10;

/** What a statement lost against other requests again and again; the client is told to come back. */
export class Contended extends Error {
  constructor() {
    super(`other requests came in between ${MAX_TRIES} times`);
  }
}

/** Tries until there is a result, since others may come in between. Throws Contended when they always do. */
export async function tryAgain<Result>(attempt: () => Promise<Result | null>): Promise<Result> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const result = await attempt();
    if (result !== null) return result;
  }
  throw new Contended();
}
