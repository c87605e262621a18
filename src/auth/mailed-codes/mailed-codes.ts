import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { CodePurpose } from '../../accounts/mailed-code.entity.js';
import { MailedCodesRepository } from '../../accounts/mailed-codes.repository.js';
import type { Transaction } from '../../audit/transactions.js';
import { InvalidCode, InvalidToken, ValidationFailed } from '../../http/errors.js';
import { fieldError } from '../../http/problem.js';
import type { CodeToMail } from '../../mail/messages.js';
import { mintBase32Code } from '../../secrets/base32-code.js';
import { hashToken, mintToken } from '../../secrets/token.js';
import { typedBase32 } from '../../validation/typed-code.js';
import type { MailedSecret } from '../auth.dto.js';

/** Crockford's Base32 has five bits a character: a code is one of 2^40. */
const CHARACTERS = 8;

const SALT_BYTES = 32;

/** Stands for the hash of a browser that has no code. No token hashes to it. */
const NOTHING = Buffer.alloc(32);

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
  constructor(private readonly codes: MailedCodesRepository) {}

  /**
   * Mints what is mailed to an address, in place of the browser's former code. Where nothing is mailed, that one stays
   * good, and all the rest is the same. Returns also the secret of the browser: the one it came with, or a fresh one.
   */
  async mint(
    purpose: CodePurpose,
    presentedToken: string | null,
    tx: Transaction,
    { isMailed = true } = {},
  ): Promise<{ browserToken: string; mailed: MailedPair }> {
    const browserToken = presentedToken ?? mintToken();
    const salt = randomBytes(SALT_BYTES);
    const code = mintBase32Code(CHARACTERS);
    const token = tokenOf(code, browserToken, salt);

    const row = { browserHash: hashToken(browserToken), purpose, salt, tokenHash: hashToken(token) };
    const expiresAt = await this.codes.save(row, isMailed, tx);
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
    try {
      return await act(await this.tokenFor(purpose, code, browserToken));
    } catch (error) {
      throw error instanceof InvalidToken ? new InvalidCode() : error;
    }
  }

  /**
   * The token that a code makes in a browser. A wrong code makes one that opens nothing, as does any code in a browser
   * that may try none: all of them go the same way to the same refusal, and count against the same limits. A right one
   * takes none of the five tries, because a page presents it several times: to ask whose account it is, and again after
   * a weak password.
   */
  private async tokenFor(purpose: CodePurpose, code: string, browserToken: string | null): Promise<string> {
    const browser = browserToken ?? mintToken();
    const browserHash = hashToken(browser);
    const counted = await this.codes.countTry(browserHash, purpose);
    const { salt, tokenHash } = counted ?? { salt: randomBytes(SALT_BYTES), tokenHash: NOTHING };
    const token = tokenOf(code, browser, salt);
    if (timingSafeEqual(hashToken(token), tokenHash))
      await this.codes.giveTryBack({ browserHash, purpose, salt });
    return token;
  }
}

function tokenOf(code: string, browserToken: string, salt: Buffer): string {
  return createHmac('sha256', salt)
    .update(`${browserToken}\0${typedBase32(code)}`)
    .digest('base64url');
}
