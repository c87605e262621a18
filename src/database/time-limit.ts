/** Settles as the work does. Rejects when that takes too long; the work goes on, but its outcome is dropped. */
export async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    const giveUp = () => reject(new Error(`no answer within ${milliseconds} ms`));
    // An answer that has arrived is read first: it may be this process that was slow.
    timer = setTimeout(() => setImmediate(giveUp), milliseconds);
  });
  return Promise.race([work, limit]).finally(() => clearTimeout(timer));
}
