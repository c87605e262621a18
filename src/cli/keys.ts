import { isUUID } from 'class-validator';
import { Permissions } from '../access/permissions.js';
import { KeysRepository, type ListedKey } from '../accounts/keys.repository.js';
import { Transactions } from '../audit/transactions.js';
import { Environment } from '../config/environment.js';
import { THE_SERVICE } from '../http/caller.js';
import { NotFound } from '../http/errors.js';
import { Problem } from '../http/problem.js';
import { KeysService } from '../keys/keys.service.js';
import type { Product } from '../start/product.js';
import { canonicalName } from '../validation/name.js';
import { canonicalNetwork } from '../validation/network.js';
import { withService } from './with-service.js';

const MAX_NAME = 80;
const MOST_PERMISSIONS = 50;
const MOST_NETWORKS = 50;
const MOST_DAYS = 3650;
const MOST_PER_MINUTE = 100_000;
const MOST_HOURS = 720;
const MOST_LISTED = 1_000;

interface Lives {
  days?: string;
}

type MakeOptions = Lives & { permissions: string; networks?: string; perMinute?: string };

/** `key make <name>`: the operator's keys are made here alone, since the thief of a session must not make one. */
export async function makeKey(product: Product, name: string, options: MakeOptions): Promise<void> {
  if (canonicalName(name) !== name || [...name].length > MAX_NAME)
    throw new Error(`The name must be 1 to ${MAX_NAME} characters on one line.`);
  const permissions = options.permissions.split(',');
  const networks = options.networks?.split(',').map(network) ?? null;
  if (networks && networks.length > MOST_NETWORKS) throw new Error(`Name ${MOST_NETWORKS} networks at most.`);
  const perMinute = wholeNumber('--per-minute', options.perMinute, 1, MOST_PER_MINUTE);

  await withService(product, async (service) => {
    const known = service.get(Permissions);
    const unfit = permissions.filter((each) => !known.isForKeys(each, null));
    if (unfit.length > 0 || permissions.length > MOST_PERMISSIONS)
      throw new Error(`These permissions are not declared for keys: ${unfit.join(', ')}`);
    const days = daysOf(options, service.get(Environment));
    const keys = service.get(KeysService);
    const made = await service
      .get(Transactions)
      .run(THE_SERVICE, (tx) =>
        keys.make(
          { name, permissions: [...new Set(permissions)], networks, perMinute, orgId: null, days },
          tx,
        ),
      )
      .catch(asError);
    console.error(`The key ${made.id} is made. Its secret is shown only here:`);
    console.log(made.secret);
  });
}

/** `key list`: a line for each key, and one for each secret below it. */
export async function listKeys(product: Product, { ended = false }: { ended?: boolean }): Promise<void> {
  await withService(product, async (service) => {
    const keys = await service.get(KeysRepository).findOf(null, ended, null, MOST_LISTED);
    for (const key of keys) console.log(textOf(key));
    if (keys.length === 0) console.error(ended ? 'No key has ended.' : 'There is no key.');
  });
}

/** `key rotate <id>`. */
export async function rotateKey(
  product: Product,
  id: string,
  options: Lives & { formerEndsInHours?: string },
): Promise<void> {
  const hours = wholeNumber('--former-ends-in-hours', options.formerEndsInHours, 0, MOST_HOURS);
  await withService(product, async (service) => {
    const days = daysOf(options, service.get(Environment));
    const keys = service.get(KeysService);
    const secret = await service
      .get(Transactions)
      .run(THE_SERVICE, (tx) => keys.rotate({ id: validId(id), orgId: null }, days, hours, tx))
      .catch(asError);
    console.error('The second secret of the key is shown only here:');
    console.log(secret);
  });
}

/** `key end <id>`. */
export async function endKey(product: Product, id: string): Promise<void> {
  await withService(product, async (service) => {
    const keys = service.get(KeysService);
    await service
      .get(Transactions)
      .run(THE_SERVICE, (tx) => keys.end({ id: validId(id), orgId: null }, tx))
      .catch(asError);
    console.log(`The key ${id} has ended.`);
  });
}

function textOf({ id, name, permissions, networks, secrets }: ListedKey): string {
  const from = networks ? `, from ${networks.join(', ')}` : '';
  const lines = secrets
    .filter(({ endedAt }) => endedAt === null)
    .map(({ hint, expiresAt, lastUsedAt, lastUsedIp }) => {
      const expiry = expiresAt ? `expires ${expiresAt.toISOString()}` : 'never expires';
      const use = lastUsedAt
        ? `last used ${lastUsedAt.toISOString()} from ${lastUsedIp ?? 'nowhere'}`
        : 'never used';
      return `  …${hint}  ${expiry}, ${use}`;
    });
  return [`${id}  ${name}: ${permissions.join(', ')}${from}`, ...lines].join('\n');
}

function daysOf({ days }: Lives, { keyMaxDays }: Environment): number | null {
  return wholeNumber('--days', days, 1, keyMaxDays ?? MOST_DAYS) ?? keyMaxDays ?? null;
}

function wholeNumber(option: string, text: string | undefined, min: number, max: number): number | null {
  if (text === undefined) return null;
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= min && number <= max) return number;
  throw new Error(`${option} must be a whole number from ${min} to ${max}.`);
}

function network(text: string): string {
  const canonical = canonicalNetwork(text);
  if (canonical === null)
    throw new Error(`${text} is no CIDR block, such as 192.0.2.0/24, without address bits after its prefix.`);
  return canonical;
}

function validId(id: string): string {
  if (!isUUID(id)) throw new Error(`${id} is not the id of a key.`);
  return id.toLowerCase();
}

/** A problem has no stack that would help an operator. */
function asError(error: unknown): never {
  if (error instanceof NotFound) throw new Error('There is no live key of the operator with this id.');
  throw error instanceof Problem ? new Error(error.message) : error;
}
