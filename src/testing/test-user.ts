import { TOTP } from 'otpauth';
import type { AdminLatchkey } from '../client/admin.js';
import { TestBrowser } from '../client/testing.js';

const STEP_MS = 30_000;

/** A user as made in the database. */
export interface SeededUser {
  id: string;
  email: string;
  password: string;
  orgId: string | null;
}

/** A user who is logged in, in a browser of their own. */
export class TestUser extends TestBrowser {
  readonly id: string;
  readonly email: string;
  readonly password: string;
  readonly org_id: string | null;
  /** Those of the authenticator app; empty without one. */
  recovery_codes: readonly string[] = [];
  /** A client with the cookies of this user. */
  readonly latchkey: AdminLatchkey;

  private app: TOTP | undefined;
  private usedStep = 0;

  constructor(url: string, { id, email, password, orgId }: SeededUser) {
    super(url);
    Object.assign(this, { id, email, password, org_id: orgId });
    this.latchkey = this.client();
  }

  async logIn(): Promise<void> {
    const { email, password } = this;
    const answer = await this.latchkey.login({ email, password });
    if ('pending_login' in answer) await this.latchkey.completeLogin({ totp: this.totp() });
  }

  /** Adds an authenticator app to the account. */
  async addApp(): Promise<void> {
    const { secret } = await this.latchkey.beginTotp();
    this.app = new TOTP({ secret });
    // The code of the step before leaves that of the present one for the next login.
    this.usedStep = Math.floor(Date.now() / STEP_MS) - 1;
    const code = this.app.generate({ timestamp: this.usedStep * STEP_MS });
    this.recovery_codes = (await this.latchkey.confirmTotp({ code })).recovery_codes;
  }

  /** A code of the authenticator app that was not used yet. The service takes two of them in 30 seconds. */
  totp(): string {
    if (!this.app) throw new Error(`${this.email} has no authenticator app: seed it with factor: 'totp'.`);
    const present = Math.floor(Date.now() / STEP_MS);
    if (this.usedStep > present) throw new Error('The app shows the next code within 30 seconds.');
    this.usedStep = Math.max(present, this.usedStep + 1);
    return this.app.generate({ timestamp: this.usedStep * STEP_MS });
  }
}
