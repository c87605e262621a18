/**
 * Does some things at once, and waits for all of them, also where one fails: nothing goes on after the rollback of its
 * transaction, or after the job that did it has stopped. Throws what failed first. In a transaction that is the cause:
 * PostgreSQL refuses every statement that was sent after it.
 */
export async function together<Work extends readonly unknown[]>(...work: Work) {
  const all = Promise.all(work);
  await Promise.allSettled([all, ...work]);
  return all;
}
