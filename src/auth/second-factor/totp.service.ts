import { Injectable, Logger } from '@nestjs/common';
import type { TOTP } from 'otpauth';
import { STEP_SECONDS } from '../../accounts/factors.repository.js';
import { Environment } from '../../config/environment.js';
import { CodesUnavailable } from '../../http/errors.js';
import { Encryption } from '../../secrets/encryption.js';

const SECRET_BYTES = 20;

/** A secret for an authenticator app, as it is shown once, and as it is stored. */
export interface NewSecret {
  /** Base32, for typing it. */
  secret: string;
  /** `otpauth://…`, for scanning it. */
  uri: string;
  sealed: Buffer;
}

/** One-time passwords by time (RFC 6238): SHA-1, six digits, 30 seconds, which is what every app can do. */
@Injectable()
export class TotpService {
  private readonly logger = new Logger(TotpService.name);
  private readonly encryption: Encryption;

  constructor(private readonly environment: Environment) {
    this.encryption = new Encryption(environment.jwtSecretKey, 'totp');
  }

  /** A fresh secret for the account of an address. */
  async mint(email: string): Promise<NewSecret> {
    const { Secret, TOTP } = await library();
    const secret = new Secret({ size: SECRET_BYTES });
    const totp = new TOTP({ ...options, secret, issuer: this.environment.productName, label: email });
    return { secret: secret.base32, uri: totp.toString(), sealed: this.seal(secret.base32) };
  }

  /** The form in which a secret, in Base32, is stored. */
  seal(secret: string): Buffer {
    return this.encryption.encrypt(secret);
  }

  /**
   * The time step that a code belongs to: the present one, or the one before or after it, because a phone's clock may
   * be wrong, and a user may type slowly. Returns null when it belongs to none of them. Throws CodesUnavailable.
   */
  async stepOf(code: string, sealed: Buffer, presentStep: number): Promise<number | null> {
    const { TOTP } = await library();
    const totp: TOTP = new TOTP({ ...options, secret: this.open(sealed) });
    const delta = totp.validate({ token: code, timestamp: presentStep * STEP_SECONDS * 1000, window: 1 });
    return delta === null ? null : presentStep + delta;
  }

  /**
   * Encrypts anew the secrets that a former key encrypted. Returns those, and how many secrets no key opens: their
   * users cannot log in with a code until the operator adds the former key again.
   */
  reseal<S extends { secret: Buffer }>(
    sealed: S[],
  ): { renewed: (S & { renewed: Buffer })[]; unreadable: number } {
    let unreadable = 0;
    const renewed = sealed.flatMap((each) => {
      try {
        const inNewForm = this.encryption.renew(each.secret);
        return inNewForm === null ? [] : [{ ...each, renewed: inNewForm }];
      } catch {
        unreadable += 1;
        return [];
      }
    });
    return { renewed, unreadable };
  }

  /** A stored secret in Base32. Null when no secret of the settings opens it. */
  tryToOpen(sealed: Buffer): string | null {
    try {
      return this.encryption.decrypt(sealed);
    } catch {
      return null;
    }
  }

  /** Throws CodesUnavailable when no secret of the settings opens it: the operator removed the former one too early. */
  private open(sealed: Buffer): string {
    const secret = this.tryToOpen(sealed);
    if (secret === null) {
      const fields = { event: 'totp.unreadable', finding: 'SECRETS_UNDER_FORMER_KEY' };
      this.logger.error(
        fields,
        'No secret in SVC_JWT_SECRET_KEY opens the secret of an authenticator app. Add the former secret after the first, then run reseal.',
      );
      throw new CodesUnavailable();
    }
    return secret;
  }
}

const options = { algorithm: 'SHA1', digits: 6, period: STEP_SECONDS };

/** Loaded with the first code: loading takes 15 ms, which a start need not wait for. */
const library = () => import('otpauth');
