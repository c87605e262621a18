import { uuidv7 } from 'uuidv7';
import type {
  ImportedMembership,
  ImportedOrg,
  ImportedUser,
  ImportsRepository,
  Keys,
  KnownUser,
} from '../../accounts/imports.repository.js';
import type { Transaction, Transactions } from '../../audit/transactions.js';
import type { TotpService } from '../../auth/second-factor/totp.service.js';
import { waitForLock } from '../../database/advisory-lock.js';
import { tryAgain } from '../../database/contention.js';
import { isDeadlock, uniqueViolationOf } from '../../database/failures.js';
import { THE_SERVICE } from '../../http/caller.js';
import { type OwnRole, Role } from '../../http/role.js';
import { type MembershipInLine, type OrgLine, readLine, type UserLine } from './account-lines.js';
import type { Line } from './lines.js';
import { SeenKeys } from './seen-keys.js';

/** What became of a line. */
export interface Outcome {
  line: number;
  /** Of a user. */
  email?: string;
  /** Of an organization. */
  organization?: string;
  external_id?: string;
  /** Of the account or the organization; null where there is none. */
  id: string | null;
  outcome: 'created' | 'exists' | 'refused';
  /** Why it was refused. */
  reason?: string;
}

/** A line that can be imported as far as it says itself. */
interface NumberedLine<Account extends UserLine | OrgLine = UserLine | OrgLine> {
  number: number;
  account: Account;
}

/** What a unique index says of a line that came too late. */
const TAKEN: Record<string, string> = {
  users_email_key: 'email has an account already',
  users_external_id_idx: 'external_id is that of another account',
  users_pkey: 'id is that of another account',
  identities_provider_subject_key: 'identities: one of them belongs to another account',
  memberships_pkey: 'organizations must be another one each',
  passkeys_credential_id_key: 'passkeys: one of them belongs to another account',
};

const HELD = 'email was that of another account, which its owner can bring back to it within three days';

/** Thrown to undo what a dry run has done. */
const UNDONE = new Error('this was a dry run');

/** Imports the lines of a file, some of them in a transaction. */
export class Importer {
  private readonly seen = new SeenKeys();
  private readonly undoneOrgs: SeenKeys | null;

  constructor(
    private readonly transactions: Transactions,
    private readonly imports: ImportsRepository,
    private readonly totp: TotpService,
    private readonly settings: { orgsPerUser: number; isDryRun: boolean },
  ) {
    this.undoneOrgs = settings.isDryRun ? new SeenKeys() : null;
  }

  /** Imports some lines, and says what became of each. */
  async import(lines: Line[]): Promise<Outcome[]> {
    const outcomes = new Map<number, Outcome>();
    const good = lines.flatMap((line) => this.read(line, outcomes));
    for (const outcome of good.length === 0 ? [] : await this.transact(good))
      outcomes.set(outcome.line, outcome);
    return lines.map(({ number }) => outcomes.get(number) as Outcome);
  }

  /** Imports lines that are good by themselves. Where that and another transaction wait for each other, it tries again. */
  private transact(lines: NumberedLine[]): Promise<Outcome[]> {
    return tryAgain(async () => {
      let outcomes: Outcome[] = [];
      try {
        await this.transactions.run(THE_SERVICE, async (tx) => {
          // Two imports at once take turns: in one another's way, each line would be tried by itself.
          await waitForLock('import', tx);
          outcomes = await new Batch(tx, this.imports, this.totp, this.undoneOrgs).import(lines);
          if (this.settings.isDryRun) throw UNDONE;
        });
      } catch (error) {
        if (isDeadlock(error)) return null;
        if (error !== UNDONE) throw error;
      }
      return this.settings.isDryRun ? withoutIds(outcomes, lines) : outcomes;
    });
  }

  /** What a line says, unless that is wrong by itself, or stood in an earlier line. */
  private read({ number, text, fault }: Line, outcomes: Map<number, Outcome>): NumberedLine[] {
    const read = text === null ? `${fault}` : readLine(text);
    if (typeof read === 'string') {
      outcomes.set(number, { line: number, id: null, outcome: 'refused', reason: read });
      return [];
    }
    const { account, faults } = read;
    const keys = this.keysOf(account);
    for (const [key, what] of keys) {
      const earlier = this.seen.lineOf(key);
      if (earlier !== null) faults.push(`${what} stands in line ${earlier} already`);
      else this.seen.note(key, number);
    }
    if (account.kind === 'user' && account.memberships.length > this.settings.orgsPerUser)
      faults.push(`organizations are more than SVC_ORGS_PER_USER allows, ${this.settings.orgsPerUser}`);
    if (faults.length === 0) return [{ number, account }];
    outcomes.set(number, refused({ number, account }, faults.join('; ')));
    return [];
  }

  /** What only one line may have. A real run finds the rest in the database, where a dry run leaves nothing. */
  private keysOf(account: UserLine | OrgLine): [key: string, what: string][] {
    const { kind, id, externalId } = account;
    const keys: [string, string][] = [];
    if (externalId !== null) keys.push([`${kind} by ${externalId}`, 'external_id']);
    if (kind === 'org') return id === null ? keys : [...keys, [`org ${id}`, 'id']];
    if (account.email !== '') keys.push([account.email, 'email']);
    if (!this.settings.isDryRun) return keys;
    if (id !== null) keys.push([`user ${id}`, 'id']);
    for (const { issuer, subject } of account.identities)
      keys.push([`identity ${issuer} ${subject}`, `the identity ${subject}`]);
    for (const { credentialId } of account.passkeys)
      keys.push([`passkey ${credentialId.toString('base64url')}`, 'a passkey']);
    return keys;
  }
}

/** The keys of an organization, and its name where that is known. */
type Named = Keys & { name: string | null };
type Known = Named & { id: string };

/** What is known of the organizations while lines are imported, by either key. */
class KnownOrgs {
  private readonly byId = new Map<string, Known>();
  private readonly byExternalId = new Map<string, Known>();

  add(org: Known): void {
    this.byId.set(org.id, org);
    if (org.externalId !== null) this.byExternalId.set(org.externalId, org);
  }

  /**
   * The id of an organization; null for an unknown one. Throws Refusal where the keys are those of two, and where one that
   * is known by its external id alone is called otherwise: two systems that number their organizations have the same ids.
   */
  find({ id, externalId, name }: Named): string | null {
    const byExternalId = externalId === null ? undefined : this.byExternalId.get(externalId);
    const byId = id === null ? undefined : this.byId.get(id);
    if (byId && externalId !== null && byId.externalId !== externalId)
      throw new Refusal(`organization ${id} has another external_id, or none`);
    if (id !== null && byExternalId && byExternalId.id !== id)
      throw new Refusal(`organization ${externalId} has another id`);
    if (id === null && byExternalId && isOther(byExternalId.name, name))
      throw new Refusal(`organization ${externalId} has another name here`);
    return (byExternalId ?? byId)?.id ?? null;
  }

  copy(): KnownOrgs {
    const copy = new KnownOrgs();
    for (const org of this.byId.values()) copy.add(org);
    return copy;
  }
}

/** Why a line is refused. */
class Refusal extends Error {}

/** Thrown to undo what was inserted with some lines, the addresses of which are held for other accounts. */
class AddressesHeld extends Error {
  constructor(readonly lines: NumberedLine[]) {
    super();
  }
}

/** The lines of one transaction. */
class Batch {
  private users: KnownUser[] = [];
  private orgs = new KnownOrgs();

  constructor(
    private readonly tx: Transaction,
    private readonly imports: ImportsRepository,
    private readonly totp: TotpService,
    /** The organizations that a dry run has made and undone again. */
    private readonly undoneOrgs: SeenKeys | null,
  ) {}

  async import(lines: NumberedLine[]): Promise<Outcome[]> {
    await this.lookUp(lines);
    const outcomes: Outcome[] = [];
    const fresh = lines.filter((line) => {
      const outcome = isOfUser(line) ? this.outcomeOfKnown(line) : null;
      if (outcome) outcomes.push(outcome);
      return outcome === null;
    });
    return [...outcomes, ...(await this.insert(fresh, this.tx))];
  }

  /** Reads what is there of all that the lines name. Organizations are locked first, as in every transaction. */
  private async lookUp(lines: NumberedLine[]): Promise<void> {
    const orgKeys = lines.flatMap<Named>((line) =>
      isOfUser(line) ? line.account.memberships : [line.account],
    );
    if (orgKeys.length > 0) {
      for (const org of await this.imports.lockOrgs(orgKeys, this.tx)) this.orgs.add(org);
      await this.makeUndone(orgKeys);
    }
    const users = lines.filter(isOfUser).map(({ account }) => account);
    const emails = users.map(({ email }) => email);
    if (users.length > 0) this.users = await this.imports.findUsers(users, emails, this.tx);
  }

  /** Makes organizations again that earlier lines of a dry run have made. */
  private async makeUndone(orgKeys: Named[]): Promise<void> {
    const orgs: ImportedOrg[] = [];
    const isUndone = (key: string) => this.undoneOrgs?.lineOf(key) != null;
    for (const { id, externalId } of orgKeys) {
      const keys = keysOfOrg({ id, externalId });
      if (!keys.some(isUndone) || this.orgs.find({ id, externalId, name: null }) !== null) continue;
      const isItsName = ({ name }: Named) => keys.some((key) => isUndone(`${key} called ${name}`));
      const undone = { id, externalId, locale: null, createdAt: null, policy: null };
      // Where no line here has its name, each that names it is wrong.
      this.make({ ...undone, name: orgKeys.find(isItsName)?.name ?? 'Undone' }, orgs);
    }
    if (orgs.length > 0) await this.imports.insertOrgs(orgs, this.tx);
  }

  /**
   * What becomes of a line where there is an account: it stays as it is. The account of a line is the one of its external
   * id; without that, the one of its id, and without either that of its address. Where that has another address, or another
   * account has the rest, it may be somebody else: two systems that number their users have the same ids. Null for a line
   * that has none.
   */
  private outcomeOfKnown(line: NumberedLine<UserLine>): Outcome | null {
    const { id, externalId, email } = line.account;
    const byExternalId = this.users.find((user) => externalId !== null && user.externalId === externalId);
    const byId = this.users.find((user) => user.id === id);
    const byEmail = this.users.find((user) => user.email === email);
    if (!byExternalId && !byId && !byEmail) return null;

    const [key, own] =
      externalId !== null ? ['external_id', byExternalId] : id !== null ? ['id', byId] : ['email', byEmail];
    if (own && own.email !== email) return refused(line, `${key} is that of an account with another address`);
    if (own && id !== null && own.id !== id)
      return refused(line, `${key} is that of an account with another id`);
    if (own) return { ...nameOf(line), id: own.id, outcome: 'exists' };
    if (byEmail)
      return refused(
        line,
        `email has an account already, with another ${key === 'id' ? key : 'external_id, or none'}`,
      );
    return refused(line, 'id is that of another account');
  }

  /**
   * Imports lines together, and where a unique index refuses one of them, each half by itself, until that one is alone. So
   * there are few savepoints: by many of them PostgreSQL would make every other transaction slower.
   */
  private async insert(lines: NumberedLine[], tx: Transaction): Promise<Outcome[]> {
    if (lines.length === 0) return [];
    const known = this.orgs.copy();
    try {
      return await tx.savepoint((inner) => this.insertTogether(lines, inner));
    } catch (error) {
      this.orgs = known;
      if (error instanceof AddressesHeld) return this.insertWithout(error.lines, lines, tx);
      const index = uniqueViolationOf(error);
      if (index === null) throw error;
      const [first] = lines as [NumberedLine];
      if (lines.length === 1) return [refused(first, TAKEN[index] ?? 'belongs to another account in part')];
      const half = lines.length >> 1;
      const before = await this.insert(lines.slice(0, half), tx);
      return [...before, ...(await this.insert(lines.slice(half), tx))];
    }
  }

  private async insertWithout(
    held: NumberedLine[],
    lines: NumberedLine[],
    tx: Transaction,
  ): Promise<Outcome[]> {
    const others = lines.filter((line) => !held.includes(line));
    return [...held.map((line) => refused(line, HELD)), ...(await this.insert(others, tx))];
  }

  /** Throws AddressesHeld. */
  private async insertTogether(lines: NumberedLine[], tx: Transaction): Promise<Outcome[]> {
    const orgs: ImportedOrg[] = [];
    const users = new Map<NumberedLine, ImportedUser>();
    const outcomes = lines.map((line) => {
      try {
        if (!isOfUser(line)) return this.planOrg(line as NumberedLine<OrgLine>, orgs);
        const user = this.planUser(line.account, orgs);
        users.set(line, user);
        return { ...nameOf(line), id: user.id, outcome: 'created' } as const;
      } catch (error) {
        if (error instanceof Refusal) return refused(line, error.message);
        throw error;
      }
    });

    if (orgs.length > 0) await this.imports.insertOrgs(orgs, tx);
    if (users.size > 0) await this.insertUsers(users, tx);
    await this.record(orgs, [...users.values()], tx);
    for (const org of orgs)
      for (const key of keysOfOrg(org)) {
        this.undoneOrgs?.note(key, 1);
        this.undoneOrgs?.note(`${key} called ${org.name}`, 1);
      }
    return outcomes;
  }

  private async insertUsers(users: Map<NumberedLine, ImportedUser>, tx: Transaction): Promise<void> {
    await this.imports.insertUsers([...users.values()], tx);
    const ids = [...users.values()].map(({ id }) => id);
    const held = await this.imports.findHeld(ids, tx);
    if (held.length === 0) return;
    throw new AddressesHeld([...users].filter(([, { id }]) => held.includes(id)).map(([line]) => line));
  }

  /** Throws Refusal. */
  private planOrg(line: NumberedLine<OrgLine>, orgs: ImportedOrg[]): Outcome {
    const { kind: _, ...org } = line.account;
    const known = this.orgs.find(org);
    return known === null
      ? { ...nameOf(line), id: this.make(org, orgs), outcome: 'created' }
      : { ...nameOf(line), id: known, outcome: 'exists' };
  }

  /** Throws Refusal for an organization that is neither there nor named. */
  private planUser(line: UserLine, orgs: ImportedOrg[]): ImportedUser {
    const { kind: _, id, totpSecret, memberships, ...user } = line;
    // All of them first: a line that is refused for the second must not make the first.
    for (const each of memberships)
      if (this.orgs.find(each) === null && each.name === null)
        throw new Refusal(
          `organization ${each.externalId ?? each.id} is in no earlier line, and has no name to make it by`,
        );
    const joined = memberships.map((each) => this.join(each, user.ownRole, orgs));
    return {
      ...user,
      id: id ?? idSince(user.createdAt),
      totpSecret: totpSecret === null ? null : this.totp.seal(totpSecret),
      memberships: joined,
    };
  }

  /** Whom a SYSTEM_ADMIN made READONLY is that in each organization. */
  private join(membership: MembershipInLine, ownRole: OwnRole, orgs: ImportedOrg[]): ImportedMembership {
    const { id, externalId, name, role, isSuspended, joinedAt } = membership;
    const org = { id, externalId, name: name ?? '', locale: null, createdAt: null, policy: null };
    const orgId = this.orgs.find(membership) ?? this.make(org, orgs);
    return { orgId, role: ownRole === Role.READONLY ? ownRole : role, isSuspended, joinedAt };
  }

  private make(org: Omit<ImportedOrg, 'id'> & { id: string | null }, orgs: ImportedOrg[]): string {
    const id = org.id ?? idSince(org.createdAt);
    orgs.push({ ...org, id });
    this.orgs.add({ id, externalId: org.externalId, name: org.name });
    return id;
  }

  /** Records what was made, in few statements: users of one organization and role together. */
  private async record(orgs: ImportedOrg[], users: ImportedUser[], tx: Transaction): Promise<void> {
    for (const { id: orgId } of orgs) await tx.record('org.created', { orgId, details: COMMAND });
    const made = groupBy(users, ({ memberships: [only, other] }) => (other ? null : (only?.orgId ?? null)));
    for (const [orgId, some] of made)
      await tx.recordOfEach(
        'account.created',
        some.map(({ id }) => id),
        { orgId, details: COMMAND },
      );
    const joined = users.flatMap(({ id, memberships }) => memberships.map((each) => ({ id, ...each })));
    for (const some of groupBy(joined, ({ orgId, role }) => `${orgId} ${role}`).values()) {
      const [{ orgId, role }] = some as [(typeof some)[number]];
      await tx.recordOfEach(
        'member.joined',
        some.map(({ id }) => id),
        { orgId, details: { role, joined_by: 'import' } },
      );
    }
  }
}

function isOfUser(line: NumberedLine): line is NumberedLine<UserLine> {
  return line.account.kind === 'user';
}

/** Whether two names are known, and differ. */
const isOther = (name: string | null, other: string | null) =>
  name !== null && other !== null && name !== other;

/** Under what a dry run notes an organization. */
function keysOfOrg({ id, externalId }: Keys): string[] {
  const keys = id === null ? [] : [`org ${id}`];
  return externalId === null ? keys : [...keys, `org by ${externalId}`];
}

/** Outcomes without the ids of what a dry run has made: a real run makes others. */
function withoutIds(outcomes: Outcome[], lines: NumberedLine[]): Outcome[] {
  const given = new Map(lines.map(({ number, account }) => [number, account.id]));
  return outcomes.map((each) =>
    each.outcome === 'created' || each.organization !== undefined
      ? { ...each, id: given.get(each.line) ?? null }
      : each,
  );
}

const COMMAND = { command: 'import' };

function groupBy<Item, Key>(items: Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/** A fresh id that begins with an instant: lists are sorted by it, oldest accounts last. */
function idSince(instant: Date | null): string {
  const id = uuidv7();
  if (instant === null) return id;
  const ms = instant.getTime().toString(16).padStart(12, '0');
  return `${ms.slice(0, 8)}-${ms.slice(8)}${id.slice(13)}`;
}

function nameOf({
  number: line,
  account,
}: NumberedLine): Pick<Outcome, 'line' | 'email' | 'organization' | 'external_id'> {
  const { externalId } = account;
  const of = account.kind === 'user' ? { email: account.email } : { organization: account.name };
  return externalId === null ? { line, ...of } : { line, ...of, external_id: externalId };
}

function refused(line: NumberedLine, reason: string): Outcome {
  return { ...nameOf(line), id: null, outcome: 'refused', reason };
}
