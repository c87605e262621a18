import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';

const RECEIVER = join(import.meta.dirname, 'receiver.js');

/** The name of the one endpoint. */
export const ENDPOINT = 'bench';

/** The setting that sends an address the events of some types. */
export function eventsTo(url, types) {
  const secrets = [`whsec_${randomBytes(32).toString('base64')}`];
  return { SVC_WEBHOOKS: JSON.stringify([{ name: ENDPOINT, url, secrets, types }]) };
}

/** The settings that send mails to an address. */
export function mailsTo(url) {
  return {
    SVC_EMAIL_PROVIDER: 'mailapi',
    SVC_MAILAPI_API_KEY: 'SG.of_the_bench',
    SVC_MAILAPI_SENDER_ADDRESS: 'bench@example.com',
    SVC_MAILAPI_BASE_URL: url,
  };
}

/** A stand-in for a back end and for the mail provider, which takes everything at once. */
export class BackEnd {
  #process;

  static async start() {
    const backEnd = new BackEnd();
    backEnd.#process = fork(RECEIVER);
    const [{ port }] = await once(backEnd.#process, 'message');
    backEnd.url = `http://127.0.0.1:${port}`;
    return backEnd;
  }

  /** Resolves once so many have arrived from now on, with the milliseconds from the first to the last. */
  async take(count) {
    const arrived = once(this.#process, 'message');
    this.#process.send(count);
    const [{ ms }] = await arrived;
    return ms;
  }

  stop() {
    this.#process.disconnect();
  }
}
