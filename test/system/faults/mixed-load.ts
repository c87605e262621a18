import { setTimeout } from 'node:timers/promises';
import { freshAddress, PASSWORD } from '../../support/accounts.js';
import type { DeliveredMail } from '../../support/mail-stand-in.js';
import { tokenIn } from '../../support/mails.js';
import type { Ledger } from './ledger.js';
import { Unacknowledged, Visitor } from './visitor.js';

/** People who signed up before the faults, and go on whatever happens. */
const REGULARS = 6;

/** People who come during the faults, each in place of one who is done, or has met one. */
const NEWCOMERS = 4;

/** Between two requests of one person, so that the machine has something left for starts and recoveries. */
const PAUSE_MS = 40;

const MAIL_POLL_MS = 20;
const MAIL_PATIENCE_MS = 10_000;
const NEW_PASSWORD = `${PASSWORD}, again`;

/** Where people work, and what becomes of it. */
export interface Workplace {
  url: string;
  ledger: Ledger;
  /** The mails that were delivered, oldest first. */
  mails: readonly DeliveredMail[];
}

/** People at work on all that the service writes, until they are sent home. */
export class MixedLoad {
  private isOver = false;
  private readonly work: Promise<unknown>[] = [];

  /** Resolves once the regulars have accounts and everyone works. */
  static async start(place: Workplace): Promise<MixedLoad> {
    const load = new MixedLoad();
    const regulars = await Promise.all(Array.from({ length: REGULARS }, () => Person.join(place)));
    load.work.push(...regulars.map((person) => load.goOn((round) => person.doRound(round))));
    for (let i = 0; i < NEWCOMERS; i++) load.work.push(load.goOn(() => liveThrough(place)));
    return load;
  }

  async stop(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.work);
  }

  private async goOn(work: (round: number) => Promise<void>): Promise<void> {
    for (let round = 1; !this.isOver; round++) {
      await work(round).catch(unlessUnacknowledged);
      await setTimeout(PAUSE_MS);
    }
  }
}

/** All that a new person does, from the signup of an organization to the logout. */
async function liveThrough(place: Workplace): Promise<void> {
  const admin = await Person.join(place);
  await admin.failToLogIn();
  const member = await admin.invite();
  await admin.setRole(member, 'readonly');
  await admin.changePassword();
  await admin.setRole(member, 'member');
  await admin.visitAgain(NEW_PASSWORD);
}

/** A person with an organization of their own, which they signed up as a user does. */
class Person {
  private orgId = '';

  private constructor(
    private readonly place: Workplace,
    private readonly email: string,
    private readonly visitor: Visitor,
  ) {}

  static async join(place: Workplace): Promise<Person> {
    const { url, ledger } = place;
    const person = new Person(place, freshAddress(), new Visitor(url, ledger));
    await person.signUp();
    const { user } = await person.logIn(person.visitor, PASSWORD);
    person.orgId = user.org_id;
    return person;
  }

  /** What a regular does again and again: each change differs from the one before. */
  async doRound(round: number): Promise<void> {
    await this.ask('GET', '/users/me', 200);
    await this.ask('PATCH', '/users/me', 200, { name: String(round) });
    this.place.ledger.acknowledge('account.updated', this.email, round);
    await this.ask('GET', '/sessions', 200);
    if (round % 4 === 0) await this.askForLink();
    if (round % 4 === 2) await this.visitAgain(PASSWORD);
  }

  async failToLogIn(): Promise<void> {
    await this.ask('POST', '/auth/login', 401, { email: this.email, password: 'not the password' });
    this.place.ledger.acknowledge('login.failed', this.email);
  }

  /** Invites a person, who accepts; returns that user. */
  async invite(): Promise<{ id: string; email: string }> {
    const email = freshAddress();
    const invite = { email, role: 'member' };
    const { invitation } = await this.ask('POST', `/orgs/${this.orgId}/invitations`, 201, invite);
    this.place.ledger.acknowledge('invitation.sent', this.email, invitation.id);

    const token = await this.tokenMailedTo(email);
    const { user } = await this.ask('POST', '/invitations/accept', 201, { token, password: PASSWORD });
    this.place.ledger.acknowledge('member.joined', email, this.orgId);
    return user;
  }

  async setRole({ id, email }: { id: string; email: string }, role: string): Promise<void> {
    await this.ask('PATCH', `/orgs/${this.orgId}/members/${id}`, 200, { role });
    this.place.ledger.acknowledge('role.changed', email);
  }

  async changePassword(): Promise<void> {
    const body = { current_password: PASSWORD, new_password: NEW_PASSWORD };
    await this.ask('POST', '/password/update', 204, body);
    this.place.ledger.acknowledge('password.changed', this.email);
    await this.ask('GET', '/users/me', 200);
  }

  /** Logs in with another browser, and out again; its session is refused from then on. */
  async visitAgain(password: string): Promise<void> {
    const { url, ledger } = this.place;
    const other = new Visitor(url, ledger);
    const { session } = await this.logIn(other, password);
    await other.ask('POST', '/auth/logout', 204);
    ledger.acknowledge('logout', this.email, session.id);
    await other.ask('GET', '/users/me', 401);
  }

  private async signUp(): Promise<void> {
    const body = { org_name: 'Analytical', email: this.email, password: PASSWORD };
    await this.ask('POST', '/auth/signup-org', 202, body);
    const token = await this.tokenMailedTo(this.email);
    const { session } = await this.ask('POST', '/auth/verify-email', 200, { token, password: PASSWORD });
    this.place.ledger.acknowledge('account.created', this.email);
    this.place.ledger.acknowledge('email.verified', this.email);
    this.place.ledger.acknowledge('login.succeeded', this.email, session.id);
  }

  private async logIn(visitor: Visitor, password: string) {
    const answer = await visitor.ask('POST', '/auth/login', 200, { email: this.email, password });
    this.place.ledger.acknowledge('login.succeeded', this.email, answer.session.id);
    return answer;
  }

  private async askForLink(): Promise<void> {
    await this.ask('POST', '/password/forgot', 202, { email: this.email });
    this.place.ledger.acknowledge('password.link_requested', this.email);
  }

  private async ask(...request: Parameters<Visitor['ask']>) {
    await setTimeout(PAUSE_MS);
    return this.visitor.ask(...request);
  }

  /** The token of the link in the mail to an address. Throws Unacknowledged when none comes: the worker may be dead. */
  private async tokenMailedTo(address: string): Promise<string> {
    const deadline = performance.now() + MAIL_PATIENCE_MS;
    while (performance.now() < deadline) {
      const mail = this.place.mails.findLast(({ to }) => to === address);
      if (mail) return tokenIn(mail.text);
      await setTimeout(MAIL_POLL_MS);
    }
    throw new Unacknowledged(`no mail came to ${address}`);
  }
}

function unlessUnacknowledged(error: unknown): void {
  if (!(error instanceof Unacknowledged)) throw error;
}
