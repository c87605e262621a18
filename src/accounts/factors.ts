/** What proves who a user is beside the password. */
export const SECOND_FACTORS = ['totp', 'passkey', 'recovery_code'] as const;

export type SecondFactor = (typeof SECOND_FACTORS)[number];

/** The factors of an account as they are now. */
export interface Factors {
  /** When the authenticator app was added; null when there is none. */
  totpCreatedAt: Date | null;
  passkeys: number;
  recoveryCodesLeft: number;
  /** When the user said that they keep the recovery codes; null when they have not, and where there are none. */
  recoveryCodesKeptAt: Date | null;
  /** Whether the role of the user, or their organization, asks for a factor. */
  isRequired: boolean;
}

/**
 * Whether a login takes a second step, and whether the user may turn it off. A passkey alone does not turn it on: it is
 * a whole login by itself, and its owner still has the password where the device is missing.
 */
export function secondStepOf({ totpCreatedAt, isRequired }: Factors): 'off' | 'on' | 'required' {
  if (isRequired) return 'required';
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
