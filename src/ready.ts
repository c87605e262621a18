// node dist/ready.js [--wait 60]: ends with 0 when the service of this machine is ready, for containers, systemd and
// scripts. It reads two variables itself: to load all settings every ten seconds would take longer than the request.
import { get } from 'node:http';

const POLL_MS = 250;
const ONE_SECOND_MS = 1000;
const TIME_LIMIT_MS = 4_000;

const [option, seconds] = process.argv.slice(2);
if (option !== undefined && (option !== '--wait' || !(Number(seconds) > 0))) {
  console.error('Usage: node dist/ready.js [--wait <seconds>]');
  process.exit(2);
}
try {
  process.loadEnvFile();
} catch {
  // There need not be a .env file.
}

const deadline = performance.now() + Number(seconds ?? 0) * ONE_SECOND_MS;
while (!(await isReady())) {
  if (performance.now() >= deadline) process.exit(1);
  await new Promise((rested) => setTimeout(rested, POLL_MS));
}

function isReady(): Promise<boolean> {
  const { SVC_HOST, SVC_PORT } = process.env;
  // A service that listens at all addresses listens at this one.
  const host = !SVC_HOST || SVC_HOST === '0.0.0.0' || SVC_HOST === '::' ? '127.0.0.1' : SVC_HOST;
  return new Promise((resolve) => {
    const request = get({ host, port: SVC_PORT || 3000, path: '/health/ready', timeout: TIME_LIMIT_MS });
    request.on('response', (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    });
    request.on('timeout', () => request.destroy());
    request.on('close', () => resolve(false));
    request.on('error', () => {});
  });
}
