/** What proves who a user is beside the password. */
export const SECOND_FACTORS = ['totp', 'passkey', 'recovery_code'] as const;

export type SecondFactor = (typeof SECOND_FACTORS)[number];

/** How a user can prove within a session who they are. */
export type StepUpMethod = 'password' | 'email_code' | SecondFactor;

/** Whether a proof is one of a second factor, beside what a login begins with. */
export function isSecondFactor(method: StepUpMethod): method is SecondFactor {
  return SECOND_FACTORS.some((factor) => factor === method);
}

/** The factors of an account as they are now. */
export interface Factors {
  /** When the authenticator app was added; null when there is none. */
  totpCreatedAt: Date | null;
  passkeys: number;
  recoveryCodesLeft: number;
  /** When the user said that they keep the recovery codes; null when they have not, and where there are none. */
  recoveryCodesKeptAt: Date | null;
  /**
   * Whether an organization of the user, a role there, or their own role asks for a factor. So does an organization that the
   * password does not open: a thief of it could log in for another one, and add a way in of their own. One that has suspended
   * the user counts: the thief could do so meanwhile, and enter when it lets the user in again.
   */
  isRequired: boolean;
  /** Whether each organization of the user does, one of which has not suspended them; or their own role. */
  isRequiredEverywhere: boolean;
}

/**
 * Whether a login takes a second step, and whether the user may turn it off. A passkey alone does not turn it on: it is
 * a whole login by itself, and its owner still has the password where the device is missing.
 *
 * Where a factor is there, one organization that asks is enough: a thief with the password would otherwise log in for
 * another one, add a factor of their own, and enter. Without a factor all have to ask: one organization must not lock its
 * members out of the others.
 */
export function secondStepOf(factors: Factors): 'off' | 'on' | 'required' {
  const { totpCreatedAt, isRequired, isRequiredEverywhere } = factors;
  if (isRequiredEverywhere || (isRequired && hasFactor(factors))) return 'required';
  return totpCreatedAt === null ? 'off' : 'on';
}

export function hasSecondStep(factors: Factors): boolean {
  return secondStepOf(factors) !== 'off';
}

/** Whether there is a factor. A recovery code stands in for one, and is none by itself. */
export function hasFactor({ totpCreatedAt, passkeys }: Factors): boolean {
  return totpCreatedAt !== null || passkeys > 0;
}

/** What a user can take the second step with. */
export function usableFactors({ totpCreatedAt, passkeys, recoveryCodesLeft }: Factors): SecondFactor[] {
  const usable: SecondFactor[] = [];
  if (totpCreatedAt !== null) usable.push('totp');
  if (passkeys > 0) usable.push('passkey');
  if (recoveryCodesLeft > 0) usable.push('recovery_code');
  return usable;
}
