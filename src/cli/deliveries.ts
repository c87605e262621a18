import { Environment } from '../config/environment.js';
import { eventTypesNamed } from '../config/event-types.js';
import { DeliveriesService } from '../events/deliveries.service.js';
import type { DeliverySummary } from '../events/delivery-ledger.repository.js';
import { THE_SERVICE } from '../http/caller.js';
import { QUEUE_STATES } from '../queues/queue-ledger.repository.js';
import type { Product } from '../start/product.js';
import { countsInWords, limitOf, printFields, stateNamed, withRow } from './ledger-words.js';
import { withService } from './with-service.js';

/** `webhook list`: a line for each delivery, newest first. */
export async function listDeliveries(
  product: Product,
  options: {
    state?: string;
    endpoint?: string;
    limit: string;
  },
): Promise<void> {
  const state = stateNamed(options.state, QUEUE_STATES);
  const limit = limitOf(options.limit);

  await withDeliveries(product, async (deliveries) => {
    for (const delivery of await deliveries.list(state, options.endpoint, limit)) console.log(line(delivery));
    console.error(countsInWords(await deliveries.countByState()) || 'There are no deliveries.');
  });
}

/** `webhook show`: one delivery. */
export async function showDelivery(product: Product, id: string): Promise<void> {
  await withDeliveries(product, async (deliveries) =>
    printFields(await withRow('delivery', id, () => deliveries.get(id))),
  );
}

/** `webhook retry`: puts a dead letter, or all of them, back among the deliveries that wait. */
export async function retryDeliveries(
  product: Product,
  id: string | undefined,
  { all = false },
): Promise<void> {
  if ((id === undefined) === !all) throw new Error('Say which delivery, or --all.');

  await withDeliveries(product, async (deliveries) => {
    const retried = id === undefined ? await deliveries.retryDead(THE_SERVICE) : 1;
    if (id !== undefined) await withRow('delivery', id, () => deliveries.retry(id, THE_SERVICE));
    console.log(`Put back among the deliveries that wait: ${retried}. The service sends them.`);
  });
}

/** `webhook replay`: sends an endpoint the events since an instant again, of all types that it wants or of some. */
export async function replayEvents(
  product: Product,
  name: string,
  { since, type = '*' }: { since: string; type?: string },
): Promise<void> {
  const from = new Date(since);
  if (Number.isNaN(from.getTime()))
    throw new Error('--since must be an instant such as 2026-11-20T08:00:00Z.');

  await withDeliveries(product, async (deliveries, { webhooks }) => {
    const endpoint = webhooks.find((each) => each.name === name);
    if (!endpoint) throw new Error(`SVC_WEBHOOKS has no endpoint ${name}.`);
    const wanted = new Set(endpoint.types.flatMap(eventTypesNamed));
    const types = eventTypesNamed(type).filter((each) => wanted.has(each));
    if (types.length === 0) throw new Error(`${name} wants no events of the type ${type}.`);

    const replayed = await deliveries.replay(name, from, types, THE_SERVICE);
    console.log(`Events to send ${name} again: ${replayed}. The service sends them.`);
  });
}

/** `webhook forget`: deletes what waits for an endpoint that is no longer set. */
export async function forgetEndpoint(product: Product, name: string): Promise<void> {
  await withDeliveries(product, async (deliveries, { webhooks }) => {
    if (webhooks.some((each) => each.name === name))
      throw new Error(`${name} is set in SVC_WEBHOOKS. Take it out there first.`);
    console.log(`Deliveries to ${name} deleted: ${await deliveries.forget(name, THE_SERVICE)}.`);
  });
}

function withDeliveries(
  product: Product,
  work: (deliveries: DeliveriesService, environment: Environment) => Promise<void>,
): Promise<void> {
  return withService(product, (service) => work(service.get(DeliveriesService), service.get(Environment)));
}

function line({ id, createdAt, state, endpoint, type, attempts, lastError }: DeliverySummary): string {
  const words = [id, createdAt.toISOString(), state, endpoint, type ?? 'pruned', `${attempts} attempts`];
  return [...words, ...(lastError === null ? [] : [lastError])].join('  ');
}
