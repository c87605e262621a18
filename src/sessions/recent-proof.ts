import { Injectable } from '@nestjs/common';
import { PasskeysRepository } from '../factors/passkeys.repository.js';
import type { Caller, CallerUser } from '../http/caller.js';
import { StepUpRequired } from '../http/errors.js';

/** How a user can prove within a session who they are. */
export type StepUpMethod = 'password' | 'passkey';

/** Whether users proved lately who they are, and how they can do it again. */
@Injectable()
export class RecentProof {
  constructor(private readonly passkeys: PasskeysRepository) {}

  /** Throws StepUpRequired, with the ways there are, when the proof is more than ten minutes old. */
  async assert({ user, isRecent }: Caller): Promise<void> {
    if (!isRecent) throw new StepUpRequired(await this.methodsOf(user));
  }

  /** The ways that will do for a user. */
  async methodsOf(user: CallerUser): Promise<StepUpMethod[]> {
    const methods: StepUpMethod[] = [];
    if (user.passwordChangedAt !== null) methods.push('password');
    if ((await this.passkeys.countOf(user.id)) > 0) methods.push('passkey');
    return methods;
  }
}
