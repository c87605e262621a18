import type { SecondFactor } from '../accounts/factors.js';
import { type Described, instant, list, named, nullable, object, oneOf, text } from '../validation/schema.js';

/** How a second step can be taken, until when, and what it does beside. */
export interface PendingLoginView {
  /** None when the user has to set up the first factor. */
  usable: SecondFactor[];
  expiresAt: Date;
  /** The provider whose identity the second step links, named as in an identity; null when it links none. */
  links: { provider: string | null; issuer: string } | null;
}

export const PendingLoginSchema = named('PendingLogin', {
  next: oneOf(['second_factor', 'setup'] as const),
  methods: list(oneOf(['totp', 'passkey', 'recovery_code'] as const)),
  expires_at: instant,
  links: nullable(object({ provider: nullable(text), issuer: text })),
});

/** What a client sees of a login that lacks its second step. */
export function pendingLoginView({
  usable,
  expiresAt,
  links,
}: PendingLoginView): Described<typeof PendingLoginSchema> {
  const next = usable.length > 0 ? 'second_factor' : 'setup';
  return { next, methods: usable, expires_at: expiresAt, links };
}
