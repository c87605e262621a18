import type { Reason } from '../validation/reasons.js';
import { type FieldError, fieldError, Problem } from './problem.js';

/** Fields that one answer names at most. */
const MAX_FIELD_ERRORS = 10;

/** Seconds after which a client may try again when a dependency was down. */
const RETRY_AFTER = { 'retry-after': '5' };

// Every error a client can get, in one list. A class name is a `code` on which clients branch: it never changes its
// meaning.

export class BadRequest extends Problem {
  /** Closes the connection: where one request is malformed, nobody knows where the next begins (RFC 9112 §6.3). */
  constructor() {
    super(400, 'The request is malformed.', { headers: { connection: 'close' } });
  }
}

export class MalformedBody extends Problem {
  constructor() {
    super(400, 'The body is not valid JSON in UTF-8.');
  }
}

export class ValidationFailed extends Problem {
  static readonly example = new ValidationFailed([fieldError('email', { code: 'not_an_address' })]);

  constructor(errors: FieldError[]) {
    super(400, 'Some fields are not valid.', { members: { errors: errors.slice(0, MAX_FIELD_ERRORS) } });
  }
}

export class WeakPassword extends Problem {
  static readonly example = new WeakPassword('password', [{ code: 'too_common' }]);

  constructor(field: string, reasons: Reason[]) {
    const errors = [fieldError(field, ...reasons)];
    super(400, 'Choose a password that is harder to guess.', { members: { errors } });
  }
}

export class OrgRequired extends Problem {
  constructor() {
    super(400, 'Name the organization that this is for.');
  }
}

export class IncorrectPassword extends Problem {
  constructor() {
    super(400, 'The current password is not correct.');
  }
}

export class PasswordRequired extends Problem {
  constructor() {
    super(400, 'Enter the password of this signup, or choose a new one.');
  }
}

export class InvalidToken extends Problem {
  constructor() {
    super(400, 'This link is no longer valid. Ask for a new one.');
  }
}

export class InvalidPasskey extends Problem {
  /** `isOldCount`: it signed less often than it should have, so there is a copy of it. */
  constructor(readonly isOldCount = false) {
    super(400, 'The passkey was not accepted. If it took more than some minutes, just try again.');
  }
}

export class UnknownPasskey extends Problem {
  constructor() {
    super(
      400,
      'This passkey no longer opens an account. Remove it from your device, and log in another way.',
    );
  }
}

export class InvalidCode extends Problem {
  constructor() {
    super(400, 'This code is not correct, or was used before.');
  }
}

export class UnknownPrice extends Problem {
  constructor() {
    super(400, 'This price is not on sale.');
  }
}

export class UnknownAudience extends Problem {
  constructor() {
    super(400, 'There is no back end of this name.');
  }
}

export class InvalidSignature extends Problem {
  constructor() {
    super(400, 'The signature does not match the body, or is too old.');
  }
}

export class Unauthenticated extends Problem {
  constructor(detail = 'Log in first.', headers: Record<string, string> = {}) {
    super(401, detail, { headers });
  }
}

export class SessionRenewed extends Problem {
  constructor() {
    super(401, 'The session got a fresh cookie while this request was under way. Send it again.');
  }
}

export class InvalidCredentials extends Problem {
  constructor() {
    super(401, 'The email address or the password is not correct.');
  }
}

export class SubscriptionRequired extends Problem {
  constructor() {
    super(402, 'This needs a subscription.');
  }
}

export class EmailNotVerified extends Problem {
  /** `isGuess`: the password may have been a guess at that of an account, and counts as a wrong one. */
  constructor(readonly isGuess = false) {
    super(403, 'Confirm your email address before you log in.');
  }
}

export class AccountDisabled extends Problem {
  constructor() {
    super(403, 'This account is disabled.');
  }
}

export class InsufficientRole extends Problem {
  constructor(detail = 'Your role does not allow this.') {
    super(403, detail);
  }
}

export class TwoCredentials extends Problem {
  constructor() {
    super(400, 'Send a key or the cookie of a session, but not both.');
  }
}

export class TooManyKeys extends Problem {
  constructor() {
    super(409, 'There are 50 keys already. End one that is not needed.');
  }
}

export class KeyNameTaken extends Problem {
  constructor() {
    super(409, 'Another key has this name.');
  }
}

export class TwoSecretsLive extends Problem {
  constructor() {
    super(409, 'This key has two secrets already. First end one of them.');
  }
}

export class LastSecret extends Problem {
  constructor() {
    super(409, 'This is the only secret of the key. End the key, or first make another secret.');
  }
}

export class InsufficientPermission extends Problem {
  static readonly example = new InsufficientPermission('notes.write');

  constructor(permission: string) {
    super(403, 'You are not allowed to do this.', { members: { permission } });
  }
}

export class NotAMember extends Problem {
  constructor() {
    super(403, 'This is only for members of the organization, and you are not one of them.');
  }
}

/** Said to the member alone: to everybody else the organization is one that does not exist. */
export class MembershipSuspended extends Problem {
  constructor() {
    super(403, 'Your membership of this organization is suspended.');
  }
}

export class NotWhileActing extends Problem {
  constructor(detail = 'You are acting for this user, and only the user can do this.') {
    super(403, detail);
  }
}

export class StepUpRequired extends Problem {
  static readonly example = new StepUpRequired(['password']);

  /**
   * `methods`: how the user can prove who they are in this session; with none, they log in again. `entry`: the organization
   * that asks for the proof, and what the session lacks.
   */
  constructor(methods: string[], entry?: { org_id: string; unmet: readonly string[] }) {
    const why = entry
      ? 'Prove again that it is you: your organization asks for more than this session has.'
      : 'Prove again that it is you: you last did so more than ten minutes ago, or without your second factor.';
    super(403, why, { members: { methods, ...entry } });
  }
}

/** What a user can do about the policy of an organization that no proof in the session meets. */
const CURES = {
  set_up_factor: 'Your organization asks for a second factor, and your account has none. Set one up first.',
  log_in: 'Log in again, in a way that your organization accepts.',
  none: 'Your organization lets in no requests from this network.',
};

export class OrgPolicyUnmet extends Problem {
  static readonly example = new OrgPolicyUnmet(
    '018f3c1e-7a7b-7c2d-9a36-4b1f0c7d2e11',
    ['second_factor'],
    'set_up_factor',
  );

  /** `unmet`: what the organization asks for, and no proof in this session can give. `cure`: what the user can do. */
  constructor(orgId: string, unmet: readonly string[], cure: keyof typeof CURES) {
    super(403, CURES[cure], { members: { org_id: orgId, unmet, cure } });
  }
}

export class InvitationEmailMismatch extends Problem {
  constructor() {
    super(403, 'This invitation is for another address, not that of the account you are logged in to.');
  }
}

export class WrongAccount extends Problem {
  constructor() {
    super(403, 'This link is for another account than the one you are logged in to.');
  }
}

export class OriginNotAllowed extends Problem {
  constructor() {
    super(403, 'Pages of this origin may not call this service.');
  }
}

export class NotFound extends Problem {
  constructor() {
    super(404, 'Not found.');
  }
}

export class MethodNotAllowed extends Problem {
  constructor(allowed: string) {
    super(405, 'This method is not allowed here.', { headers: { allow: allowed } });
  }
}

export class RequestTimeout extends Problem {
  constructor() {
    super(408, 'The request took too long to arrive.');
  }
}

export class LastOrgAdmin extends Problem {
  static readonly example = new LastOrgAdmin();

  /** `orgIds`: which organizations, where the user belongs to several. */
  constructor(orgIds?: string[]) {
    super(409, 'The organization would be left without an admin. Appoint another one first.', {
      ...(orgIds && { members: { org_ids: orgIds } }),
    });
  }
}

export class LastSystemAdmin extends Problem {
  constructor() {
    super(409, 'The service would be left without a system admin. Appoint another one first.');
  }
}

export class AlreadyMember extends Problem {
  constructor() {
    super(409, 'This address belongs to a member of the organization.');
  }
}

export class InvitationDeclined extends Problem {
  constructor() {
    super(409, 'This address declined an invitation of the organization within the last 30 days.');
  }
}

export class AlreadyInOrganization extends Problem {
  constructor() {
    super(409, 'This account belongs to an organization already. To join another one, leave that one first.');
  }
}

export class TooManyOrganizations extends Problem {
  constructor() {
    super(409, 'This account belongs to as many organizations as it can. Leave one first.');
  }
}

export class LastLoginMethod extends Problem {
  constructor() {
    super(409, 'This is the last way to log in to the account. Add another one first.');
  }
}

export class PasskeyAlreadyRegistered extends Problem {
  constructor() {
    super(409, 'This passkey is registered already.');
  }
}

export class TooManyPasskeys extends Problem {
  constructor() {
    super(409, 'An account has 20 passkeys at most. Delete one that you no longer use.');
  }
}

export class TooManyRoles extends Problem {
  constructor() {
    super(409, 'An organization has 20 roles of its own at most. Remove one that you no longer use.');
  }
}

export class RoleNameTaken extends Problem {
  constructor() {
    super(409, 'Another role of the organization has this name.');
  }
}

export class RoleInUse extends Problem {
  static readonly example = new RoleInUse({ members: 2, invitations: 1 });

  constructor(use: { members: number; invitations: number }) {
    super(409, 'Members or open invitations have this role. Give them another one first.', {
      members: { ...use },
    });
  }
}

export class TotpAlreadyOn extends Problem {
  constructor() {
    super(409, 'This account has a second factor already.');
  }
}

export class NotActing extends Problem {
  constructor() {
    super(409, 'You are not acting for anyone.');
  }
}

export class OrgRefusesActing extends Problem {
  constructor() {
    super(409, 'This organization does not let anyone act for its members.');
  }
}

export class NoSecondFactor extends Problem {
  constructor(detail = 'There is no second factor for this account.') {
    super(409, detail);
  }
}

export class PolicyExcludesYou extends Problem {
  static readonly example = new PolicyExcludesYou(['networks']);

  /** `unmet`: what the policy asks for, and the session or the network of its admin lacks. */
  constructor(unmet: readonly string[]) {
    super(409, 'This policy would lock you out first.', { members: { unmet } });
  }
}

export class AddressesUnknown extends Problem {
  constructor() {
    super(
      409,
      'The service does not know where its clients are: an operator has to set SVC_TRUSTED_PROXIES.',
    );
  }
}

export class LastSecondFactor extends Problem {
  constructor() {
    super(409, 'This account must have a second factor, and this is the last one. Add another one first.');
  }
}

export class AddressChangedRecently extends Problem {
  constructor() {
    super(409, 'The address of this account was changed less than three days ago. Delete the account later.');
  }
}

export class AddressTaken extends Problem {
  constructor() {
    super(409, 'Another account has this address.');
  }
}

export class AddressHeld extends Problem {
  constructor() {
    super(
      409,
      'Another account had this address until lately. For three days after the change its owner can bring it back.',
    );
  }
}

export class AddressHasAccount extends Problem {
  constructor() {
    super(
      409,
      'The address cannot be brought back: another account has it by now. Delete that account, then use this link again.',
    );
  }
}

export class AlreadySubscribed extends Problem {
  constructor() {
    super(409, 'There is a subscription already. It can be changed in the billing portal.');
  }
}

export class CurrencyMismatch extends Problem {
  static readonly example = new CurrencyMismatch('eur');

  /** `currency`: that of the earlier payments, as ISO 4217 has it, in small letters as Stripe writes it. */
  constructor(currency: string) {
    super(409, 'This price is in another currency than the earlier payments. Choose one in that currency.', {
      members: { currency },
    });
  }
}

export class BillingModeMismatch extends Problem {
  constructor() {
    super(
      409,
      'The payment account of this service is another one than before. Only its operator can change that.',
    );
  }
}

export class PaymentProviderRefusal extends Problem {
  constructor() {
    super(409, 'The payment provider refuses this. The operator of the service finds the reason in its log.');
  }
}

export class NoSubscription extends Problem {
  constructor() {
    super(409, 'There is no subscription yet.');
  }
}

export class SubscriptionActive extends Problem {
  constructor() {
    super(409, 'A subscription is running. Cancel it first.');
  }
}

export class NotDead extends Problem {
  constructor() {
    super(409, 'This mail is not a dead letter.');
  }
}

export class PayloadTooLarge extends Problem {
  constructor() {
    super(413, 'The body is too large.');
  }
}

export class UriTooLong extends Problem {
  constructor() {
    super(414, 'The address is too long.');
  }
}

export class UnsupportedMediaType extends Problem {
  constructor() {
    super(415, 'Send the body as application/json.');
  }
}

export class ExpectationFailed extends Problem {
  constructor() {
    super(417, 'This service does not meet the expectation of the request.');
  }
}

export class HeadersTooLarge extends Problem {
  constructor() {
    super(431, 'The headers are too large.');
  }
}

export class TooManyRequests extends Problem {
  static readonly example = new TooManyRequests(60);

  constructor(retryAfterSeconds: number, headers: Record<string, string> = {}, limit?: string) {
    super(429, 'Too many requests. Try again later.', {
      limit,
      headers: { ...headers, 'retry-after': String(retryAfterSeconds) },
    });
  }
}

export class TooManyAttempts extends Problem {
  static readonly example = new TooManyAttempts(60);

  constructor(retryAfterSeconds: number, headers: Record<string, string> = {}, limit?: string) {
    super(
      429,
      'Too many wrong attempts. Try again later. If it is the password that you do not know, set a new one by mail.',
      {
        limit,
        headers: { ...headers, 'retry-after': String(retryAfterSeconds) },
      },
    );
  }
}

export class InternalError extends Problem {
  constructor() {
    super(500, 'Something went wrong on our side.');
  }
}

export class PaymentProviderError extends Problem {
  constructor() {
    super(
      502,
      'The payment provider did not do what it was asked. Nothing was changed; try again in a moment.',
      { headers: RETRY_AFTER },
    );
  }
}

export class AiProviderError extends Problem {
  constructor() {
    super(502, 'The summary could not be written. Try again in a moment.', { headers: RETRY_AFTER });
  }
}

export class CodesUnavailable extends Problem {
  constructor() {
    super(
      503,
      'The service cannot check codes of this app until its operator corrects the settings. A recovery code or a passkey works.',
      { headers: RETRY_AFTER },
    );
  }
}

export class ServiceUnavailable extends Problem {
  constructor(members: Record<string, unknown> = {}, isExpected = false) {
    super(503, 'The service cannot answer right now. Try again in a moment.', {
      members,
      headers: RETRY_AFTER,
      isExpected,
    });
  }
}
