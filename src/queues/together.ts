/**
 * Does some things at once, and waits for all of them, also where one fails: nothing goes on after the job that did them
 * has stopped. Throws what failed first.
 */
export async function together(work: Promise<unknown>[]): Promise<void> {
  const all = Promise.all(work);
  await Promise.allSettled([all, ...work]);
  await all;
}
