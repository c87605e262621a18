import type { DataSource } from 'typeorm';
import type { Environment } from '../../config/environment.js';
import type { Finding } from '../../config/preflight/finding.js';
import { DELIVERIES } from '../../events/deliveries.js';
import { DeliveryLedgerRepository } from '../../events/delivery-ledger.repository.js';
import { requestHead } from '../../outbound/bounded-request.js';
import { OutagesRepository } from '../../queues/outages.repository.js';

/** An event that waits longer has met more than a restart of its endpoint. */
const PATIENCE_SECONDS = 900;

/** Whether each endpoint answers this machine, whatever it answers. It is sent no event: for that there is `webhook test`. */
export async function examineEndpoints({ webhooks, webhookTimeoutSeconds }: Environment): Promise<Finding[]> {
  const findings = await Promise.all(
    webhooks.map(({ name, url }) =>
      requestHead(url, webhookTimeoutSeconds * 1000, { method: 'HEAD' }).then(
        () => [],
        () => [unreachable(name)],
      ),
    ),
  );
  return findings.flat();
}

function unreachable(name: string): Finding {
  return {
    code: 'WEBHOOK_UNREACHABLE',
    severity: 'error',
    text: `The endpoint ${name} in SVC_WEBHOOKS does not answer from here.`,
    fix: 'See that its address is right, that this machine may reach it, and that it has a certificate this machine trusts.',
  };
}

/** What the deliveries tell of the endpoints, those that are no longer set included. */
export async function examineDeliveries(database: DataSource, { webhooks }: Environment): Promise<Finding[]> {
  const set = webhooks.map(({ name }) => name);
  const findings = (await new OutagesRepository(database, DELIVERIES.outages).refusing(set)).map(refused);
  for (const { endpoint, state, count, oldestSeconds } of await new DeliveryLedgerRepository(
    database,
  ).countByState()) {
    const name = String(endpoint);
    if (state === 'waiting' && !set.includes(name)) findings.push(notSet(name, count));
    else if (state === 'waiting' && oldestSeconds > PATIENCE_SECONDS)
      findings.push(waiting(name, count, oldestSeconds));
    else if (state === 'dead') findings.push(dead(name, count));
  }
  return findings;
}

function refused(name: string): Finding {
  return {
    code: 'WEBHOOK_REFUSED',
    severity: 'error',
    text: `The endpoint ${name} refuses the events it is sent, or has another address by now.`,
    fix: `See why with: npm run cli -- webhook list --endpoint ${name}; the service sends what waits once it is repaired.`,
  };
}

function notSet(name: string, count: number): Finding {
  return {
    code: 'WEBHOOK_NOT_SET',
    severity: 'warning',
    text: `Events wait for the endpoint ${name}, which is not in SVC_WEBHOOKS: ${count}.`,
    fix: `Set it again, or delete what waits for it: npm run cli -- webhook forget ${name}`,
  };
}

function waiting(name: string, count: number, oldestSeconds: number): Finding {
  return {
    code: 'WEBHOOK_WAITING',
    severity: 'error',
    text: `Events wait for the endpoint ${name}: ${count}, the oldest for ${Math.round(oldestSeconds / 60)} minutes.`,
    fix: `Look for the reason with: npm run cli -- webhook list --state waiting --endpoint ${name}`,
  };
}

function dead(name: string, count: number): Finding {
  return {
    code: 'WEBHOOK_DEAD',
    severity: 'warning',
    text: `Events for the endpoint ${name} were given up: ${count}.`,
    fix: `See why with: npm run cli -- webhook list --state dead --endpoint ${name}; send them again with: webhook retry --all`,
  };
}
