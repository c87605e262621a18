import { BlockList, isIP } from 'node:net';
import type { Caller, CallerSession, OrgPolicy } from './caller.js';

/** What an organization can ask of the sessions that enter it. */
export const REQUIREMENTS = [
  'second_factor',
  'idle_minutes',
  'age_minutes',
  'login_methods',
  'networks',
] as const;

export type Requirement = (typeof REQUIREMENTS)[number];

/** The rules that an organization sets: what it asks for, and whether SYSTEM_ADMINs may act for its members. */
export const ORG_RULES = [...REQUIREMENTS, 'acting'] as const;

export type OrgRule = (typeof ORG_RULES)[number];

/** That of an organization that asks for nothing. */
export const NO_POLICY: OrgPolicy = {
  secondFactor: false,
  idleMinutes: null,
  ageMinutes: null,
  loginMethods: null,
  networks: null,
};

/** What a policy judges: a session, and where the request comes from. */
export type Judged = { session: Pick<CallerSession, 'aal'> } & Pick<Caller, 'proof' | 'ip'>;

/**
 * A pause begins at a sighting, which is noted once a minute and written within two seconds: so much longer it may seem than
 * it was.
 */
const SIGHTING_SECONDS = 62;

const NOTHING: readonly Requirement[] = [];

/** Which requirements of a policy a request does not meet. */
export function unmetOf(policy: OrgPolicy | null, { session, proof, ip }: Judged): readonly Requirement[] {
  if (policy === null) return NOTHING;
  const { secondFactor, idleMinutes, ageMinutes, loginMethods, networks } = policy;
  const isMet: Record<Requirement, boolean> = {
    second_factor: !secondFactor || session.aal === 2,
    idle_minutes: idleMinutes === null || proof.idleSeconds <= idleMinutes * 60 + SIGHTING_SECONDS,
    age_minutes: ageMinutes === null || (proof.ageSeconds !== null && proof.ageSeconds <= ageMinutes * 60),
    login_methods: loginMethods === null || loginMethods.some((method) => proof.ways.includes(method)),
    networks: networks === null || (ip !== null && isWithin(networks, ip)),
  };
  return REQUIREMENTS.filter((requirement) => !isMet[requirement]);
}

/** The first of some networks that an address lies in; null where it lies in none. */
export function networkOf(networks: readonly string[], ip: string): string | null {
  return networks.find((network) => isWithin([network], ip)) ?? null;
}

/** Building a list costs more than asking it; of those of very many organizations some are built anew. */
const MOST_LISTS_KEPT = 1_000;
const lists = new Map<string, BlockList>();

function isWithin(networks: string[], ip: string): boolean {
  const key = networks.join();
  const known = lists.get(key);
  if (!known && lists.size >= MOST_LISTS_KEPT) lists.clear();
  const list = known ?? listOf(networks);
  lists.set(key, list);
  return list.check(ip, familyOf(ip));
}

function listOf(networks: string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    list.addSubnet(address, Number(prefix), familyOf(address));
  }
  return list;
}

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');
