import type { SecondFactor } from '../accounts/factors.js';
import { type Described, instant, list, named, oneOf } from '../validation/schema.js';

/** How a second step can be taken, and until when. */
export interface PendingLoginView {
  /** None when the user has to set up the first factor. */
  usable: SecondFactor[];
  expiresAt: Date;
}

export const PendingLoginSchema = named('PendingLogin', {
  next: oneOf(['second_factor', 'setup'] as const),
  methods: list(oneOf(['totp', 'passkey', 'recovery_code'] as const)),
  expires_at: instant,
});

/** What a client sees of a login that lacks its second step. */
export function pendingLoginView({
  usable,
  expiresAt,
}: PendingLoginView): Described<typeof PendingLoginSchema> {
  return { next: usable.length > 0 ? 'second_factor' : 'setup', methods: usable, expires_at: expiresAt };
}
