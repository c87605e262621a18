import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { hashToken, mintToken } from '../secrets/token.js';
import { DevicesRepository } from './devices.repository.js';

/** A browser after a login: the token to keep in its cookie, and whether the owner should hear of it. */
export interface RecognisedDevice {
  token: string;
  isNew: boolean;
}

/**
 * The browsers that users log in from. One that is known counts its failed logins by itself, and its login is no
 * news to the owner (OWASP, "Slow Down Online Guessing Attacks with Device Cookies").
 */
@Injectable()
export class DevicesService {
  constructor(private readonly devices: DevicesRepository) {}

  /** Whether the device of a token is known to the account of an address. Changes nothing. */
  async isKnown(token: string | null, email: string): Promise<boolean> {
    return token !== null && this.devices.isKnown(hashToken(token), email);
  }

  /** Takes note of a login. The first device of a user is not known, and yet no news, unless all were forgotten. */
  async recognise(userId: string, token: string | null, manager: EntityManager): Promise<RecognisedDevice> {
    if (token !== null && (await this.devices.touch(hashToken(token), userId, manager)))
      return { token, isNew: false };

    const isNew = await this.devices.hasHistory(userId, manager);
    return { token: await this.introduce(userId, token, manager), isNew };
  }

  /**
   * Forgets the devices of a user except the current one, and returns its new token. Called whenever the password
   * changes: whoever logged in with the old one is then as unknown as anybody else, while the owner, who has just
   * proven the address or the old password, has a way in even if strangers keep guessing.
   */
  async forgetOthers(userId: string, token: string | null, manager: EntityManager): Promise<string> {
    await this.devices.deleteAllOf(userId, manager);
    return this.introduce(userId, token, manager);
  }

  /** Forgets all devices of a user, the current one included. */
  async forgetAll(userId: string, manager: EntityManager): Promise<void> {
    await this.devices.deleteAllOf(userId, manager);
    await this.devices.markForgotten(userId, manager);
  }

  /**
   * Makes a device known to a user, under a fresh token: the one it came with may have been planted by somebody who
   * has a copy. The other users of the device go on being known by the fresh one.
   */
  private async introduce(userId: string, earlier: string | null, manager: EntityManager): Promise<string> {
    const token = mintToken();
    if (earlier !== null) await this.devices.replaceToken(hashToken(earlier), hashToken(token), manager);
    await this.devices.insert(hashToken(token), userId, manager);
    return token;
  }
}
