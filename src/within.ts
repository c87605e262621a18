/** The outcome of some work. Rejects when it is not there in time; the work goes on, and nobody hears of it. */
export async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    const giveUp = () => reject(new Error(`no answer within ${milliseconds} ms`));
    // Not before what has arrived is read: it may be this process that was slow.
    timer = setTimeout(() => setImmediate(giveUp), milliseconds);
  });
  return Promise.race([work, limit]).finally(() => clearTimeout(timer));
}
