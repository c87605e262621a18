/**
 * Does some things at once, and waits for all of them, also where one fails: nothing goes on after the rollback of its
 * transaction, or after the job that did it has stopped. Throws what failed first: of the statements of a transaction,
 * PostgreSQL refuses all that were sent behind that one, whatever its place in the list.
 */
export async function together<Work extends readonly unknown[]>(...work: Work) {
  const all = Promise.all(work);
  await Promise.allSettled([all, ...work]);
  return all;
}
