/** Why a login through an identity provider failed, as the SPA's login page learns it. */
export type FailureReason =
  | 'access_denied'
  | 'invalid_state'
  | 'email_not_verified'
  | 'invitation_required'
  | 'invitation_invalid'
  | 'invitation_conflict'
  | 'invitation_login_first'
  | 'account_disabled'
  | 'account_conflict'
  | 'too_many_requests'
  | 'provider_error';

/** Ends a login through an identity provider; the browser is sent to the login page with the reason. */
export class LoginFailure extends Error {
  constructor(
    readonly reason: FailureReason,
    cause?: unknown,
  ) {
    super(`login through the identity provider: ${reason}`, { cause });
  }
}
