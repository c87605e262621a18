import { randomBytes } from 'node:crypto';
import { uuidv7 } from 'uuidv7';
import { readEnvironment } from '../config/read-environment.js';
import { EventPost } from '../events/event-post.js';

/** `webhook secret`: a fresh secret for an endpoint of SVC_WEBHOOKS. */
export function webhookSecret(): void {
  console.log(`whsec_${randomBytes(32).toString('base64')}`);
}

/** `webhook test`: sends an endpoint an event that means nothing, and says what it answered, and how fast. */
export async function testEndpoint(name: string): Promise<void> {
  const environment = await readEnvironment();
  const endpoint = environment.webhooks.find((each) => each.name === name);
  if (!endpoint) throw new Error(`SVC_WEBHOOKS has no endpoint ${name}.`);

  const begunAt = performance.now();
  const passed = () => `${Math.round(performance.now() - begunAt)} ms`;
  const test = { type: 'webhook.test' as const, timestamp: new Date(), data: {} };
  try {
    const status = await new EventPost(environment).send(endpoint, uuidv7(), test);
    console.log(`${name} answered ${status} after ${passed()}.`);
  } catch (error) {
    throw new Error(`${name} took no event: ${(error as Error).message}, after ${passed()}.`);
  }
}
