// npm run stripe: a stand-in for Stripe on this machine, with pages to pay at, for the service of npm run dev.
import { StripeTrial } from './trial.js';

const { SVC_BASE_API_URL, SVC_PORT = '3000', STRIPE_PORT = '4242' } = process.env;
const service = (SVC_BASE_API_URL ?? `http://localhost:${SVC_PORT}`).replace(/\/+$/, '');

const trial = await StripeTrial.start({
  port: Number(STRIPE_PORT),
  service,
  file: '.data/stripe.json',
  report: console.log,
});

console.log(`
  Stripe's stand-in listens at ${trial.stripe.base}, and tells ${service} what happens.
  Start the service with these settings, in .env for example:

${Object.entries(trial.settings)
  .map(([name, value]) => `    ${name}=${value}`)
  .join('\n')}

  Ctrl-C stops it; customers and subscriptions stay in .data/stripe.json
`);

process.once('SIGINT', () => trial.stop());
process.once('SIGTERM', () => trial.stop());
