import type { CDPSession, Page } from 'playwright-core';
import { verified } from '../support/accounts.js';
import type { Stage } from './stage.js';

/** A user who chooses no passkey in a field: without that, Chromium takes one there at once. */
const IGNORE_FIELDS = `{
  const { credentials } = navigator;
  const get = credentials.get.bind(credentials);
  const untilAborted = ({ signal }) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  credentials.get = (options) => (options.mediation === 'conditional' ? untilAborted(options) : get(options));
}`;

/** What keeps the passkeys of a device, and asks its user: Chromium's stand-in for one. */
export class VirtualAuthenticator {
  private constructor(
    private readonly devtools: CDPSession,
    private readonly authenticatorId: string,
  ) {}

  /** One whose user is there, and puts a finger on it whatever it asks; also in a field, or only after a click. */
  static async in(page: Page, { fillsIn = false } = {}): Promise<VirtualAuthenticator> {
    if (!fillsIn) await page.addInitScript(IGNORE_FIELDS);
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('WebAuthn.enable');
    const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
        defaultBackupEligibility: true,
        defaultBackupState: true,
      },
    });
    return new VirtualAuthenticator(devtools, authenticatorId);
  }

  /** Whether the user is there. */
  async answers(enabled: boolean): Promise<void> {
    const { authenticatorId } = this;
    await this.devtools.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled });
  }

  /** Whether the finger is that of the user. */
  async verifies(isUserVerified: boolean): Promise<void> {
    const { authenticatorId } = this;
    await this.devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified });
  }

  async passkeys() {
    const { authenticatorId } = this;
    return (await this.devtools.send('WebAuthn.getCredentials', { authenticatorId })).credentials;
  }
}

/** A visitor who has logged in by password, and made a passkey on the pages. */
export async function passkeyOwner(stage: Stage, user = { fillsIn: false }) {
  const visitor = await stage.visitor();
  const email = await verified(stage.app);
  const device = await VirtualAuthenticator.in(visitor.page, user);
  await visitor.logIn(email);
  await visitor.follow('Security');
  await visitor.press('Add a passkey');
  await visitor.submit('Add it', { 'Name of the new passkey': 'My laptop' });
  await visitor.sees('You can now log in with the passkey My laptop.');
  return { visitor, email, device };
}

/** Lets the last proof of a user be so long ago that what is dangerous asks for another. */
export async function age(stage: Stage, email: string): Promise<void> {
  await stage.app.database.rows(
    `UPDATE sessions SET authenticated_at = authenticated_at - interval '11 minutes'
      WHERE user_id = (SELECT id FROM users WHERE email = $1)`,
    [email],
  );
}
