import bcrypt from 'bcrypt';

/** Compares a password with a hash so many times, a few at once, and prints what it took: the limit of any login. */
const [hash, times, atOnce] = process.argv.slice(2);
const queue = Array.from({ length: Number(times) });

const startedAt = performance.now();
const cpuBefore = process.cpuUsage();
await Promise.all(Array.from({ length: Number(atOnce) }, worker));
const { user, system } = process.cpuUsage(cpuBefore);
console.log(JSON.stringify({ ms: performance.now() - startedAt, cpuSeconds: (user + system) / 1e6 }));

async function worker() {
  while (queue.length > 0) {
    queue.pop();
    await bcrypt.compare('as long as what Latchkey hands to bcrypt, 44', hash);
  }
}
