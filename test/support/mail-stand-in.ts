import { tokenIn } from './mails.js';
import { until } from './until.js';

/** A mail as a stand-in received it. */
export interface DeliveredMail {
  id: string;
  from: string;
  to: string;
  subject: string;
  text: string;
  html: string;
  /** Those that the service asked for, by their name in lower case. */
  headers: Record<string, string>;
  /** The mail as the provider's protocol has it. */
  payload: unknown;
}

/**
 * What a stand-in does with a mail: takes it over as the provider does, answers what a test likes, never answers,
 * closes the connection, does so only after it has taken the mail over, or answers without coming to an end.
 */
export type Behaviour<Answer> = 'accept' | Answer | 'hang' | 'hang up' | 'lose the answer' | 'trickle';

/** A mail provider on loopback, for a service that is started with its `variables`. */
export abstract class MailStandIn<Answer> {
  /** The mails taken over, oldest first. */
  readonly delivered: DeliveredMail[] = [];

  /** How many requests there were, whatever became of them. */
  requests = 0;

  /** Resolves once a client has hung up on a mail that was neither taken over nor refused. */
  readonly abandoned = new Promise<void>((resolve) => {
    this.abandon = resolve;
  });
  protected abandon: () => void;

  private behaviour: Behaviour<Answer> = 'accept';
  private readonly coming: Behaviour<Answer>[] = [];

  /** The variables that make the service send through this provider. */
  abstract get variables(): Record<string, string>;

  abstract close(): Promise<void>;

  /** What it does with every mail from now on. */
  answer(behaviour: Behaviour<Answer>): void {
    this.behaviour = behaviour;
  }

  /** What it does with the next mails, one each, before it goes on as it was. */
  answerNext(...behaviours: Behaviour<Answer>[]): void {
    this.coming.push(...behaviours);
  }

  /** The token of the link in the first mail to an address, once there is one. */
  async tokenMailedTo(address: string): Promise<string> {
    const mail = () => this.delivered.find(({ to }) => to === address);
    await until(() => mail() !== undefined);
    return tokenIn(mail()?.text ?? '');
  }

  /** What it does with the mail that has come. */
  protected nextBehaviour(): Behaviour<Answer> {
    return this.coming.shift() ?? this.behaviour;
  }
}

/** Headers by their name in lower case; none where a provider was given none. */
export function inLowerCase(headers: Record<string, string> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
