import { Module } from '@nestjs/common';
import { BreachMetrics } from './breach-metrics.js';
import { BreachedPasswords } from './breached-passwords.js';
import { HashingMetrics } from './hashing-metrics.js';
import { HashingQueue } from './hashing-queue.js';
import { PasswordHasher } from './password-hasher.js';
import { PasswordPolicy } from './password-policy.js';

/** What a password must be, and how it is stored. */
@Module({
  providers: [HashingQueue, PasswordHasher, HashingMetrics, PasswordPolicy, BreachedPasswords, BreachMetrics],
  exports: [PasswordHasher, PasswordPolicy],
})
export class PasswordsModule {}
