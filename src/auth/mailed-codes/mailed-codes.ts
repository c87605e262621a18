import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { CodePurpose } from '../../accounts/mailed-code.entity.js';
import { MailedCodesRepository } from '../../accounts/mailed-codes.repository.js';
import type { Transaction } from '../../audit/transactions.js';
import { Environment } from '../../config/environment.js';
import { InvalidCode, InvalidToken, ValidationFailed } from '../../http/errors.js';
import { fieldError } from '../../http/problem.js';
import type { CodeToMail } from '../../mail/messages.js';
import { mintBase32Code } from '../../secrets/base32-code.js';
import { Encryption } from '../../secrets/encryption.js';
import { hashToken, mintToken } from '../../secrets/token.js';
import { typedBase32 } from '../../validation/typed-code.js';
import type { MailedSecret } from '../auth.dto.js';

/** Crockford's Base32 has five bits a character: a code is one of 2^40. */
const CHARACTERS = 8;

const SALT_BYTES = 32;

/** What a page presents a code for once. A right one that was used takes a try like a wrong one, and as much time. */
const PRESENTED_ONCE: CodePurpose[] = ['login', 'step-up'];

/** What one mail says: the token of its link, and the code that does the same in the browser that asked. */
export interface MailedPair {
  token: string;
  code: CodeToMail;
}

/**
 * Codes that are mailed beside links, for a reader whose mail is on another device than the browser that asked. The
 * token of the link is made from the code, the secret of that browser's cookie and a salt. So the service reads a code
 * by making the token from it, and goes on as for the link: what uses up one of them uses up the other.
 */
@Injectable()
export class MailedCodes {
  /** Hides the salts: a reader of the database who asked in a browser of their own would otherwise try all codes by the row. */
  private readonly encryption: Encryption;

  constructor(
    private readonly codes: MailedCodesRepository,
    { jwtSecretKey }: Environment,
  ) {
    this.encryption = new Encryption(jwtSecretKey, 'mailed code');
  }

  /**
   * Mints what may be mailed to an address, in place of the browser's former code. That one stays good where the browser
   * has just asked for the same: whether anything is mailed must not decide, as the browser can see which code is good.
   * Returns also the secret of the browser: the one it came with, or a fresh one.
   */
  async mint(
    purpose: CodePurpose,
    presentedToken: string | null,
    tx: Transaction,
    { keepsFormer = false } = {},
  ): Promise<{ browserToken: string; mailed: MailedPair }> {
    const browserToken = presentedToken ?? mintToken();
    const salt = mintSalt();
    const code = mintBase32Code(CHARACTERS);
    const token = tokenOf(code, browserToken, salt);

    const row = {
      browserHash: hashToken(browserToken),
      purpose,
      salt: this.encryption.encrypt(salt),
      tokenHash: hashToken(token),
    };
    const expiresAt = await this.codes.save(row, keepsFormer, tx);
    return { browserToken, mailed: { token, code: { code, expiresAt } } };
  }

  /**
   * Does what the holder of a mailed token may do, who presents it, or the code in its place. Throws ValidationFailed
   * for neither and for both, and InvalidCode where a link would be InvalidToken.
   */
  async open<Result>(
    purpose: CodePurpose,
    { token, code }: MailedSecret,
    browserToken: string | null,
    act: (token: string) => Promise<Result>,
  ): Promise<Result> {
    if (token && !code) return act(token);
    if (!code || token) throw new ValidationFailed([fieldError('token', { code: 'not_token_or_code' })]);
    return this.openByCode(purpose, code, browserToken, act);
  }

  /** The same for what a code alone allows, which has no link that works in any browser. Throws InvalidCode. */
  async openByCode<Result>(
    purpose: CodePurpose,
    code: string,
    browserToken: string | null,
    act: (token: string) => Promise<Result>,
  ): Promise<Result> {
    try {
      return await act(await this.tokenFor(purpose, code, browserToken));
    } catch (error) {
      throw error instanceof InvalidToken ? new InvalidCode() : error;
    }
  }

  /**
   * The token that a code makes in a browser. A wrong code makes one that opens nothing, as does any code in a browser
   * that may try none: all of them go the same way to the same refusal, and count against the same limits. A right one
   * takes none of the five tries where a page presents it several times: to ask whose account it is, and again after a
   * weak password.
   */
  private async tokenFor(purpose: CodePurpose, code: string, browserToken: string | null): Promise<string> {
    const browser = browserToken ?? mintToken();
    const browserHash = hashToken(browser);
    const counted = await this.codes.countTry(browserHash, purpose);
    const token = tokenOf(code, browser, counted ? this.saltIn(counted.salt) : mintSalt());
    if (!counted || PRESENTED_ONCE.includes(purpose)) return token;
    if (timingSafeEqual(hashToken(token), counted.tokenHash))
      await this.codes.giveTryBack({ browserHash, purpose, salt: counted.salt });
    return token;
  }

  /** One that was encrypted with a secret which is gone makes no token that opens anything. */
  private saltIn(encrypted: Buffer): string {
    try {
      return this.encryption.decrypt(encrypted);
    } catch {
      return mintSalt();
    }
  }
}

function mintSalt(): string {
  return randomBytes(SALT_BYTES).toString('base64url');
}

function tokenOf(code: string, browserToken: string, salt: string): string {
  return createHmac('sha256', salt)
    .update(`${browserToken}\0${typedBase32(code)}`)
    .digest('base64url');
}
