// Written by npm run contract from what the routes say of themselves.

/** Method and path of each operation that the client has by itself. */
export const ROUTES = {
  /** What the caller did and what was done to their account, newest first; in other scopes, to others as well. */
  listAuditEvents: 'GET /audit-events',
  /** Signs up; the account is made once the link in the mail is opened. */
  signup: 'POST /auth/signup',
  /** Signs up with an organization; both are made once the link in the mail is opened. */
  signupOrg: 'POST /auth/signup-org',
  /** Makes the account of a signup with the mailed token, or its code, and logs in; another browser than the one that signed up also states the password, or a new one. */
  verifyEmail: 'POST /auth/verify-email',
  /** Mails another link to confirm an address, where there is a signup that waits for it. */
  resendVerification: 'POST /auth/verify-email/resend',
  /** Gives an account back to the reader of its mail: every session ends, and a mail asks for a new password. Ends a signup. */
  secureAccount: 'POST /auth/secure-account',
  /** Starts a session and sets its cookie; where the account takes a second step, a pending login with a cookie of its own. */
  login: 'POST /auth/login',
  /** Ends the session and the login that lacks its second step, and clears their cookies. */
  logout: 'POST /auth/logout',
  /** The user who is logged in, the session, and the organizations they belong to. */
  me: 'GET /users/me',
  /** Changes the name, the language and the time zone of mails. */
  updateMe: 'PATCH /users/me',
  /** Deletes the account; one that has a password asks for it. */
  deleteMe: 'DELETE /users/me',
  /** Mails a link to a new address; the account moves there once its owner confirms it. */
  changeEmail: 'POST /users/me/email',
  /** The new addresses that the caller asked for and has not confirmed yet. */
  listEmailChanges: 'GET /users/me/email',
  /** Voids the links to new addresses that were not opened yet. */
  cancelEmailChange: 'DELETE /users/me/email',
  /** Moves the account to the address that the token, or the code, was mailed to. */
  confirmEmail: 'POST /users/me/email/confirm',
  /** Mails a link to set a new password, where there is an account. */
  forgotPassword: 'POST /password/forgot',
  /** Whose password the token of a mailed link, or its code, sets. Uses nothing up. */
  previewReset: 'POST /password/reset/preview',
  /** Sets a new password with the token of a mailed link, or its code, and ends every session. */
  resetPassword: 'POST /password/reset',
  /** Changes the password, or sets the first one; the session goes on with a fresh cookie, the others end. */
  updatePassword: 'POST /password/update',
  /** Takes the password away from an account that has another way to log in; the other sessions end. */
  removePassword: 'DELETE /password',
  /** What a login page offers: the ways to log in, whether a person may sign up, and the languages of pages and mails, the default first. */
  methods: 'GET /auth/methods',
  /** Where the browser goes to log in through an identity provider. With a session the provider asks the user again; with one whose proof is recent the login also links an identity that was unlinked from that account. */
  authorizeUrl: 'GET /auth/oauth/{provider}/authorize-url',
  /** The accounts at the identity provider that the caller can log in with, newest first. */
  listIdentities: 'GET /users/me/identities',
  /** Where the browser goes to link an account at an identity provider to that of the caller, under whatever address. */
  linkIdentity: 'POST /users/me/identities/{provider}/authorize-url',
  /** Unlinks an account at the identity provider, which is refused until the user links it on purpose; ends the other sessions that logins through a provider began. */
  unlinkIdentity: 'DELETE /users/me/identities/{id}',
  /** Mails a code to log in with in this browser, where there is an account. */
  beginEmailCodeLogin: 'POST /auth/email-code',
  /** Logs in with a mailed code, in the browser that asked for it. */
  emailCodeLogin: 'POST /auth/email-code/login',
  /** What the browser asks a passkey with: PublicKeyCredentialRequestOptionsJSON. */
  beginPasskeyLogin: 'POST /auth/passkey/options',
  /** Logs in with a passkey; with `second_step` it also links what the login that waits in the browser links. */
  passkeyLogin: 'POST /auth/passkey/login',
  /** The passkeys that the caller can log in with, newest first: 20 at most. */
  listPasskeys: 'GET /users/me/passkeys',
  /** Registers the passkey that the browser has made, and tells the owner. */
  registerPasskey: 'POST /users/me/passkeys',
  /** What the browser makes a passkey with: PublicKeyCredentialCreationOptionsJSON. */
  beginPasskey: 'POST /users/me/passkeys/options',
  /** Gives a passkey another name. */
  renamePasskey: 'PATCH /users/me/passkeys/{id}',
  /** Removes a passkey, tells the owner, and ends the other sessions that a passkey began or raised. */
  removePasskey: 'DELETE /users/me/passkeys/{id}',
  /** The login of this browser that lacks its second step. */
  getPendingLogin: 'GET /auth/pending-login',
  /** Gives up the login of this browser that lacks its second step, and clears its cookie. */
  cancelLogin: 'DELETE /auth/pending-login',
  /** Takes the second step with exactly one code; starts a session and sets its cookie. */
  completeLogin: 'POST /auth/pending-login/second-factor',
  /** A secret for an authenticator app, for a user who must have a factor and has none. */
  beginLoginTotp: 'POST /auth/pending-login/totp',
  /** Adds the authenticator app that shows the code; starts a session and sets its cookie. */
  confirmLoginTotp: 'POST /auth/pending-login/totp/confirm',
  /** The second factors of the caller, and whether a login takes a second step. */
  getFactors: 'GET /users/me/factors',
  /** A secret for an authenticator app, which is no factor until one of its codes confirms it. */
  beginTotp: 'POST /users/me/totp',
  /** Removes the authenticator app, without another factor the recovery codes too, tells the owner, and ends the other sessions that the app raised. */
  removeTotp: 'DELETE /users/me/totp',
  /** Adds the authenticator app that shows the code; the session goes on with a fresh cookie, the others end. */
  confirmTotp: 'POST /users/me/totp/confirm',
  /** Makes ten new recovery codes; the old ones no longer work, and the other sessions end that one raised. */
  renewRecoveryCodes: 'POST /users/me/recovery-codes',
  /** Notes that the caller keeps the recovery codes somewhere; until then the factors say that they do not. */
  keepRecoveryCodes: 'POST /users/me/recovery-codes/kept',
  /** What the browser asks one of the user's passkeys with: PublicKeyCredentialRequestOptionsJSON. */
  beginStepUp: 'POST /auth/step-up/options',
  /** Proves again who the user is, by exactly one way; the session goes on with a fresh cookie. */
  stepUp: 'POST /auth/step-up',
  /** The active sessions of the caller, newest first. */
  listSessions: 'GET /sessions',
  /** Ends all sessions of the caller but this one. */
  endOtherSessions: 'DELETE /sessions',
  /** Ends a session of the caller. */
  endSession: 'DELETE /sessions/{id}',
  /** An organization. */
  getOrg: 'GET /orgs/{org_id}',
  /** Founds an organization, whose ORG_ADMIN the caller becomes. */
  foundOrg: 'POST /users/me/org',
  /** The members of an organization, newest first if not sorted otherwise. The first page says how many there are, up to 1,000. */
  listMembers: 'GET /orgs/{org_id}/members',
  /** Takes a member out of the organization. Members may leave; it ends when the last one leaves. That, and taking an ORG_ADMIN out, asks for a recent proof. */
  removeMember: 'DELETE /orgs/{org_id}/members/{user_id}',
  /** What an invitation offers, and whether its address has an account. */
  previewInvitation: 'POST /invitations/preview',
  /** Joins the organization, with a new account or with the account that is logged in. */
  acceptInvitation: 'POST /invitations/accept',
  /** Turns an invitation down. */
  declineInvitation: 'POST /invitations/decline',
  /** Where to pay: a page of Stripe, for a price. */
  checkout: 'POST /subscription/checkout',
  /** What is on sale, and what the organization, or for none the caller, would pay: for the prices of the settings, or for one. */
  listPrices: 'GET /subscription/prices',
  /** Where to change or cancel the subscription: a page of Stripe, of an organization for its admins. */
  openPortal: 'POST /subscription/portal',
  /** The subscription of the organization, or for none of the caller. */
  getSubscription: 'GET /subscription',
  /** Says what the user may do in the organization of the request. */
  access: 'GET /access',
  /** What was recorded lately of the caller, or in the organization of an ORG_ADMIN, in plain words. */
  summarizeActivity: 'POST /ai/activity-summary',
  /** Signs who calls, for a back end on another host. */
  issueToken: 'POST /sessions/token',
} as const;

/** Those of admins, which the client has with the part for them. */
export const ADMIN_ROUTES = {
  /** The mails that wait, and what became of the others, newest first. */
  listMails: 'GET /mails',
  /** How many mails are in each state: up to 10,000, which means that many or more; and which providers send them. */
  getMailStates: 'GET /mails/states',
  /** Puts all dead letters back among the mails that wait. */
  retryDeadMails: 'POST /mails/retry-dead',
  /** Puts a dead letter back among the mails that wait. */
  retryMail: 'POST /mails/{id}/retry',
  /** The kinds of mails, and the languages they are written in, the default first. */
  listMailKinds: 'GET /mails/kinds',
  /** A mail of a kind in a language, with sample names, and links that open nothing. */
  previewMail: 'GET /mails/preview',
  /** Mails a preview to the address of the caller, with a subject that says it is a test. */
  testMail: 'POST /mails/test',
  /** How many events of a user there were on each of the last 30 days in UTC, up to 100 on a day; today so far is the last. */
  listAuditDays: 'GET /audit-events/days',
  /** Makes an account for an address, and mails it a link to choose a password; asks for a recent proof. */
  createUser: 'POST /users',
  /** All users, newest first if not sorted otherwise. The first page says how many there are, up to 1,000. */
  listUsers: 'GET /users',
  /** Corrects an address that was never confirmed, or mails a link to the new one, which moves the account once its user opens it; asks for a recent proof. */
  changeUserEmail: 'POST /users/{id}/email',
  /** The accounts at identity providers that a user can log in with. */
  listUserIdentities: 'GET /users/{id}/identities',
  /** Deletes the account of another user, and each organization whose only member they are, and mails the owner; asks for a recent proof. */
  deleteUser: 'DELETE /users/{id}',
  /** A user, such as one whom an audit event names. */
  getUser: 'GET /users/{id}',
  /** Changes the name or the role of a user, or disables them, which ends their sessions; asks for a recent proof. */
  updateUser: 'PATCH /users/{id}',
  /** Removes all second factors of a user who has lost them, ends their sessions, and tells the owner; asks for a recent proof. */
  resetUserFactors: 'DELETE /users/{id}/factors',
  /** The active sessions of a user, newest first. */
  listUserSessions: 'GET /users/{id}/sessions',
  /** Ends all sessions of a user; of the caller all but this one. */
  endUserSessions: 'DELETE /users/{id}/sessions',
  /** Ends a session of a user. */
  endUserSession: 'DELETE /users/{id}/sessions/{session_id}',
  /** Makes an organization and invites its admin, which asks for a recent proof. */
  createOrg: 'POST /orgs',
  /** All organizations, newest first if not sorted otherwise. The first page says how many there are, up to 1,000. */
  listOrgs: 'GET /orgs',
  /** Renames an organization, or sets whether its members must have a second factor. */
  updateOrg: 'PATCH /orgs/{org_id}',
  /** Dissolves an organization, which asks for a recent proof; its members keep their accounts. */
  deleteOrg: 'DELETE /orgs/{org_id}',
  /** What an organization asks of the sessions that enter it. */
  getOrgPolicy: 'GET /orgs/{org_id}/policy',
  /** Changes what an organization asks of the sessions that enter it, which asks for a recent proof. */
  updateOrgPolicy: 'PATCH /orgs/{org_id}/policy',
  /** Gives a member another role, suspends them or lets them in again. Where it makes or is about an ORG_ADMIN, it asks for a recent proof. */
  updateMember: 'PATCH /orgs/{org_id}/members/{user_id}',
  /** Removes all second factors of a member who has lost them, ends their sessions, and tells the owner: 204. Where users can belong to several organizations, it asks the SYSTEM_ADMINs to do so: 202. Asks for a recent proof. */
  resetMemberFactors: 'DELETE /orgs/{org_id}/members/{user_id}/factors',
  /** Mails an invitation, in place of the one the address still has open; that of an ORG_ADMIN asks for a recent proof. */
  invite: 'POST /orgs/{org_id}/invitations',
  /** The invitations of an organization, newest first. */
  listInvitations: 'GET /orgs/{org_id}/invitations',
  /** Mails invitations to up to 100 addresses, each within the limits of a single one, and says of each what became of it. */
  inviteMany: 'POST /orgs/{org_id}/invitations/many',
  /** Takes an open invitation back. */
  revokeInvitation: 'DELETE /orgs/{org_id}/invitations/{id}',
  /** Mails an open invitation again with a fresh link, and the earlier link dies; that of an ORG_ADMIN asks for a recent proof. */
  resendInvitation: 'POST /orgs/{org_id}/invitations/{id}/resend',
  /** The customers at Stripe, and their subscriptions as last read, newest first; and in which mode Stripe is used. */
  listCustomers: 'GET /subscription/customers',
  /** Reads a customer from Stripe now, and corrects seats and address there. */
  reconcileCustomer: 'POST /subscription/customers/{id}/reconcile',
  /** How the service stands, and its settings; of secrets only fingerprints. */
  getSystem: 'GET /system',
  /** How many users there are and were active, and what happened on each of thirty days. */
  getFigures: 'GET /system/figures',
  /** Does what the scheduler has /cron do. */
  runCron: 'POST /system/cron',
} as const;

export interface paths {
    "/mails": {
        /**
         * The mails that wait, and what became of the others, newest first.
         * @description For the role `sys_admin` and those above it.
         */
        get: {
            parameters: {
                query?: {
                    state?: "waiting" | "sent" | "expired" | "dead";
                    to?: string;
                    search?: string;
                    limit?: number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": {
                            data: components["schemas"]["Mail"][];
                            next_cursor: string | null;
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InsufficientRole" | "InternalError" | "ServiceUnavailable" | "SessionRenewed" | "Unauthenticated" | "ValidationFailed";
                        };
                    };
                };
            };
        };
    };
    "/mails/states": {
        /**
         * How many mails are in each state: up to 10,000, which means that many or more; and which providers send them.
         * @description For the role `sys_admin` and those above it.
         */
        get: {
            responses: {
                200: {
                    content: {
                        "application/json": {
                            provider: string;
                            fallback: string | null;
                            key_refused: boolean;
                            states: {
                                waiting: number;
                                sent: number;
                                expired: number;
                                dead: number;
                            };
                            /** Format: date-time */
                            oldest_waiting_at: string | null;
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InsufficientRole" | "InternalError" | "ServiceUnavailable" | "SessionRenewed" | "Unauthenticated";
                        };
                    };
                };
            };
        };
    };
    "/mails/retry-dead": {
        /**
         * Puts all dead letters back among the mails that wait.
         * @description For the role `sys_admin` and those above it.
         */
        post: {
            responses: {
                200: {
                    content: {
                        "application/json": {
                            revived: number;
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InsufficientRole" | "InternalError" | "MalformedBody" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "SessionRenewed" | "TooManyRequests" | "Unauthenticated" | "UnsupportedMediaType";
                        };
                    };
                };
            };
        };
    };
    "/mails/{id}/retry": {
        /**
         * Puts a dead letter back among the mails that wait.
         * @description For the role `sys_admin` and those above it.
         */
        post: {
            parameters: {
                path: {
                    id: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": {
                            mail: components["schemas"]["Mail"];
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InsufficientRole" | "InternalError" | "MalformedBody" | "NotDead" | "NotFound" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "SessionRenewed" | "TooManyRequests" | "Unauthenticated" | "UnsupportedMediaType" | "ValidationFailed";
                        };
                    };
                };
            };
        };
    };
    "/mails/kinds": {
        /**
         * The kinds of mails, and the languages they are written in, the default first.
         * @description For the role `sys_admin` and those above it.
         */
        get: {
            responses: {
                200: {
                    content: {
                        "application/json": {
                            kinds: ("verification" | "already-registered" | "password-reset" | "login-code" | "step-up-code" | "password-changed" | "password-removed" | "acted-for-you" | "password-known" | "proofs-wrong" | "login-limited" | "new-login" | "new-logins" | "login-pending" | "email-change" | "email-change-asked" | "email-change-by-admin" | "email-changed" | "email-change-undone" | "address-taken" | "address-held" | "address-corrected" | "identity-linked" | "identity-unlinked" | "passkey-added" | "passkey-removed" | "second-step-on" | "second-step-off" | "recovery-code-used" | "recovery-codes-made" | "factors-reset" | "factors-reset-asked" | "factors-reset-requested" | "language-changed" | "invitation" | "member-joined" | "member-left" | "member-removed" | "member-suspended" | "member-resumed" | "policy-changed" | "payment-failed" | "org-founded" | "role-lowered" | "role-raised" | "role-changed-by-secured" | "admin-appointed" | "admin-added" | "admin-secured" | "account-made" | "account-secured" | "account-exported" | "account-deleted" | "account-deleted-by-admin" | "test")[];
                            languages: string[];
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InsufficientRole" | "InternalError" | "ServiceUnavailable" | "SessionRenewed" | "Unauthenticated";
                        };
                    };
                };
            };
        };
    };
    "/mails/preview": {
        /**
         * A mail of a kind in a language, with sample names, and links that open nothing.
         * @description For the role `sys_admin` and those above it.
         */
        get: {
            parameters: {
                query: {
                    kind: "verification" | "already-registered" | "password-reset" | "login-code" | "step-up-code" | "password-changed" | "password-removed" | "acted-for-you" | "password-known" | "proofs-wrong" | "login-limited" | "new-login" | "new-logins" | "login-pending" | "email-change" | "email-change-asked" | "email-change-by-admin" | "email-changed" | "email-change-undone" | "address-taken" | "address-held" | "address-corrected" | "identity-linked" | "identity-unlinked" | "passkey-added" | "passkey-removed" | "second-step-on" | "second-step-off" | "recovery-code-used" | "recovery-codes-made" | "factors-reset" | "factors-reset-asked" | "factors-reset-requested" | "language-changed" | "invitation" | "member-joined" | "member-left" | "member-removed" | "member-suspended" | "member-resumed" | "policy-changed" | "payment-failed" | "org-founded" | "role-lowered" | "role-raised" | "role-changed-by-secured" | "admin-appointed" | "admin-added" | "admin-secured" | "account-made" | "account-secured" | "account-exported" | "account-deleted" | "account-deleted-by-admin" | "test";
                    language: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": {
                            preview: components["schemas"]["MailPreview"];
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InsufficientRole" | "InternalError" | "ServiceUnavailable" | "SessionRenewed" | "Unauthenticated" | "ValidationFailed";
                        };
                    };
                };
            };
        };
    };
    "/mails/test": {
        /**
         * Mails a preview to the address of the caller, with a subject that says it is a test.
         * @description For the role `sys_admin` and those above it.
         */
        post: {
            requestBody: {
                content: {
                    "application/json": {
                        kind: "verification" | "already-registered" | "password-reset" | "login-code" | "step-up-code" | "password-changed" | "password-removed" | "acted-for-you" | "password-known" | "proofs-wrong" | "login-limited" | "new-login" | "new-logins" | "login-pending" | "email-change" | "email-change-asked" | "email-change-by-admin" | "email-changed" | "email-change-undone" | "address-taken" | "address-held" | "address-corrected" | "identity-linked" | "identity-unlinked" | "passkey-added" | "passkey-removed" | "second-step-on" | "second-step-off" | "recovery-code-used" | "recovery-codes-made" | "factors-reset" | "factors-reset-asked" | "factors-reset-requested" | "language-changed" | "invitation" | "member-joined" | "member-left" | "member-removed" | "member-suspended" | "member-resumed" | "policy-changed" | "payment-failed" | "org-founded" | "role-lowered" | "role-raised" | "role-changed-by-secured" | "admin-appointed" | "admin-added" | "admin-secured" | "account-made" | "account-secured" | "account-exported" | "account-deleted" | "account-deleted-by-admin" | "test";
                        /** @example de-CH */
                        language: string;
                    };
                };
            };
            responses: {
                202: {
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InsufficientRole" | "InternalError" | "MalformedBody" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "SessionRenewed" | "TooManyRequests" | "Unauthenticated" | "UnsupportedMediaType" | "ValidationFailed";
                        };
                    };
                };
            };
        };
    };
    "/audit-events": {
        /** What the caller did and what was done to their account, newest first; in other scopes, to others as well. */
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    cursor?: string;
                    scope?: "me" | "org" | "all";
                    search?: string;
                    user_id?: string;
                    org_id?: string;
                    type?: "account.created" | "account.deleted" | "account.disabled" | "account.enabled" | "account.exported" | "account.secured" | "account.updated" | "access.refused" | "acting.ended" | "acting.started" | "checkout.started" | "cron.ran" | "custom_role.changed" | "custom_role.made" | "custom_role.removed" | "delivery.forgotten" | "delivery.replayed" | "delivery.retried" | "dunning.mailed" | "email.change_canceled" | "email.change_requested" | "email.changed" | "email.verified" | "email_code.requested" | "factors.reset" | "factors.reset_requested" | "identity.linked" | "identity.unlinked" | "invitation.declined" | "invitation.revoked" | "invitation.sent" | "key.ended" | "key.made" | "key.refused" | "key.rotated" | "key.secret_ended" | "list.exported" | "login.failed" | "login.limited" | "login.pending" | "login.succeeded" | "logout" | "mail.retried" | "mail.tested" | "member.entered" | "member.joined" | "member.removed" | "member.resumed" | "member.suspended" | "org.created" | "org.deleted" | "org.policy_changed" | "org.updated" | "passkey.added" | "passkey.removed" | "passkey.renamed" | "password.changed" | "password.link_requested" | "password.removed" | "password.reset" | "portal.opened" | "recovery_code.used" | "recovery_codes.made" | "role.changed" | "second_step.off" | "second_step.on" | "session.ended" | "sessions.ended" | "signup.ended" | "signup.started" | "step_up.failed" | "step_up.succeeded" | "subscription.changed" | "account.*" | "access.*" | "acting.*" | "checkout.*" | "cron.*" | "custom_role.*" | "delivery.*" | "dunning.*" | "email.*" | "email_code.*" | "factors.*" | "identity.*" | "invitation.*" | "key.*" | "list.*" | "login.*" | "mail.*" | "member.*" | "org.*" | "passkey.*" | "password.*" | "portal.*" | "recovery_code.*" | "recovery_codes.*" | "role.*" | "second_step.*" | "session.*" | "sessions.*" | "signup.*" | "step_up.*" | "subscription.*";
                    since?: string;
                    until?: string;
                };
                header?: {
                    "Latchkey-Org"?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": {
                            data: components["schemas"]["AuditEvent"][];
                            next_cursor: string | null;
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InsufficientRole" | "InternalError" | "MembershipSuspended" | "NotFound" | "OrgPolicyUnmet" | "OrgRequired" | "ServiceUnavailable" | "SessionRenewed" | "StepUpRequired" | "Unauthenticated" | "ValidationFailed";
                        };
                    };
                };
            };
        };
    };
    "/audit-events/days": {
        /**
         * How many events of a user there were on each of the last 30 days in UTC, up to 100 on a day; today so far is the last.
         * @description For the role `sys_admin` and those above it.
         */
        get: {
            parameters: {
                query: {
                    user_id: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": {
                            data: components["schemas"]["AuditDay"][];
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InsufficientRole" | "InternalError" | "ServiceUnavailable" | "SessionRenewed" | "Unauthenticated" | "ValidationFailed";
                        };
                    };
                };
            };
        };
    };
    "/auth/signup": {
        /** Signs up; the account is made once the link in the mail is opened. */
        post: {
            requestBody: {
                content: {
                    "application/json": {
                        /** @example Ada Lovelace */
                        name?: string | null;
                        /** @example Europe/Zurich */
                        time_zone?: string | null;
                        /**
                         * Format: email
                         * @example ada@example.com
                         */
                        email: string;
                        /**
                         * Format: password
                         * @example a long pass phrase
                         */
                        password: string;
                    };
                };
            };
            responses: {
                202: {
                    content: {
                        "application/json": {
                            /** Format: email */
                            email: string;
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InternalError" | "MalformedBody" | "NotFound" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "TooManyRequests" | "UnsupportedMediaType" | "ValidationFailed" | "WeakPassword";
                        };
                    };
                };
            };
        };
    };
    "/auth/signup-org": {
        /** Signs up with an organization; both are made once the link in the mail is opened. */
        post: {
            requestBody: {
                content: {
                    "application/json": {
                        /** @example Ada Lovelace */
                        org_name: string;
                        /**
                         * Format: email
                         * @example ada@example.com
                         */
                        email: string;
                        /**
                         * Format: password
                         * @example a long pass phrase
                         */
                        password: string;
                        /** @example Ada Lovelace */
                        name?: string | null;
                        /** @example Europe/Zurich */
                        time_zone?: string | null;
                    };
                };
            };
            responses: {
                202: {
                    content: {
                        "application/json": {
                            /** Format: email */
                            email: string;
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InternalError" | "MalformedBody" | "NotFound" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "TooManyRequests" | "UnsupportedMediaType" | "ValidationFailed" | "WeakPassword";
                        };
                    };
                };
            };
        };
    };
    "/auth/verify-email": {
        /** Makes the account of a signup with the mailed token, or its code, and logs in; another browser than the one that signed up also states the password, or a new one. */
        post: {
            requestBody?: {
                content: {
                    "application/json": {
                        /**
                         * Format: password
                         * @example a long pass phrase
                         */
                        password?: string | null;
                        /**
                         * Format: password
                         * @example a long pass phrase
                         */
                        new_password?: string | null;
                        /** @example 4yWAVD6HrN0wDj6RdzH7T3nD2p9ZtPq3c1VXYhM8kQk */
                        token?: string;
                        /** @example 7Q4M-0ZK2 */
                        code?: string | null;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": {
                            /** Format: email */
                            email: string;
                            email_verified: boolean;
                            user: components["schemas"]["User"];
                            session: components["schemas"]["Session"];
                            organizations: components["schemas"]["OrganizationOfUser"][];
                        };
                    };
                };
                202: {
                    content: {
                        "application/json": {
                            /** Format: email */
                            email: string;
                            email_verified: boolean;
                            pending_login: components["schemas"]["PendingLogin"];
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InternalError" | "InvalidCode" | "InvalidToken" | "MalformedBody" | "OriginNotAllowed" | "PasswordRequired" | "PayloadTooLarge" | "ServiceUnavailable" | "TooManyRequests" | "UnsupportedMediaType" | "ValidationFailed" | "WeakPassword";
                        };
                    };
                };
            };
        };
    };
    "/auth/verify-email/resend": {
        /** Mails another link to confirm an address, where there is a signup that waits for it. */
        post: {
            requestBody: {
                content: {
                    "application/json": {
                        /**
                         * Format: email
                         * @example ada@example.com
                         */
                        email: string;
                    };
                };
            };
            responses: {
                202: {
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InternalError" | "MalformedBody" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "TooManyRequests" | "UnsupportedMediaType" | "ValidationFailed";
                        };
                    };
                };
            };
        };
    };
    "/auth/secure-account": {
        /** Gives an account back to the reader of its mail: every session ends, and a mail asks for a new password. Ends a signup. */
        post: {
            requestBody: {
                content: {
                    "application/json": {
                        /** @example 4yWAVD6HrN0wDj6RdzH7T3nD2p9ZtPq3c1VXYhM8kQk */
                        token: string;
                    };
                };
            };
            responses: {
                204: {
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "AddressHasAccount" | "InternalError" | "InvalidToken" | "MalformedBody" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "TooManyRequests" | "UnsupportedMediaType" | "ValidationFailed";
                        };
                    };
                };
            };
        };
    };
    "/auth/login": {
        /** Starts a session and sets its cookie; where the account takes a second step, a pending login with a cookie of its own. */
        post: {
            requestBody: {
                content: {
                    "application/json": {
                        /**
                         * Format: email
                         * @example ada@example.com
                         */
                        email: string;
                        /**
                         * Format: password
                         * @example a long pass phrase
                         */
                        password: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": {
                            user: components["schemas"]["User"];
                            session: components["schemas"]["Session"];
                            organizations: components["schemas"]["OrganizationOfUser"][];
                        };
                    };
                };
                202: {
                    content: {
                        "application/json": {
                            pending_login: components["schemas"]["PendingLogin"];
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "AccountDisabled" | "EmailNotVerified" | "InternalError" | "InvalidCredentials" | "MalformedBody" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "TooManyAttempts" | "TooManyRequests" | "UnsupportedMediaType" | "ValidationFailed";
                        };
                    };
                };
            };
        };
    };
    "/auth/logout": {
        /** Ends the session and the login that lacks its second step, and clears their cookies. */
        post: {
            responses: {
                204: {
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InternalError" | "MalformedBody" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "SessionRenewed" | "Unauthenticated" | "UnsupportedMediaType";
                        };
                    };
                };
            };
        };
    };
    "/users/me": {
        /** The user who is logged in, the session, and the organizations they belong to. */
        get: {
            parameters: {
                header?: {
                    "Latchkey-Org"?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": {
                            user: components["schemas"]["User"];
                            session: components["schemas"]["Session"];
                            organizations: components["schemas"]["OrganizationOfUser"][];
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InternalError" | "MembershipSuspended" | "NotFound" | "ServiceUnavailable" | "SessionRenewed" | "Unauthenticated" | "ValidationFailed";
                        };
                    };
                };
            };
        };
        /** Deletes the account; one that has a password asks for it. */
        delete: {
            requestBody?: {
                content: {
                    "application/json": {
                        /**
                         * Format: password
                         * @example a long pass phrase
                         */
                        current_password?: string | null;
                    };
                };
            };
            responses: {
                204: {
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "AddressChangedRecently" | "IncorrectPassword" | "InternalError" | "LastOrgAdmin" | "LastSystemAdmin" | "MalformedBody" | "NotWhileActing" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "SessionRenewed" | "StepUpRequired" | "SubscriptionActive" | "TooManyRequests" | "Unauthenticated" | "UnsupportedMediaType" | "ValidationFailed";
                        };
                    };
                };
            };
        };
        /** Changes the name, the language and the time zone of mails. */
        patch: {
            requestBody?: {
                content: {
                    "application/json": {
                        /** @example Ada Lovelace */
                        name?: string | null;
                        /** @example de-CH */
                        locale?: string | null;
                        /** @example Europe/Zurich */
                        time_zone?: string | null;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": {
                            user: components["schemas"]["User"];
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InternalError" | "MalformedBody" | "NotWhileActing" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "SessionRenewed" | "TooManyRequests" | "Unauthenticated" | "UnsupportedMediaType" | "ValidationFailed";
                        };
                    };
                };
            };
        };
    };
    "/users/me/email": {
        /** The new addresses that the caller asked for and has not confirmed yet. */
        get: {
            responses: {
                200: {
                    content: {
                        "application/json": {
                            data: components["schemas"]["EmailChange"][];
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InternalError" | "ServiceUnavailable" | "SessionRenewed" | "Unauthenticated";
                        };
                    };
                };
            };
        };
        /** Mails a link to a new address; the account moves there once its owner confirms it. */
        post: {
            requestBody: {
                content: {
                    "application/json": {
                        /**
                         * Format: email
                         * @example ada@example.com
                         */
                        new_email: string;
                        /**
                         * Format: password
                         * @example a long pass phrase
                         */
                        current_password?: string | null;
                    };
                };
            };
            responses: {
                202: {
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "IncorrectPassword" | "InternalError" | "MalformedBody" | "NotWhileActing" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "SessionRenewed" | "StepUpRequired" | "TooManyRequests" | "Unauthenticated" | "UnsupportedMediaType" | "ValidationFailed";
                        };
                    };
                };
            };
        };
        /** Voids the links to new addresses that were not opened yet. */
        delete: {
            responses: {
                204: {
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InternalError" | "MalformedBody" | "NotWhileActing" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "SessionRenewed" | "TooManyRequests" | "Unauthenticated" | "UnsupportedMediaType";
                        };
                    };
                };
            };
        };
    };
    "/users/me/email/confirm": {
        /** Moves the account to the address that the token, or the code, was mailed to. */
        post: {
            requestBody?: {
                content: {
                    "application/json": {
                        /** @example 4yWAVD6HrN0wDj6RdzH7T3nD2p9ZtPq3c1VXYhM8kQk */
                        token?: string;
                        /** @example 7Q4M-0ZK2 */
                        code?: string | null;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": {
                            user: components["schemas"]["User"];
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InternalError" | "InvalidCode" | "InvalidToken" | "MalformedBody" | "NotWhileActing" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "SessionRenewed" | "TooManyRequests" | "Unauthenticated" | "UnsupportedMediaType" | "ValidationFailed" | "WrongAccount";
                        };
                    };
                };
            };
        };
    };
    "/users/me/export": {
        /** What the service holds about the caller, as a JSON file, once an hour; the service records it, and mails the owner. */
        get: {
            responses: {
                200: {
                    content: {
                        "application/json": {
                            /** Format: date-time */
                            exported_at: string;
                            user: {
                                /** Format: uuid */
                                id: string;
                                email: string;
                                external_id: string | null;
                                /** Format: date-time */
                                email_verified_at: string | null;
                                name: string | null;
                                locale: string | null;
                                time_zone: string | null;
                                own_role: string;
                                /** Format: date-time */
                                password_changed_at: string | null;
                                /** Format: date-time */
                                disabled_at: string | null;
                                /** Format: date-time */
                                devices_forgotten_at: string | null;
                                /** Format: date-time */
                                created_at: string;
                            } | null;
                            last_login: {
                                /** Format: date-time */
                                logged_in_at: string;
                            } | null;
                            sessions: {
                                /** Format: uuid */
                                id: string;
                                auth_method: string;
                                aal: number;
                                raised_by: string | null;
                                proven_by: string[];
                                /** Format: date-time */
                                authenticated_at: string | null;
                                ip: string | null;
                                user_agent: string | null;
                                /** Format: date-time */
                                created_at: string;
                                /** Format: date-time */
                                last_seen_at: string;
                                longest_idle: number;
                                /** Format: date-time */
                                expires_at: string;
                                /** Format: date-time */
                                invalidated_at: string | null;
                            }[];
                            known_devices: {
                                /** Format: date-time */
                                created_at: string;
                                /** Format: date-time */
                                last_seen_at: string;
                            }[];
                            email_changes: {
                                /** Format: uuid */
                                id: string;
                                old_email: string;
                                /** Format: date-time */
                                expires_at: string;
                                /** Format: date-time */
                                undone_at: string | null;
                            }[];
                            mailed_links: {
                                /** Format: uuid */
                                id: string;
                                purpose: string;
                                sent_to: string;
                                /** Format: date-time */
                                created_at: string;
                                /** Format: date-time */
                                expires_at: string;
                                /** Format: date-time */
                                consumed_at: string | null;
                            }[];
                            identities: {
                                /** Format: uuid */
                                id: string;
                                provider: string;
                                subject: string;
                                email: string | null;
                                /** Format: date-time */
                                created_at: string;
                            }[];
                            removed_identities: {
                                provider: string;
                                subject: string;
                                /** Format: date-time */
                                removed_at: string;
                            }[];
                            passkeys: {
                                /** Format: uuid */
                                id: string;
                                rp_id: string;
                                credential_id: string;
                                sign_count: string;
                                transports: string[];
                                backup_eligible: boolean;
                                backed_up: boolean;
                                name: string;
                                /** Format: date-time */
                                created_at: string;
                                /** Format: date-time */
                                last_used_at: string | null;
                            }[];
                            authenticator_app: {
                                /** Format: date-time */
                                created_at: string;
                                /** Format: date-time */
                                confirmed_at: string | null;
                            } | null;
                            recovery_codes: {
                                /** Format: date-time */
                                created_at: string;
                                /** Format: date-time */
                                kept_at: string | null;
                            }[];
                            memberships: {
                                /** Format: uuid */
                                org_id: string;
                                role: string;
                                /** Format: uuid */
                                role_id: string | null;
                                /** Format: date-time */
                                joined_at: string;
                                joined_by: string;
                                /** Format: date-time */
                                entered_at: string | null;
                                /** Format: date-time */
                                suspended_at: string | null;
                                org_name: string | null;
                            }[];
                            organization_entries: {
                                /** Format: uuid */
                                session_id: string;
                                /** Format: uuid */
                                org_id: string;
                                /** Format: date-time */
                                expires_at: string;
                            }[];
                            invitations_received: {
                                /** Format: uuid */
                                id: string;
                                /** Format: uuid */
                                org_id: string;
                                email: string;
                                role: string;
                                /** Format: uuid */
                                role_id: string | null;
                                locale: string | null;
                                /** Format: date-time */
                                created_at: string;
                                /** Format: date-time */
                                expires_at: string;
                                /** Format: date-time */
                                accepted_at: string | null;
                                /** Format: date-time */
                                revoked_at: string | null;
                                /** Format: date-time */
                                declined_at: string | null;
                                org_name: string | null;
                            }[];
                            invitations_sent: {
                                /** Format: uuid */
                                id: string;
                                /** Format: uuid */
                                org_id: string;
                                role: string;
                                /** Format: uuid */
                                role_id: string | null;
                                /** Format: date-time */
                                created_at: string;
                                /** Format: date-time */
                                expires_at: string;
                            }[];
                            billing_customer: {
                                /** Format: uuid */
                                id: string;
                                stripe_customer_id: string | null;
                                email: string | null;
                                subscription_id: string | null;
                                item_id: string | null;
                                status: string | null;
                                price_id: string | null;
                                quantity: number | null;
                                /** Format: date-time */
                                current_period_end: string | null;
                                cancel_at_period_end: boolean;
                                /** Format: date-time */
                                past_due_since: string | null;
                                trial_used: boolean;
                                dunned_invoice_id: string | null;
                                /** Format: date-time */
                                read_at: string | null;
                                /** Format: date-time */
                                created_at: string;
                            } | null;
                            mails: {
                                /** Format: uuid */
                                id: string;
                                kind: string;
                                recipient: string;
                                subject: string;
                                language: string;
                                /** Format: date-time */
                                created_at: string;
                                /** Format: date-time */
                                finished_at: string | null;
                                outcome: string | null;
                            }[];
                            audit_events: components["schemas"]["AuditEvent"][];
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InternalError" | "NotWhileActing" | "ServiceUnavailable" | "SessionRenewed" | "StepUpRequired" | "TooManyRequests" | "Unauthenticated";
                        };
                    };
                };
            };
        };
    };
    "/password/forgot": {
        /** Mails a link to set a new password, where there is an account. */
        post: {
            requestBody: {
                content: {
                    "application/json": {
                        /**
                         * Format: email
                         * @example ada@example.com
                         */
                        email: string;
                    };
                };
            };
            responses: {
                202: {
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InternalError" | "MalformedBody" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "TooManyRequests" | "UnsupportedMediaType" | "ValidationFailed";
                        };
                    };
                };
            };
        };
    };
    "/password/reset/preview": {
        /** Whose password the token of a mailed link, or its code, sets. Uses nothing up. */
        post: {
            requestBody?: {
                content: {
                    "application/json": {
                        /** @example 4yWAVD6HrN0wDj6RdzH7T3nD2p9ZtPq3c1VXYhM8kQk */
                        token?: string;
                        /** @example 7Q4M-0ZK2 */
                        code?: string | null;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": {
                            /** Format: email */
                            email: string;
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InternalError" | "InvalidCode" | "InvalidToken" | "MalformedBody" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "TooManyRequests" | "UnsupportedMediaType" | "ValidationFailed";
                        };
                    };
                };
            };
        };
    };
    "/password/reset": {
        /** Sets a new password with the token of a mailed link, or its code, and ends every session. */
        post: {
            requestBody: {
                content: {
                    "application/json": {
                        /**
                         * Format: password
                         * @example a long pass phrase
                         */
                        new_password: string;
                        /** @example 4yWAVD6HrN0wDj6RdzH7T3nD2p9ZtPq3c1VXYhM8kQk */
                        token?: string;
                        /** @example 7Q4M-0ZK2 */
                        code?: string | null;
                    };
                };
            };
            responses: {
                204: {
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InternalError" | "InvalidCode" | "InvalidToken" | "MalformedBody" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "TooManyRequests" | "UnsupportedMediaType" | "ValidationFailed" | "WeakPassword";
                        };
                    };
                };
            };
        };
    };
    "/password/update": {
        /**
         * Changes the password, or sets the first one; the session goes on with a fresh cookie, the others end.
         * @description For the role `readonly` and those above it.
         */
        post: {
            requestBody: {
                content: {
                    "application/json": {
                        /**
                         * Format: password
                         * @example a long pass phrase
                         */
                        current_password?: string | null;
                        /**
                         * Format: password
                         * @example a long pass phrase
                         */
                        new_password: string;
                    };
                };
            };
            responses: {
                204: {
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "IncorrectPassword" | "InternalError" | "MalformedBody" | "NotWhileActing" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "SessionRenewed" | "StepUpRequired" | "TooManyRequests" | "Unauthenticated" | "UnsupportedMediaType" | "ValidationFailed" | "WeakPassword";
                        };
                    };
                };
            };
        };
    };
    "/password": {
        /** Takes the password away from an account that has another way to log in; the other sessions end. */
        delete: {
            requestBody?: {
                content: {
                    "application/json": {
                        /**
                         * Format: password
                         * @example a long pass phrase
                         */
                        current_password?: string | null;
                    };
                };
            };
            responses: {
                204: {
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "IncorrectPassword" | "InternalError" | "LastLoginMethod" | "MalformedBody" | "NotWhileActing" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "SessionRenewed" | "StepUpRequired" | "TooManyRequests" | "Unauthenticated" | "UnsupportedMediaType" | "ValidationFailed";
                        };
                    };
                };
            };
        };
    };
    "/users": {
        /**
         * All users, newest first if not sorted otherwise. The first page says how many there are, up to 1,000.
         * @description For the role `sys_admin` and those above it.
         */
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    cursor?: string;
                    sort?: "created_at" | "-created_at" | "email" | "-email" | "name" | "-name" | "role" | "-role" | "last_login_at" | "-last_login_at";
                    search?: string;
                    email?: string;
                    org_id?: string;
                    role?: "readonly" | "member" | "org_admin" | "sys_admin";
                    disabled?: boolean;
                    ids?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": {
                            data: components["schemas"]["AdministeredUser"][];
                            next_cursor: string | null;
                            total: number | null;
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InsufficientRole" | "InternalError" | "ServiceUnavailable" | "SessionRenewed" | "Unauthenticated" | "ValidationFailed";
                        };
                    };
                };
            };
        };
        /**
         * Makes an account for an address, and mails it a link to choose a password; asks for a recent proof.
         * @description For the role `sys_admin` and those above it.
         */
        post: {
            requestBody: {
                content: {
                    "application/json": {
                        /** @example Ada Lovelace */
                        name?: string | null;
                        /**
                         * @default member
                         * @enum {string}
                         */
                        role?: "readonly" | "member" | "org_admin";
                        /** Format: uuid */
                        org_id?: string | null;
                        /**
                         * Format: email
                         * @example ada@example.com
                         */
                        email: string;
                    };
                };
            };
            responses: {
                201: {
                    content: {
                        "application/json": {
                            user: components["schemas"]["User"];
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "AddressHeld" | "AddressTaken" | "InsufficientRole" | "InternalError" | "MalformedBody" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "SessionRenewed" | "StepUpRequired" | "TooManyRequests" | "Unauthenticated" | "UnsupportedMediaType" | "ValidationFailed";
                        };
                    };
                };
            };
        };
    };
    "/users/{id}/email": {
        /**
         * Corrects an address that was never confirmed, or mails a link to the new one, which moves the account once its user opens it; asks for a recent proof.
         * @description For the role `sys_admin` and those above it.
         */
        post: {
            parameters: {
                path: {
                    id: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        /**
                         * Format: email
                         * @example ada@example.com
                         */
                        email: string;
                    };
                };
            };
            responses: {
                202: {
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "AddressHeld" | "AddressTaken" | "InsufficientRole" | "InternalError" | "MalformedBody" | "NotFound" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "SessionRenewed" | "StepUpRequired" | "TooManyRequests" | "Unauthenticated" | "UnsupportedMediaType" | "ValidationFailed";
                        };
                    };
                };
            };
        };
    };
    "/users/{id}/identities": {
        /**
         * The accounts at identity providers that a user can log in with.
         * @description For the role `sys_admin` and those above it.
         */
        get: {
            parameters: {
                path: {
                    id: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": {
                            data: components["schemas"]["Identity"][];
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InsufficientRole" | "InternalError" | "NotFound" | "ServiceUnavailable" | "SessionRenewed" | "Unauthenticated" | "ValidationFailed";
                        };
                    };
                };
            };
        };
    };
    "/users/{id}": {
        /**
         * A user, such as one whom an audit event names.
         * @description For the role `sys_admin` and those above it.
         */
        get: {
            parameters: {
                path: {
                    id: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": {
                            user: components["schemas"]["AdministeredUser"];
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InsufficientRole" | "InternalError" | "NotFound" | "ServiceUnavailable" | "SessionRenewed" | "Unauthenticated" | "ValidationFailed";
                        };
                    };
                };
            };
        };
        /**
         * Deletes the account of another user, and each organization whose only member they are, and mails the owner; asks for a recent proof.
         * @description For the role `sys_admin` and those above it.
         */
        delete: {
            parameters: {
                path: {
                    id: string;
                };
            };
            responses: {
                204: {
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InsufficientRole" | "InternalError" | "LastOrgAdmin" | "LastSystemAdmin" | "MalformedBody" | "NotFound" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "SessionRenewed" | "StepUpRequired" | "SubscriptionActive" | "TooManyRequests" | "Unauthenticated" | "UnsupportedMediaType" | "ValidationFailed";
                        };
                    };
                };
            };
        };
        /**
         * Changes the name or the role of a user, or disables them, which ends their sessions; asks for a recent proof.
         * @description For the role `sys_admin` and those above it.
         */
        patch: {
            parameters: {
                path: {
                    id: string;
                };
            };
            requestBody?: {
                content: {
                    "application/json": {
                        /** @example Ada Lovelace */
                        name?: string | null;
                        role?: "readonly" | "member" | "org_admin" | "sys_admin";
                        disabled?: boolean;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": {
                            user: components["schemas"]["AdministeredUser"];
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InsufficientRole" | "InternalError" | "LastOrgAdmin" | "LastSystemAdmin" | "MalformedBody" | "NotFound" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "SessionRenewed" | "StepUpRequired" | "TooManyRequests" | "Unauthenticated" | "UnsupportedMediaType" | "ValidationFailed";
                        };
                    };
                };
            };
        };
    };
    "/auth/methods": {
        /** What a login page offers: the ways to log in, whether a person may sign up, and the languages of pages and mails, the default first. */
        get: {
            responses: {
                200: {
                    content: {
                        "application/json": {
                            password: boolean;
                            passkey: boolean;
                            email_code: boolean;
                            signup: boolean;
                            providers: components["schemas"]["Provider"][];
                            locales: string[];
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: never;
                        };
                    };
                };
            };
        };
    };
    "/auth/oauth/{provider}/authorize-url": {
        /** Where the browser goes to log in through an identity provider. With a session the provider asks the user again; with one whose proof is recent the login also links an identity that was unlinked from that account. */
        get: {
            parameters: {
                query?: {
                    invitation_token?: string;
                    return_to?: string;
                    via?: "ui";
                };
                path: {
                    provider: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": {
                            authorization_url: string;
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "NotFound" | "ServiceUnavailable" | "TooManyRequests" | "ValidationFailed";
                        };
                    };
                };
            };
        };
    };
    "/users/me/identities": {
        /** The accounts at the identity provider that the caller can log in with, newest first. */
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": {
                            data: components["schemas"]["Identity"][];
                            next_cursor: string | null;
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InternalError" | "ServiceUnavailable" | "SessionRenewed" | "Unauthenticated" | "ValidationFailed";
                        };
                    };
                };
            };
        };
    };
    "/users/me/identities/{provider}/authorize-url": {
        /** Where the browser goes to link an account at an identity provider to that of the caller, under whatever address. */
        post: {
            parameters: {
                path: {
                    provider: string;
                };
            };
            requestBody?: {
                content: {
                    "application/json": {
                        /** @default / */
                        return_to?: string;
                        via?: "ui" | null;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": {
                            authorization_url: string;
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InternalError" | "MalformedBody" | "NotFound" | "NotWhileActing" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "SessionRenewed" | "StepUpRequired" | "TooManyRequests" | "Unauthenticated" | "UnsupportedMediaType" | "ValidationFailed";
                        };
                    };
                };
            };
        };
    };
    "/users/me/identities/{id}": {
        /** Unlinks an account at the identity provider, which is refused until the user links it on purpose; ends the other sessions that logins through a provider began. */
        delete: {
            parameters: {
                path: {
                    id: string;
                };
            };
            responses: {
                204: {
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InternalError" | "LastLoginMethod" | "MalformedBody" | "NotFound" | "NotWhileActing" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "SessionRenewed" | "StepUpRequired" | "Unauthenticated" | "UnsupportedMediaType" | "ValidationFailed";
                        };
                    };
                };
            };
        };
    };
    "/auth/email-code": {
        /** Mails a code to log in with in this browser, where there is an account. */
        post: {
            requestBody: {
                content: {
                    "application/json": {
                        /**
                         * Format: email
                         * @example ada@example.com
                         */
                        email: string;
                    };
                };
            };
            responses: {
                202: {
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InternalError" | "MalformedBody" | "NotFound" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "TooManyRequests" | "UnsupportedMediaType" | "ValidationFailed";
                        };
                    };
                };
            };
        };
    };
    "/auth/email-code/login": {
        /** Logs in with a mailed code, in the browser that asked for it. */
        post: {
            requestBody: {
                content: {
                    "application/json": {
                        /** @example 7Q4M-0ZK2 */
                        code: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": {
                            user: components["schemas"]["User"];
                            session: components["schemas"]["Session"];
                            organizations: components["schemas"]["OrganizationOfUser"][];
                        };
                    };
                };
                202: {
                    content: {
                        "application/json": {
                            pending_login: components["schemas"]["PendingLogin"];
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InternalError" | "InvalidCode" | "MalformedBody" | "NotFound" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "TooManyRequests" | "UnsupportedMediaType" | "ValidationFailed";
                        };
                    };
                };
            };
        };
    };
    "/auth/passkey/options": {
        /** What the browser asks a passkey with: PublicKeyCredentialRequestOptionsJSON. */
        post: {
            responses: {
                200: {
                    content: {
                        "application/json": {
                            options: {
                                [key: string]: unknown;
                            };
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InternalError" | "MalformedBody" | "NotFound" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "TooManyRequests" | "UnsupportedMediaType";
                        };
                    };
                };
            };
        };
    };
    "/auth/passkey/login": {
        /** Logs in with a passkey; with `second_step` it also links what the login that waits in the browser links. */
        post: {
            requestBody: {
                content: {
                    "application/json": {
                        second_step?: boolean;
                        /**
                         * @example {
                         *       "id": "HVJ9q8UQmnPZ0pYWmVb0aw",
                         *       "rawId": "HVJ9q8UQmnPZ0pYWmVb0aw",
                         *       "type": "public-key",
                         *       "response": {
                         *         "clientDataJSON": "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0",
                         *         "authenticatorData": "SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAQ",
                         *         "signature": "MEUCIQDx",
                         *         "userHandle": "AYkAAAAAcACAAAAAAAAAAA"
                         *       },
                         *       "clientExtensionResults": {}
                         *     }
                         */
                        credential: {
                            [key: string]: unknown;
                        };
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": {
                            user: components["schemas"]["User"];
                            session: components["schemas"]["Session"];
                            organizations: components["schemas"]["OrganizationOfUser"][];
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "AccountDisabled" | "InternalError" | "InvalidPasskey" | "MalformedBody" | "NotFound" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "TooManyRequests" | "UnknownPasskey" | "UnsupportedMediaType" | "ValidationFailed";
                        };
                    };
                };
            };
        };
    };
    "/users/me/passkeys": {
        /** The passkeys that the caller can log in with, newest first: 20 at most. */
        get: {
            responses: {
                200: {
                    content: {
                        "application/json": {
                            data: components["schemas"]["Passkey"][];
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InternalError" | "NotFound" | "ServiceUnavailable" | "SessionRenewed" | "Unauthenticated";
                        };
                    };
                };
            };
        };
        /** Registers the passkey that the browser has made, and tells the owner. */
        post: {
            requestBody: {
                content: {
                    "application/json": {
                        /** @example Ada Lovelace */
                        name?: string | null;
                        /**
                         * @example {
                         *       "id": "HVJ9q8UQmnPZ0pYWmVb0aw",
                         *       "rawId": "HVJ9q8UQmnPZ0pYWmVb0aw",
                         *       "type": "public-key",
                         *       "response": {
                         *         "clientDataJSON": "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0",
                         *         "authenticatorData": "SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAQ",
                         *         "signature": "MEUCIQDx",
                         *         "userHandle": "AYkAAAAAcACAAAAAAAAAAA"
                         *       },
                         *       "clientExtensionResults": {}
                         *     }
                         */
                        credential: {
                            [key: string]: unknown;
                        };
                    };
                };
            };
            responses: {
                201: {
                    content: {
                        "application/json": {
                            passkey: components["schemas"]["Passkey"];
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InternalError" | "InvalidPasskey" | "MalformedBody" | "NotFound" | "NotWhileActing" | "OriginNotAllowed" | "PasskeyAlreadyRegistered" | "PayloadTooLarge" | "ServiceUnavailable" | "SessionRenewed" | "StepUpRequired" | "TooManyPasskeys" | "TooManyRequests" | "Unauthenticated" | "UnsupportedMediaType" | "ValidationFailed";
                        };
                    };
                };
            };
        };
    };
    "/users/me/passkeys/options": {
        /** What the browser makes a passkey with: PublicKeyCredentialCreationOptionsJSON. */
        post: {
            responses: {
                200: {
                    content: {
                        "application/json": {
                            options: {
                                [key: string]: unknown;
                            };
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InternalError" | "MalformedBody" | "NotFound" | "NotWhileActing" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "SessionRenewed" | "StepUpRequired" | "TooManyPasskeys" | "Unauthenticated" | "UnsupportedMediaType";
                        };
                    };
                };
            };
        };
    };
    "/users/me/passkeys/{id}": {
        /** Removes a passkey, tells the owner, and ends the other sessions that a passkey began or raised. */
        delete: {
            parameters: {
                path: {
                    id: string;
                };
            };
            responses: {
                204: {
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InternalError" | "LastLoginMethod" | "LastSecondFactor" | "MalformedBody" | "NotFound" | "NotWhileActing" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "SessionRenewed" | "StepUpRequired" | "TooManyRequests" | "Unauthenticated" | "UnsupportedMediaType" | "ValidationFailed";
                        };
                    };
                };
            };
        };
        /** Gives a passkey another name. */
        patch: {
            parameters: {
                path: {
                    id: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @example Ada Lovelace */
                        name: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": {
                            passkey: components["schemas"]["Passkey"];
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InternalError" | "MalformedBody" | "NotFound" | "NotWhileActing" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "SessionRenewed" | "StepUpRequired" | "TooManyRequests" | "Unauthenticated" | "UnsupportedMediaType" | "ValidationFailed";
                        };
                    };
                };
            };
        };
    };
    "/auth/pending-login": {
        /** The login of this browser that lacks its second step. */
        get: {
            responses: {
                200: {
                    content: {
                        "application/json": {
                            pending_login: components["schemas"]["PendingLogin"];
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "Unauthenticated";
                        };
                    };
                };
            };
        };
        /** Gives up the login of this browser that lacks its second step, and clears its cookie. */
        delete: {
            responses: {
                204: {
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InternalError" | "MalformedBody" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "Unauthenticated" | "UnsupportedMediaType";
                        };
                    };
                };
            };
        };
    };
    "/auth/pending-login/second-factor": {
        /** Takes the second step with exactly one code; starts a session and sets its cookie. */
        post: {
            requestBody?: {
                content: {
                    "application/json": {
                        /** @example 492039 */
                        totp?: string | null;
                        /** @example 7Q4M-0ZK2-HX9T-C3VB */
                        recovery_code?: string | null;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": {
                            recovery_codes_left: number;
                            user: components["schemas"]["User"];
                            session: components["schemas"]["Session"];
                            organizations: components["schemas"]["OrganizationOfUser"][];
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "AccountDisabled" | "CodesUnavailable" | "InternalError" | "InvalidCode" | "MalformedBody" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "TooManyAttempts" | "TooManyRequests" | "Unauthenticated" | "UnsupportedMediaType" | "ValidationFailed";
                        };
                    };
                };
            };
        };
    };
    "/auth/pending-login/totp": {
        /** A secret for an authenticator app, for a user who must have a factor and has none. */
        post: {
            responses: {
                200: {
                    content: {
                        "application/json": {
                            secret: string;
                            uri: string;
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InternalError" | "MalformedBody" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "TooManyRequests" | "TotpAlreadyOn" | "Unauthenticated" | "UnsupportedMediaType";
                        };
                    };
                };
            };
        };
    };
    "/auth/pending-login/totp/confirm": {
        /** Adds the authenticator app that shows the code; starts a session and sets its cookie. */
        post: {
            requestBody: {
                content: {
                    "application/json": {
                        /** @example 492039 */
                        code: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": {
                            recovery_codes: string[];
                            user: components["schemas"]["User"];
                            session: components["schemas"]["Session"];
                            organizations: components["schemas"]["OrganizationOfUser"][];
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "AccountDisabled" | "CodesUnavailable" | "InternalError" | "InvalidCode" | "MalformedBody" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "TooManyAttempts" | "TooManyRequests" | "TotpAlreadyOn" | "Unauthenticated" | "UnsupportedMediaType" | "ValidationFailed";
                        };
                    };
                };
            };
        };
    };
    "/users/me/factors": {
        /** The second factors of the caller, and whether a login takes a second step. */
        get: {
            responses: {
                200: {
                    content: {
                        "application/json": {
                            factors: components["schemas"]["Factors"];
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InternalError" | "ServiceUnavailable" | "SessionRenewed" | "Unauthenticated";
                        };
                    };
                };
            };
        };
    };
    "/users/me/totp": {
        /** A secret for an authenticator app, which is no factor until one of its codes confirms it. */
        post: {
            responses: {
                200: {
                    content: {
                        "application/json": {
                            secret: string;
                            uri: string;
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InternalError" | "MalformedBody" | "NotWhileActing" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "SessionRenewed" | "StepUpRequired" | "TooManyRequests" | "TotpAlreadyOn" | "Unauthenticated" | "UnsupportedMediaType";
                        };
                    };
                };
            };
        };
        /** Removes the authenticator app, without another factor the recovery codes too, tells the owner, and ends the other sessions that the app raised. */
        delete: {
            responses: {
                204: {
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InternalError" | "LastSecondFactor" | "MalformedBody" | "NotFound" | "NotWhileActing" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "SessionRenewed" | "StepUpRequired" | "TooManyRequests" | "Unauthenticated" | "UnsupportedMediaType";
                        };
                    };
                };
            };
        };
    };
    "/users/me/totp/confirm": {
        /** Adds the authenticator app that shows the code; the session goes on with a fresh cookie, the others end. */
        post: {
            requestBody: {
                content: {
                    "application/json": {
                        /** @example 492039 */
                        code: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": {
                            session: components["schemas"]["Session"];
                            recovery_codes: string[];
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "CodesUnavailable" | "InternalError" | "InvalidCode" | "MalformedBody" | "NotWhileActing" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "SessionRenewed" | "StepUpRequired" | "TooManyRequests" | "TotpAlreadyOn" | "Unauthenticated" | "UnsupportedMediaType" | "ValidationFailed";
                        };
                    };
                };
            };
        };
    };
    "/users/me/recovery-codes": {
        /** Makes ten new recovery codes; the old ones no longer work, and the other sessions end that one raised. */
        post: {
            responses: {
                200: {
                    content: {
                        "application/json": {
                            recovery_codes: string[];
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InternalError" | "MalformedBody" | "NoSecondFactor" | "NotWhileActing" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "SessionRenewed" | "StepUpRequired" | "TooManyRequests" | "Unauthenticated" | "UnsupportedMediaType";
                        };
                    };
                };
            };
        };
    };
    "/users/me/recovery-codes/kept": {
        /** Notes that the caller keeps the recovery codes somewhere; until then the factors say that they do not. */
        post: {
            responses: {
                204: {
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InternalError" | "MalformedBody" | "NotWhileActing" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "SessionRenewed" | "TooManyRequests" | "Unauthenticated" | "UnsupportedMediaType";
                        };
                    };
                };
            };
        };
    };
    "/auth/step-up/options": {
        /** What the browser asks one of the user's passkeys with: PublicKeyCredentialRequestOptionsJSON. */
        post: {
            responses: {
                200: {
                    content: {
                        "application/json": {
                            options: {
                                [key: string]: unknown;
                            };
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InternalError" | "MalformedBody" | "NoSecondFactor" | "NotFound" | "NotWhileActing" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "SessionRenewed" | "Unauthenticated" | "UnsupportedMediaType";
                        };
                    };
                };
            };
        };
    };
    "/auth/step-up/code": {
        /** Mails a code that proves in this session and browser who the user is, to an account that has nothing else. */
        post: {
            responses: {
                202: {
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InternalError" | "MalformedBody" | "NotFound" | "NotWhileActing" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "SessionRenewed" | "StepUpRequired" | "TooManyRequests" | "Unauthenticated" | "UnsupportedMediaType";
                        };
                    };
                };
            };
        };
    };
    "/auth/step-up": {
        /** Proves again who the user is, by exactly one way; the session goes on with a fresh cookie. */
        post: {
            requestBody?: {
                content: {
                    "application/json": {
                        /**
                         * Format: password
                         * @example a long pass phrase
                         */
                        password?: string | null;
                        /**
                         * @example {
                         *       "id": "HVJ9q8UQmnPZ0pYWmVb0aw",
                         *       "rawId": "HVJ9q8UQmnPZ0pYWmVb0aw",
                         *       "type": "public-key",
                         *       "response": {
                         *         "clientDataJSON": "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0",
                         *         "authenticatorData": "SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAQ",
                         *         "signature": "MEUCIQDx",
                         *         "userHandle": "AYkAAAAAcACAAAAAAAAAAA"
                         *       },
                         *       "clientExtensionResults": {}
                         *     }
                         */
                        credential?: {
                            [key: string]: unknown;
                        } | null;
                        /** @example 7Q4M-0ZK2 */
                        email_code?: string | null;
                        /** @example 492039 */
                        totp?: string | null;
                        /** @example 7Q4M-0ZK2-HX9T-C3VB */
                        recovery_code?: string | null;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": {
                            session: components["schemas"]["Session"];
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "CodesUnavailable" | "IncorrectPassword" | "InternalError" | "InvalidCode" | "InvalidPasskey" | "MalformedBody" | "NotWhileActing" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "SessionRenewed" | "StepUpRequired" | "TooManyAttempts" | "TooManyRequests" | "Unauthenticated" | "UnknownPasskey" | "UnsupportedMediaType" | "ValidationFailed";
                        };
                    };
                };
            };
        };
    };
    "/sessions": {
        /** The active sessions of the caller, newest first. */
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": {
                            data: components["schemas"]["Session"][];
                            next_cursor: string | null;
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InternalError" | "ServiceUnavailable" | "SessionRenewed" | "Unauthenticated" | "ValidationFailed";
                        };
                    };
                };
            };
        };
        /** Ends all sessions of the caller but this one. */
        delete: {
            responses: {
                200: {
                    content: {
                        "application/json": {
                            revoked: number;
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InternalError" | "MalformedBody" | "NotWhileActing" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "SessionRenewed" | "Unauthenticated" | "UnsupportedMediaType";
                        };
                    };
                };
            };
        };
    };
    "/sessions/{id}": {
        /** Ends a session of the caller. */
        delete: {
            parameters: {
                path: {
                    id: string;
                };
            };
            responses: {
                204: {
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InternalError" | "MalformedBody" | "NotFound" | "NotWhileActing" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "SessionRenewed" | "Unauthenticated" | "UnsupportedMediaType" | "ValidationFailed";
                        };
                    };
                };
            };
        };
    };
    "/users/{id}/factors": {
        /**
         * Removes all second factors of a user who has lost them, ends their sessions, and tells the owner; asks for a recent proof.
         * @description For the role `sys_admin` and those above it.
         */
        delete: {
            parameters: {
                path: {
                    id: string;
                };
            };
            responses: {
                204: {
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InsufficientRole" | "InternalError" | "LastSystemAdmin" | "MalformedBody" | "NotFound" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "SessionRenewed" | "StepUpRequired" | "TooManyRequests" | "Unauthenticated" | "UnsupportedMediaType" | "ValidationFailed";
                        };
                    };
                };
            };
        };
    };
    "/users/{id}/sessions": {
        /**
         * The active sessions of a user, newest first.
         * @description For the role `sys_admin` and those above it.
         */
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    cursor?: string;
                };
                path: {
                    id: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": {
                            data: components["schemas"]["Session"][];
                            next_cursor: string | null;
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InsufficientRole" | "InternalError" | "NotFound" | "ServiceUnavailable" | "SessionRenewed" | "Unauthenticated" | "ValidationFailed";
                        };
                    };
                };
            };
        };
        /**
         * Ends all sessions of a user; of the caller all but this one.
         * @description For the role `sys_admin` and those above it.
         */
        delete: {
            parameters: {
                path: {
                    id: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": {
                            revoked: number;
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InsufficientRole" | "InternalError" | "MalformedBody" | "NotFound" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "SessionRenewed" | "TooManyRequests" | "Unauthenticated" | "UnsupportedMediaType" | "ValidationFailed";
                        };
                    };
                };
            };
        };
    };
    "/users/{id}/sessions/{session_id}": {
        /**
         * Ends a session of a user.
         * @description For the role `sys_admin` and those above it.
         */
        delete: {
            parameters: {
                path: {
                    id: string;
                    session_id: string;
                };
            };
            responses: {
                204: {
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InsufficientRole" | "InternalError" | "MalformedBody" | "NotFound" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "SessionRenewed" | "TooManyRequests" | "Unauthenticated" | "UnsupportedMediaType" | "ValidationFailed";
                        };
                    };
                };
            };
        };
    };
    "/orgs": {
        /**
         * All organizations, newest first if not sorted otherwise. The first page says how many there are, up to 1,000.
         * @description For the role `sys_admin` and those above it.
         */
        get: {
            parameters: {
                query?: {
                    sort?: "created_at" | "-created_at" | "name" | "-name";
                    search?: string;
                    name?: string;
                    ids?: string;
                    limit?: number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": {
                            data: components["schemas"]["ManagedOrganization"][];
                            next_cursor: string | null;
                            total: number | null;
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InsufficientRole" | "InternalError" | "ServiceUnavailable" | "SessionRenewed" | "Unauthenticated" | "ValidationFailed";
                        };
                    };
                };
            };
        };
        /**
         * Makes an organization and invites its admin, which asks for a recent proof.
         * @description For the role `sys_admin` and those above it.
         */
        post: {
            requestBody: {
                content: {
                    "application/json": {
                        /** @example Ada Lovelace */
                        name: string;
                        /**
                         * Format: email
                         * @example ada@example.com
                         */
                        admin_email: string;
                        /** @example de-CH */
                        locale?: string | null;
                    };
                };
            };
            responses: {
                201: {
                    content: {
                        "application/json": {
                            org: components["schemas"]["ManagedOrganization"];
                            invitation: components["schemas"]["Invitation"];
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "AlreadyInOrganization" | "InsufficientRole" | "InternalError" | "MalformedBody" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "SessionRenewed" | "StepUpRequired" | "TooManyOrganizations" | "TooManyRequests" | "Unauthenticated" | "UnsupportedMediaType" | "ValidationFailed";
                        };
                    };
                };
            };
        };
    };
    "/orgs/{org_id}": {
        /** An organization. */
        get: {
            parameters: {
                path: {
                    org_id: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": {
                            org: components["schemas"]["Organization"];
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InternalError" | "MembershipSuspended" | "NotFound" | "OrgPolicyUnmet" | "ServiceUnavailable" | "SessionRenewed" | "StepUpRequired" | "Unauthenticated" | "ValidationFailed";
                        };
                    };
                };
            };
        };
        /**
         * Dissolves an organization, which asks for a recent proof; its members keep their accounts.
         * @description For the role `sys_admin` and those above it.
         */
        delete: {
            parameters: {
                path: {
                    org_id: string;
                };
            };
            responses: {
                204: {
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InsufficientRole" | "InternalError" | "MalformedBody" | "MembershipSuspended" | "NotFound" | "OrgPolicyUnmet" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "SessionRenewed" | "StepUpRequired" | "SubscriptionActive" | "Unauthenticated" | "UnsupportedMediaType" | "ValidationFailed";
                        };
                    };
                };
            };
        };
        /**
         * Renames an organization, or sets whether its members must have a second factor.
         * @description For the role `org_admin` and those above it.
         */
        patch: {
            parameters: {
                path: {
                    org_id: string;
                };
            };
            requestBody?: {
                content: {
                    "application/json": {
                        /** @example Ada Lovelace */
                        name?: string;
                        /** @example de-CH */
                        locale?: string | null;
                        second_factor_required?: boolean;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": {
                            org: components["schemas"]["Organization"];
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InsufficientRole" | "InternalError" | "MalformedBody" | "MembershipSuspended" | "NoSecondFactor" | "NotFound" | "NotWhileActing" | "OrgPolicyUnmet" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "SessionRenewed" | "StepUpRequired" | "TooManyRequests" | "Unauthenticated" | "UnsupportedMediaType" | "ValidationFailed";
                        };
                    };
                };
            };
        };
    };
    "/users/me/org": {
        /**
         * Founds an organization, whose ORG_ADMIN the caller becomes.
         * @description For the role `member` and those above it.
         */
        post: {
            requestBody: {
                content: {
                    "application/json": {
                        /** @example Ada Lovelace */
                        name: string;
                    };
                };
            };
            responses: {
                201: {
                    content: {
                        "application/json": {
                            org: components["schemas"]["Organization"];
                            user: components["schemas"]["User"];
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "AlreadyInOrganization" | "InsufficientRole" | "InternalError" | "MalformedBody" | "NotFound" | "NotWhileActing" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "SessionRenewed" | "TooManyOrganizations" | "TooManyRequests" | "Unauthenticated" | "UnsupportedMediaType" | "ValidationFailed";
                        };
                    };
                };
            };
        };
    };
    "/orgs/{org_id}/policy": {
        /**
         * What an organization asks of the sessions that enter it.
         * @description For the role `org_admin` and those above it.
         */
        get: {
            parameters: {
                path: {
                    org_id: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": {
                            policy: components["schemas"]["OrgPolicy"];
                            caller: {
                                ip: string | null;
                                network: string | null;
                            };
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InsufficientRole" | "InternalError" | "MembershipSuspended" | "NotFound" | "OrgPolicyUnmet" | "ServiceUnavailable" | "SessionRenewed" | "StepUpRequired" | "Unauthenticated" | "ValidationFailed";
                        };
                    };
                };
            };
        };
        /**
         * Changes what an organization asks of the sessions that enter it, which asks for a recent proof.
         * @description For the role `org_admin` and those above it.
         */
        patch: {
            parameters: {
                path: {
                    org_id: string;
                };
            };
            requestBody?: {
                content: {
                    "application/json": {
                        second_factor?: boolean;
                        idle_minutes?: number | null;
                        age_minutes?: number | null;
                        login_methods?: ("password" | "idp" | "passkey" | "email_code")[] | null;
                        /**
                         * @example [
                         *       "192.0.2.0/24",
                         *       "2001:db8::/32"
                         *     ]
                         */
                        networks?: string[] | null;
                        acting?: boolean;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": {
                            policy: components["schemas"]["OrgPolicy"];
                            caller: {
                                ip: string | null;
                                network: string | null;
                            };
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "AddressesUnknown" | "InsufficientRole" | "InternalError" | "MalformedBody" | "MembershipSuspended" | "NoSecondFactor" | "NotFound" | "NotWhileActing" | "OrgPolicyUnmet" | "OriginNotAllowed" | "PayloadTooLarge" | "PolicyExcludesYou" | "ServiceUnavailable" | "SessionRenewed" | "StepUpRequired" | "TooManyRequests" | "Unauthenticated" | "UnsupportedMediaType" | "ValidationFailed";
                        };
                    };
                };
            };
        };
    };
    "/orgs/{org_id}/members": {
        /** The members of an organization, newest first if not sorted otherwise. The first page says how many there are, up to 1,000. */
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    cursor?: string;
                    sort?: "created_at" | "-created_at" | "email" | "-email" | "name" | "-name" | "role" | "-role";
                    search?: string;
                    email?: string;
                    role?: "readonly" | "member" | "org_admin" | "sys_admin";
                    ids?: string;
                };
                path: {
                    org_id: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": {
                            data: components["schemas"]["Member"][];
                            next_cursor: string | null;
                            total: number | null;
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InternalError" | "MembershipSuspended" | "NotFound" | "OrgPolicyUnmet" | "ServiceUnavailable" | "SessionRenewed" | "StepUpRequired" | "Unauthenticated" | "ValidationFailed";
                        };
                    };
                };
            };
        };
    };
    "/orgs/{org_id}/members/{user_id}": {
        /** Takes a member out of the organization. Members may leave; it ends when the last one leaves. That, and taking an ORG_ADMIN out, asks for a recent proof. */
        delete: {
            parameters: {
                path: {
                    org_id: string;
                    user_id: string;
                };
            };
            responses: {
                204: {
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InsufficientRole" | "InternalError" | "LastOrgAdmin" | "MalformedBody" | "MembershipSuspended" | "NotFound" | "NotWhileActing" | "OrgPolicyUnmet" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "SessionRenewed" | "StepUpRequired" | "SubscriptionActive" | "Unauthenticated" | "UnsupportedMediaType" | "ValidationFailed";
                        };
                    };
                };
            };
        };
        /**
         * Gives a member another role, suspends them or lets them in again. Where it makes or is about an ORG_ADMIN, it asks for a recent proof.
         * @description For the role `org_admin` and those above it.
         */
        patch: {
            parameters: {
                path: {
                    org_id: string;
                    user_id: string;
                };
            };
            requestBody?: {
                content: {
                    "application/json": {
                        role?: "readonly" | "member" | "org_admin";
                        /** Format: uuid */
                        role_id?: string;
                        suspended?: boolean;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": {
                            user: components["schemas"]["Member"];
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InsufficientRole" | "InternalError" | "LastOrgAdmin" | "MalformedBody" | "MembershipSuspended" | "NotFound" | "NotWhileActing" | "OrgPolicyUnmet" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "SessionRenewed" | "StepUpRequired" | "TooManyRequests" | "Unauthenticated" | "UnsupportedMediaType" | "ValidationFailed";
                        };
                    };
                };
            };
        };
    };
    "/orgs/{org_id}/members/{user_id}/factors": {
        /**
         * Removes all second factors of a member who has lost them, ends their sessions, and tells the owner: 204. Where users can belong to several organizations, it asks the SYSTEM_ADMINs to do so: 202. Asks for a recent proof.
         * @description For the role `org_admin` and those above it.
         */
        delete: {
            parameters: {
                path: {
                    org_id: string;
                    user_id: string;
                };
            };
            responses: {
                202: {
                };
                204: {
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InsufficientRole" | "InternalError" | "MalformedBody" | "MembershipSuspended" | "NotFound" | "NotWhileActing" | "OrgPolicyUnmet" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "SessionRenewed" | "StepUpRequired" | "TooManyRequests" | "Unauthenticated" | "UnsupportedMediaType" | "ValidationFailed";
                        };
                    };
                };
            };
        };
    };
    "/orgs/{org_id}/roles": {
        /** The roles of an organization: the built-in ones, then its own by their names. */
        get: {
            parameters: {
                path: {
                    org_id: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": {
                            data: components["schemas"]["OrganizationRole"][];
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InternalError" | "MembershipSuspended" | "NotFound" | "OrgPolicyUnmet" | "ServiceUnavailable" | "SessionRenewed" | "StepUpRequired" | "Unauthenticated" | "ValidationFailed";
                        };
                    };
                };
            };
        };
        /**
         * Composes a role of permissions of the product, 20 in an organization at most. Asks for a recent proof.
         * @description For the role `org_admin` and those above it.
         */
        post: {
            parameters: {
                path: {
                    org_id: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @example Ada Lovelace */
                        name: string;
                        base: "readonly" | "member";
                        /**
                         * @example [
                         *       "notes.read",
                         *       "notes.write"
                         *     ]
                         */
                        permissions: string[];
                    };
                };
            };
            responses: {
                201: {
                    content: {
                        "application/json": {
                            role: components["schemas"]["OrganizationRole"];
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InsufficientRole" | "InternalError" | "MalformedBody" | "MembershipSuspended" | "NotFound" | "NotWhileActing" | "OrgPolicyUnmet" | "OriginNotAllowed" | "PayloadTooLarge" | "RoleNameTaken" | "ServiceUnavailable" | "SessionRenewed" | "StepUpRequired" | "TooManyRequests" | "TooManyRoles" | "Unauthenticated" | "UnsupportedMediaType" | "ValidationFailed";
                        };
                    };
                };
            };
        };
    };
    "/orgs/{org_id}/roles/{id}": {
        /**
         * Removes a role that neither a member nor an open invitation has. Asks for a recent proof.
         * @description For the role `org_admin` and those above it.
         */
        delete: {
            parameters: {
                path: {
                    org_id: string;
                    id: string;
                };
            };
            responses: {
                204: {
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InsufficientRole" | "InternalError" | "MalformedBody" | "MembershipSuspended" | "NotFound" | "NotWhileActing" | "OrgPolicyUnmet" | "OriginNotAllowed" | "PayloadTooLarge" | "RoleInUse" | "ServiceUnavailable" | "SessionRenewed" | "StepUpRequired" | "Unauthenticated" | "UnsupportedMediaType" | "ValidationFailed";
                        };
                    };
                };
            };
        };
        /**
         * Gives a role another name or other permissions, which binds on the next request. Asks for a recent proof.
         * @description For the role `org_admin` and those above it.
         */
        patch: {
            parameters: {
                path: {
                    org_id: string;
                    id: string;
                };
            };
            requestBody?: {
                content: {
                    "application/json": {
                        /** @example Ada Lovelace */
                        name?: string;
                        /**
                         * @example [
                         *       "notes.read",
                         *       "notes.write"
                         *     ]
                         */
                        permissions?: string[];
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": {
                            role: components["schemas"]["OrganizationRole"];
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InsufficientRole" | "InternalError" | "MalformedBody" | "MembershipSuspended" | "NotFound" | "NotWhileActing" | "OrgPolicyUnmet" | "OriginNotAllowed" | "PayloadTooLarge" | "RoleNameTaken" | "ServiceUnavailable" | "SessionRenewed" | "StepUpRequired" | "TooManyRequests" | "Unauthenticated" | "UnsupportedMediaType" | "ValidationFailed";
                        };
                    };
                };
            };
        };
    };
    "/orgs/{org_id}/invitations": {
        /**
         * The invitations of an organization, newest first.
         * @description For the role `org_admin` and those above it.
         */
        get: {
            parameters: {
                query?: {
                    status?: "pending" | "accepted" | "revoked" | "expired";
                    limit?: number;
                    cursor?: string;
                };
                path: {
                    org_id: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": {
                            data: components["schemas"]["Invitation"][];
                            next_cursor: string | null;
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InsufficientRole" | "InternalError" | "MembershipSuspended" | "NotFound" | "OrgPolicyUnmet" | "ServiceUnavailable" | "SessionRenewed" | "StepUpRequired" | "Unauthenticated" | "ValidationFailed";
                        };
                    };
                };
            };
        };
        /**
         * Mails an invitation, in place of the one the address still has open; that of an ORG_ADMIN asks for a recent proof.
         * @description For the role `org_admin` and those above it.
         */
        post: {
            parameters: {
                path: {
                    org_id: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        /**
                         * Format: email
                         * @example ada@example.com
                         */
                        email: string;
                        /** @example de-CH */
                        locale?: string | null;
                        role?: "readonly" | "member" | "org_admin";
                        /** Format: uuid */
                        role_id?: string;
                    };
                };
            };
            responses: {
                201: {
                    content: {
                        "application/json": {
                            invitation: components["schemas"]["Invitation"];
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "AlreadyMember" | "InsufficientRole" | "InternalError" | "InvitationDeclined" | "MalformedBody" | "MembershipSuspended" | "NotFound" | "NotWhileActing" | "OrgPolicyUnmet" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "SessionRenewed" | "StepUpRequired" | "TooManyRequests" | "Unauthenticated" | "UnsupportedMediaType" | "ValidationFailed";
                        };
                    };
                };
            };
        };
    };
    "/orgs/{org_id}/invitations/many": {
        /**
         * Mails invitations to up to 100 addresses, each within the limits of a single one, and says of each what became of it.
         * @description For the role `org_admin` and those above it.
         */
        post: {
            parameters: {
                path: {
                    org_id: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        /**
                         * @example [
                         *       "ada@example.com",
                         *       "grace@example.com"
                         *     ]
                         */
                        emails: string[];
                        /** @example de-CH */
                        locale?: string | null;
                        role?: "readonly" | "member" | "org_admin";
                        /** Format: uuid */
                        role_id?: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": {
                            data: components["schemas"]["Invited"][];
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InsufficientRole" | "InternalError" | "MalformedBody" | "MembershipSuspended" | "NotFound" | "NotWhileActing" | "OrgPolicyUnmet" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "SessionRenewed" | "StepUpRequired" | "TooManyRequests" | "Unauthenticated" | "UnsupportedMediaType" | "ValidationFailed";
                        };
                    };
                };
            };
        };
    };
    "/orgs/{org_id}/invitations/{id}": {
        /**
         * Takes an open invitation back.
         * @description For the role `org_admin` and those above it.
         */
        delete: {
            parameters: {
                path: {
                    org_id: string;
                    id: string;
                };
            };
            responses: {
                204: {
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InsufficientRole" | "InternalError" | "MalformedBody" | "MembershipSuspended" | "NotFound" | "NotWhileActing" | "OrgPolicyUnmet" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "SessionRenewed" | "StepUpRequired" | "Unauthenticated" | "UnsupportedMediaType" | "ValidationFailed";
                        };
                    };
                };
            };
        };
    };
    "/orgs/{org_id}/invitations/{id}/resend": {
        /**
         * Mails an open invitation again with a fresh link, and the earlier link dies; that of an ORG_ADMIN asks for a recent proof.
         * @description For the role `org_admin` and those above it.
         */
        post: {
            parameters: {
                path: {
                    org_id: string;
                    id: string;
                };
            };
            responses: {
                202: {
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InsufficientRole" | "InternalError" | "MalformedBody" | "MembershipSuspended" | "NotFound" | "NotWhileActing" | "OrgPolicyUnmet" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "SessionRenewed" | "StepUpRequired" | "TooManyRequests" | "Unauthenticated" | "UnsupportedMediaType" | "ValidationFailed";
                        };
                    };
                };
            };
        };
    };
    "/invitations/preview": {
        /** What an invitation offers, and whether its address has an account. */
        post: {
            requestBody: {
                content: {
                    "application/json": {
                        /** @example 4yWAVD6HrN0wDj6RdzH7T3nD2p9ZtPq3c1VXYhM8kQk */
                        token: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": {
                            org_name: string;
                            inviter: string | null;
                            /** Format: email */
                            email: string;
                            role: "readonly" | "member" | "org_admin" | "sys_admin";
                            /** Format: date-time */
                            expires_at: string;
                            account_exists: boolean;
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InternalError" | "InvalidToken" | "MalformedBody" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "TooManyRequests" | "UnsupportedMediaType" | "ValidationFailed";
                        };
                    };
                };
            };
        };
    };
    "/invitations/accept": {
        /** Joins the organization, with a new account or with the account that is logged in. */
        post: {
            requestBody: {
                content: {
                    "application/json": {
                        /**
                         * Format: password
                         * @example a long pass phrase
                         */
                        password?: string | null;
                        /** @example Ada Lovelace */
                        name?: string | null;
                        /** @example Europe/Zurich */
                        time_zone?: string | null;
                        /** @example 4yWAVD6HrN0wDj6RdzH7T3nD2p9ZtPq3c1VXYhM8kQk */
                        token: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": {
                            user: components["schemas"]["User"];
                        };
                    };
                };
                201: {
                    content: {
                        "application/json": {
                            user: components["schemas"]["User"];
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "AlreadyInOrganization" | "AlreadyMember" | "InternalError" | "InvalidToken" | "InvitationEmailMismatch" | "MalformedBody" | "NotWhileActing" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "TooManyOrganizations" | "TooManyRequests" | "Unauthenticated" | "UnsupportedMediaType" | "ValidationFailed" | "WeakPassword";
                        };
                    };
                };
            };
        };
    };
    "/invitations/decline": {
        /** Turns an invitation down. */
        post: {
            requestBody: {
                content: {
                    "application/json": {
                        /** @example 4yWAVD6HrN0wDj6RdzH7T3nD2p9ZtPq3c1VXYhM8kQk */
                        token: string;
                    };
                };
            };
            responses: {
                204: {
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InternalError" | "InvalidToken" | "MalformedBody" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "TooManyRequests" | "UnsupportedMediaType" | "ValidationFailed";
                        };
                    };
                };
            };
        };
    };
    "/subscription/checkout": {
        /** Where to pay: a page of Stripe, for a price. */
        post: {
            parameters: {
                header?: {
                    "Latchkey-Org"?: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @example price_1MoBy5LkdIwHu7ixZhnattbh */
                        price_id: string;
                    };
                };
            };
            responses: {
                201: {
                    content: {
                        "application/json": {
                            id: string;
                            url: string;
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "AlreadySubscribed" | "BillingModeMismatch" | "CurrencyMismatch" | "InternalError" | "MalformedBody" | "MembershipSuspended" | "NotFound" | "NotWhileActing" | "OrgPolicyUnmet" | "OrgRequired" | "OriginNotAllowed" | "PayloadTooLarge" | "PaymentProviderError" | "PaymentProviderRefusal" | "ServiceUnavailable" | "SessionRenewed" | "StepUpRequired" | "TooManyRequests" | "Unauthenticated" | "UnknownPrice" | "UnsupportedMediaType" | "ValidationFailed";
                        };
                    };
                };
            };
        };
    };
    "/subscription/prices": {
        /** What is on sale, and what the organization, or for none the caller, would pay: for the prices of the settings, or for one. */
        get: {
            parameters: {
                query?: {
                    price_id?: string;
                };
                header?: {
                    "Latchkey-Org"?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": {
                            data: components["schemas"]["Offer"][];
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InternalError" | "MembershipSuspended" | "NotFound" | "OrgPolicyUnmet" | "OrgRequired" | "PaymentProviderError" | "PaymentProviderRefusal" | "ServiceUnavailable" | "SessionRenewed" | "StepUpRequired" | "TooManyRequests" | "Unauthenticated" | "UnknownPrice" | "ValidationFailed";
                        };
                    };
                };
            };
        };
    };
    "/subscription/portal": {
        /** Where to change or cancel the subscription: a page of Stripe, of an organization for its admins. */
        post: {
            parameters: {
                header?: {
                    "Latchkey-Org"?: string;
                };
            };
            responses: {
                201: {
                    content: {
                        "application/json": {
                            url: string;
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "BillingModeMismatch" | "InsufficientRole" | "InternalError" | "MalformedBody" | "MembershipSuspended" | "NoSubscription" | "NotFound" | "NotWhileActing" | "OrgPolicyUnmet" | "OrgRequired" | "OriginNotAllowed" | "PayloadTooLarge" | "PaymentProviderError" | "PaymentProviderRefusal" | "ServiceUnavailable" | "SessionRenewed" | "StepUpRequired" | "TooManyRequests" | "Unauthenticated" | "UnsupportedMediaType" | "ValidationFailed";
                        };
                    };
                };
            };
        };
    };
    "/subscription": {
        /** The subscription of the organization, or for none of the caller. */
        get: {
            parameters: {
                header?: {
                    "Latchkey-Org"?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": {
                            subscription: {
                                status: string;
                                price_id: string | null;
                                quantity: number | null;
                                /** Format: date-time */
                                current_period_end: string | null;
                                cancel_at_period_end: boolean;
                                /** Format: date-time */
                                past_due_since: string | null;
                            } | null;
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InternalError" | "MembershipSuspended" | "NotFound" | "OrgPolicyUnmet" | "OrgRequired" | "ServiceUnavailable" | "SessionRenewed" | "StepUpRequired" | "Unauthenticated" | "ValidationFailed";
                        };
                    };
                };
            };
        };
    };
    "/subscription/customers": {
        /**
         * The customers at Stripe, and their subscriptions as last read, newest first; and in which mode Stripe is used.
         * @description For the role `sys_admin` and those above it.
         */
        get: {
            parameters: {
                query?: {
                    org_id?: string;
                    user_id?: string;
                    status?: "active" | "trialing" | "past_due" | "unpaid" | "paused" | "incomplete" | "canceled" | "incomplete_expired";
                    limit?: number;
                    cursor?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": {
                            data: components["schemas"]["Customer"][];
                            next_cursor: string | null;
                            mode: "live" | "test";
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InsufficientRole" | "InternalError" | "NotFound" | "ServiceUnavailable" | "SessionRenewed" | "Unauthenticated" | "ValidationFailed";
                        };
                    };
                };
            };
        };
    };
    "/subscription/customers/{id}/reconcile": {
        /**
         * Reads a customer from Stripe now, and corrects seats and address there.
         * @description For the role `sys_admin` and those above it.
         */
        post: {
            parameters: {
                path: {
                    id: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": {
                            customer: components["schemas"]["Customer"];
                            corrected: boolean;
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "BillingModeMismatch" | "InsufficientRole" | "InternalError" | "MalformedBody" | "NotFound" | "OriginNotAllowed" | "PayloadTooLarge" | "PaymentProviderError" | "PaymentProviderRefusal" | "ServiceUnavailable" | "SessionRenewed" | "TooManyRequests" | "Unauthenticated" | "UnsupportedMediaType" | "ValidationFailed";
                        };
                    };
                };
            };
        };
    };
    "/permissions": {
        /** Lists the permissions that are declared. */
        get: {
            responses: {
                200: {
                    content: {
                        "application/json": {
                            data: components["schemas"]["Permission"][];
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InternalError" | "ServiceUnavailable" | "SessionRenewed" | "Unauthenticated";
                        };
                    };
                };
            };
        };
    };
    "/access": {
        /** Says what the user may do in the organization of the request. */
        get: {
            parameters: {
                header?: {
                    "Latchkey-Org"?: string;
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": {
                            access: components["schemas"]["Access"];
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InternalError" | "MembershipSuspended" | "NotFound" | "OrgPolicyUnmet" | "OrgRequired" | "ServiceUnavailable" | "SessionRenewed" | "StepUpRequired" | "Unauthenticated" | "ValidationFailed";
                        };
                    };
                };
            };
        };
    };
    "/ai/activity-summary": {
        /** What was recorded lately of the caller, or in the organization of an ORG_ADMIN, in plain words. */
        post: {
            parameters: {
                header?: {
                    "Latchkey-Org"?: string;
                };
            };
            requestBody?: {
                content: {
                    "application/json": {
                        /**
                         * @default me
                         * @enum {string}
                         */
                        scope?: "me" | "org";
                        /** Format: date-time */
                        since?: string | null;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": {
                            summary: string;
                            events_considered: number;
                            /** Format: date-time */
                            since: string;
                        };
                        "text/event-stream": string;
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "AiProviderError" | "InsufficientRole" | "InternalError" | "MalformedBody" | "MembershipSuspended" | "NotFound" | "NotWhileActing" | "OrgPolicyUnmet" | "OrgRequired" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "SessionRenewed" | "StepUpRequired" | "TooManyRequests" | "Unauthenticated" | "UnsupportedMediaType" | "ValidationFailed";
                        };
                    };
                };
            };
        };
    };
    "/users/{id}/act": {
        /**
         * Acts for a user, in one of their organizations or in none, for half an hour at most; tells the owner by mail.
         * @description For the role `sys_admin` and those above it.
         */
        post: {
            parameters: {
                path: {
                    id: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @example Call Ada back */
                        reason: string;
                        /** @example none */
                        org_id: string;
                        /** @default false */
                        write?: boolean;
                    };
                };
            };
            responses: {
                201: {
                    content: {
                        "application/json": {
                            user: components["schemas"]["User"];
                            session: components["schemas"]["Session"];
                            organizations: components["schemas"]["OrganizationOfUser"][];
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "AccountDisabled" | "InsufficientRole" | "InternalError" | "MalformedBody" | "NotFound" | "OrgRefusesActing" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "SessionRenewed" | "StepUpRequired" | "TooManyRequests" | "Unauthenticated" | "UnsupportedMediaType" | "ValidationFailed";
                        };
                    };
                };
            };
        };
    };
    "/auth/stop-acting": {
        /** Stops acting for a user, and goes back to the session of the admin. */
        post: {
            responses: {
                200: {
                    content: {
                        "application/json": {
                            user: components["schemas"]["User"];
                            session: components["schemas"]["Session"];
                            organizations: components["schemas"]["OrganizationOfUser"][];
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InternalError" | "MalformedBody" | "NotActing" | "NotFound" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "SessionRenewed" | "Unauthenticated" | "UnsupportedMediaType";
                        };
                    };
                };
            };
        };
    };
    "/sessions/token": {
        /** Signs who calls, for a back end on another host. */
        post: {
            parameters: {
                header?: {
                    "Latchkey-Org"?: string;
                };
            };
            requestBody: {
                content: {
                    "application/json": {
                        /** @example reports */
                        audience: string;
                    };
                };
            };
            responses: {
                200: {
                    content: {
                        "application/json": {
                            token: string;
                            /** Format: date-time */
                            expires_at: string;
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InternalError" | "MalformedBody" | "MembershipSuspended" | "NotFound" | "NotWhileActing" | "OrgPolicyUnmet" | "OrgRequired" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "SessionRenewed" | "StepUpRequired" | "TooManyRequests" | "Unauthenticated" | "UnknownAudience" | "UnsupportedMediaType" | "ValidationFailed";
                        };
                    };
                };
            };
        };
    };
    "/system": {
        /**
         * How the service stands, and its settings; of secrets only fingerprints.
         * @description For the role `sys_admin` and those above it.
         */
        get: {
            responses: {
                200: {
                    content: {
                        "application/json": {
                            system: components["schemas"]["System"];
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InsufficientRole" | "InternalError" | "ServiceUnavailable" | "SessionRenewed" | "Unauthenticated";
                        };
                    };
                };
            };
        };
    };
    "/system/figures": {
        /**
         * How many users there are and were active, and what happened on each of thirty days.
         * @description For the role `sys_admin` and those above it.
         */
        get: {
            responses: {
                200: {
                    content: {
                        "application/json": {
                            figures: components["schemas"]["Figures"];
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InsufficientRole" | "InternalError" | "ServiceUnavailable" | "SessionRenewed" | "Unauthenticated";
                        };
                    };
                };
            };
        };
    };
    "/system/cron": {
        /**
         * Does what the scheduler has /cron do.
         * @description For the role `sys_admin` and those above it.
         */
        post: {
            responses: {
                200: {
                    content: {
                        "application/json": {
                            pruned: {
                                [key: string]: number;
                            };
                            reconciled: {
                                customers: number;
                                corrected: number;
                                failed: number;
                            } | null;
                            skipped: boolean;
                            complete: boolean;
                            duration_ms: number;
                        };
                    };
                };
                default: {
                    content: {
                        "application/problem+json": {
                            code: "InsufficientRole" | "InternalError" | "MalformedBody" | "OriginNotAllowed" | "PayloadTooLarge" | "ServiceUnavailable" | "SessionRenewed" | "TooManyRequests" | "Unauthenticated" | "UnsupportedMediaType";
                        };
                    };
                };
            };
        };
    };
}
export interface components {
    schemas: {
        Mail: {
            /** Format: uuid */
            id: string;
            kind: string;
            /** Format: email */
            to: string;
            subject: string;
            language: string;
            state: "waiting" | "sent" | "expired" | "dead";
            attempts: number;
            last_error: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            due_at: string;
            /** Format: date-time */
            expires_at: string | null;
            /** Format: date-time */
            finished_at: string | null;
        };
        Reason: {
            code: "already_yours" | "both_given" | "disabled" | "goes_with_all" | "goes_with_org_or_all" | "in_breaches" | "needed_by_hand" | "needed_for_account" | "not_a_backend" | "not_a_credential" | "not_a_cursor" | "not_a_flag" | "not_a_locale" | "not_a_mailed_code" | "not_a_name" | "not_a_password" | "not_a_path" | "not_a_price" | "not_a_recovery_code" | "not_a_search" | "not_a_text" | "not_a_time_zone" | "not_a_token" | "not_a_totp_code" | "not_an_address" | "not_an_address_prefix" | "not_an_id" | "not_an_instant" | "not_an_object" | "not_permissions" | "not_an_org_of_rule" | "not_an_organization" | "not_exactly_one" | "not_beside_role" | "not_for_organization" | "not_for_roles" | "not_of_this_order" | "not_one_of" | "not_so_many_addresses" | "not_so_many_networks" | "not_so_many_ids" | "not_the_org_of_path" | "not_token_or_code" | "not_valid" | "not_whole" | "own_words" | "repeats" | "too_common" | "too_deep" | "too_large" | "too_many_people" | "too_many_values" | "too_short" | "too_small" | "unknown_locale" | "unknown_field";
            min?: number;
            max?: number;
            choices?: string[];
        };
        MailPreview: {
            subject: string;
            text: string;
            language: string;
            direction: "ltr" | "rtl";
        };
        AuditEvent: {
            /** Format: uuid */
            id: string;
            type: "account.created" | "account.deleted" | "account.disabled" | "account.enabled" | "account.exported" | "account.secured" | "account.updated" | "access.refused" | "acting.ended" | "acting.started" | "checkout.started" | "cron.ran" | "custom_role.changed" | "custom_role.made" | "custom_role.removed" | "delivery.forgotten" | "delivery.replayed" | "delivery.retried" | "dunning.mailed" | "email.change_canceled" | "email.change_requested" | "email.changed" | "email.verified" | "email_code.requested" | "factors.reset" | "factors.reset_requested" | "identity.linked" | "identity.unlinked" | "invitation.declined" | "invitation.revoked" | "invitation.sent" | "key.ended" | "key.made" | "key.refused" | "key.rotated" | "key.secret_ended" | "list.exported" | "login.failed" | "login.limited" | "login.pending" | "login.succeeded" | "logout" | "mail.retried" | "mail.tested" | "member.entered" | "member.joined" | "member.removed" | "member.resumed" | "member.suspended" | "org.created" | "org.deleted" | "org.policy_changed" | "org.updated" | "passkey.added" | "passkey.removed" | "passkey.renamed" | "password.changed" | "password.link_requested" | "password.removed" | "password.reset" | "portal.opened" | "recovery_code.used" | "recovery_codes.made" | "role.changed" | "second_step.off" | "second_step.on" | "session.ended" | "sessions.ended" | "signup.ended" | "signup.started" | "step_up.failed" | "step_up.succeeded" | "subscription.changed" | "account.signed_up_again";
            /** Format: uuid */
            actor_id: string | null;
            /** Format: uuid */
            user_id: string | null;
            /** Format: uuid */
            org_id: string | null;
            ip: string | null;
            user_agent: string | null;
            details: {
                [key: string]: unknown;
            };
            /** Format: date-time */
            created_at: string;
            /** Format: email */
            actor_email: string | null;
            /** Format: email */
            user_email: string | null;
            org_name: string | null;
        };
        AuditDay: {
            /** Format: date */
            day: string;
            events: number;
        };
        User: {
            /** Format: uuid */
            id: string;
            /** Format: email */
            email: string;
            name: string | null;
            role: "readonly" | "member" | "org_admin" | "sys_admin";
            email_verified: boolean;
            /** Format: uuid */
            org_id: string | null;
            has_password: boolean;
            /** Format: date-time */
            created_at: string;
            locale: string | null;
            time_zone: string | null;
        };
        Session: {
            /** Format: uuid */
            id: string;
            current: boolean;
            auth_method: "password" | "idp" | "passkey" | "email_code" | "acting";
            aal: 1 | 2;
            ip: string | null;
            user_agent: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            authenticated_at: string | null;
            /** Format: date-time */
            last_seen_at: string;
            /** Format: date-time */
            expires_at: string;
            acting: {
                /** Format: uuid */
                actor_id: string;
                /** Format: uuid */
                org_id: string | null;
                write: boolean;
            } | null;
        };
        OrganizationOfUser: {
            /** Format: uuid */
            id: string;
            name: string;
            role: "readonly" | "member" | "org_admin" | "sys_admin";
            suspended: boolean;
            unmet: ("second_factor" | "idle_minutes" | "age_minutes" | "login_methods" | "networks")[];
        };
        PendingLogin: {
            next: "second_factor" | "setup";
            methods: ("totp" | "passkey" | "recovery_code")[];
            /** Format: date-time */
            expires_at: string;
            links: {
                provider: string | null;
                issuer: string;
            } | null;
        };
        EmailChange: {
            /** Format: email */
            new_email: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            expires_at: string;
        };
        MembershipOfUser: {
            /** Format: uuid */
            id: string;
            role: "readonly" | "member" | "org_admin";
            suspended: boolean;
        };
        AdministeredUser: {
            /** Format: uuid */
            id: string;
            /** Format: email */
            email: string;
            name: string | null;
            role: "readonly" | "member" | "org_admin" | "sys_admin";
            email_verified: boolean;
            /** Format: uuid */
            org_id: string | null;
            has_password: boolean;
            /** Format: date-time */
            created_at: string;
            locale: string | null;
            time_zone: string | null;
            has_factor: boolean;
            disabled: boolean;
            external_id: string | null;
            organizations: components["schemas"]["MembershipOfUser"][];
            /** Format: date-time */
            last_login_at: string | null;
            org_name: string | null;
        };
        Identity: {
            /** Format: uuid */
            id: string;
            provider: string | null;
            issuer: string;
            /** Format: email */
            email: string | null;
            /** Format: date-time */
            created_at: string;
        };
        Provider: {
            id: string;
            title: string;
        };
        Passkey: {
            /** Format: uuid */
            id: string;
            name: string;
            credential_id: string;
            backed_up: boolean;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            last_used_at: string | null;
        };
        Factors: {
            totp: {
                /** Format: date-time */
                created_at: string;
            } | null;
            passkeys: number;
            recovery_codes_left: number;
            /** Format: date-time */
            recovery_codes_kept_at: string | null;
            second_step: "off" | "on" | "required";
        };
        ManagedOrganization: {
            /** Format: uuid */
            id: string;
            name: string;
            locale: string | null;
            member_count: number;
            second_factor_required: boolean;
            /** Format: date-time */
            created_at: string;
            external_id: string | null;
        };
        NamedRole: {
            /** Format: uuid */
            id: string;
            name: string;
        };
        Invitation: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            org_id: string;
            /** Format: email */
            email: string;
            role: "readonly" | "member" | "org_admin" | "sys_admin";
            custom_role: components["schemas"]["NamedRole"] | null;
            locale: string | null;
            status: "pending" | "accepted" | "revoked" | "expired";
            /** Format: uuid */
            invited_by: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            expires_at: string;
        };
        Organization: {
            /** Format: uuid */
            id: string;
            name: string;
            locale: string | null;
            member_count: number;
            second_factor_required: boolean;
            /** Format: date-time */
            created_at: string;
        };
        OrgPolicy: {
            second_factor: boolean;
            idle_minutes: number | null;
            age_minutes: number | null;
            login_methods: ("password" | "idp" | "passkey" | "email_code")[] | null;
            networks: string[] | null;
            acting: boolean;
        };
        Member: {
            /** Format: uuid */
            id: string;
            /** Format: email */
            email: string;
            name: string | null;
            role: "readonly" | "member" | "org_admin" | "sys_admin";
            email_verified: boolean;
            /** Format: uuid */
            org_id: string | null;
            has_password: boolean;
            /** Format: date-time */
            created_at: string;
            custom_role: components["schemas"]["NamedRole"] | null;
            has_factor: boolean;
            /** Format: date-time */
            joined_at: string;
            suspended: boolean;
            /** Format: date-time */
            entered_at: string | null;
        };
        OrganizationRole: {
            /** Format: uuid */
            id: string | null;
            name: string;
            base: "readonly" | "member" | "org_admin";
            permissions: string[];
            unknown_permissions: string[];
            member_count: number;
            /** Format: date-time */
            created_at: string | null;
            /** Format: date-time */
            changed_at: string | null;
        };
        Invited: {
            email: string;
            invitation: components["schemas"]["Invitation"] | null;
            problem: {
                code: string;
                detail: string;
            } | null;
        };
        Offer: {
            price_id: string;
            product: string;
            description: string | null;
            currency: string;
            unit_amount: string | null;
            recurring: {
                interval: string;
                interval_count: number;
            } | null;
            is_metered: boolean;
            is_per_seat: boolean;
            quantity: number | null;
            total: string | null;
        };
        Customer: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            org_id: string | null;
            org_name: string | null;
            /** Format: uuid */
            user_id: string | null;
            /** Format: email */
            user_email: string | null;
            stripe_customer_id: string | null;
            subscription: {
                status: string;
                price_id: string | null;
                quantity: number | null;
                /** Format: date-time */
                current_period_end: string | null;
                cancel_at_period_end: boolean;
                /** Format: date-time */
                past_due_since: string | null;
            } | null;
            /** Format: date-time */
            past_due_since: string | null;
            livemode: boolean | null;
            /** Format: date-time */
            unknown_at: string | null;
            /** Format: date-time */
            read_at: string | null;
            /** Format: date-time */
            created_at: string;
        };
        Permission: {
            name: string;
            title: string;
            from: "readonly" | "member" | "org_admin" | "operator";
            keys: boolean;
        };
        Access: {
            principal: "user";
            /** Format: uuid */
            org_id: string | null;
            role: "readonly" | "member" | "org_admin" | "sys_admin";
            custom_role: components["schemas"]["NamedRole"] | null;
            permissions: string[];
            subscribed: boolean;
        } | null;
        PublicKey: {
            kty: "EC";
            crv: "P-256";
            x: string;
            y: string;
            kid: string;
            use: "sig";
            alg: "ES256";
        };
        System: {
            version: string;
            commit: string;
            environment: string;
            app_mode: "b2c" | "b2b";
            instance: {
                host: string;
                pid: number;
                node: string;
                /** Format: date-time */
                started_at: string;
            };
            health: {
                down: string[];
                degraded: string[];
            };
            database: {
                version: string;
                migrations: "current" | "behind" | "ahead";
            };
            cron: {
                trigger: "secret" | "schedule" | "both" | "none";
                /** Format: date-time */
                last_success_at: string | null;
                is_late: boolean;
            };
            mail: {
                provider: string;
                fallback: string | null;
                key_refused: boolean;
                states: {
                    waiting: number;
                    sent: number;
                    expired: number;
                    dead: number;
                };
                /** Format: date-time */
                oldest_waiting_at: string | null;
            };
            billing: {
                mode: "live" | "test";
                customers: number;
                unread_for_a_day: number;
            } | null;
            admins: {
                total: number;
                without_factor: number;
            };
            settings: {
                name: string;
                value: string | null;
                fingerprint: string | null;
                is_default: boolean;
            }[];
        };
        Figures: {
            users: number;
            active: {
                in_seven_days: number;
                in_thirty_days: number;
                /** Format: date-time */
                counted_at: string;
            } | null;
            days: {
                /** Format: date */
                day: string;
                new_users: number;
                logins: number;
                failed_logins: number;
            }[];
        };
        ManagedUser: {
            /** Format: uuid */
            id: string;
            /** Format: email */
            email: string;
            name: string | null;
            role: "readonly" | "member" | "org_admin" | "sys_admin";
            email_verified: boolean;
            /** Format: uuid */
            org_id: string | null;
            has_password: boolean;
            /** Format: date-time */
            created_at: string;
            locale: string | null;
            time_zone: string | null;
            has_factor: boolean;
            disabled: boolean;
            external_id: string | null;
            organizations: components["schemas"]["MembershipOfUser"][];
        };
        UserEvent: {
            type: "account.created" | "account.deleted" | "account.disabled" | "account.enabled" | "account.secured" | "account.updated" | "acting.ended" | "acting.started" | "email.changed" | "email.verified" | "factors.reset" | "identity.linked" | "identity.unlinked" | "login.succeeded" | "logout" | "member.joined" | "member.removed" | "member.resumed" | "member.suspended" | "passkey.added" | "passkey.removed" | "passkey.renamed" | "password.changed" | "password.removed" | "password.reset" | "role.changed" | "second_step.off" | "second_step.on" | "session.ended" | "sessions.ended";
            /** Format: date-time */
            timestamp: string;
            data: {
                /** Format: uuid */
                actor_id: string | null;
                /** Format: uuid */
                user_id: string | null;
                /** Format: uuid */
                org_id: string | null;
                details: {
                    [key: string]: unknown;
                };
                version: number;
                user: components["schemas"]["ManagedUser"] | null;
            };
        };
        OrgEvent: {
            type: "org.created" | "org.deleted" | "org.policy_changed" | "org.updated";
            /** Format: date-time */
            timestamp: string;
            data: {
                /** Format: uuid */
                actor_id: string | null;
                /** Format: uuid */
                user_id: string | null;
                /** Format: uuid */
                org_id: string | null;
                details: {
                    [key: string]: unknown;
                };
                version: number;
                org: components["schemas"]["ManagedOrganization"] | null;
            };
        };
        RoleEvent: {
            type: "custom_role.changed" | "custom_role.made" | "custom_role.removed";
            /** Format: date-time */
            timestamp: string;
            data: {
                /** Format: uuid */
                actor_id: string | null;
                /** Format: uuid */
                user_id: string | null;
                /** Format: uuid */
                org_id: string | null;
                details: {
                    [key: string]: unknown;
                };
                version: number;
                role: components["schemas"]["OrganizationRole"] | null;
            };
        };
        SubscriptionEvent: {
            type: "dunning.mailed" | "subscription.changed";
            /** Format: date-time */
            timestamp: string;
            data: {
                /** Format: uuid */
                actor_id: string | null;
                /** Format: uuid */
                user_id: string | null;
                /** Format: uuid */
                org_id: string | null;
                details: {
                    [key: string]: unknown;
                };
                version: number;
                subscription: {
                    status: string;
                    price_id: string | null;
                    quantity: number | null;
                    /** Format: date-time */
                    current_period_end: string | null;
                    cancel_at_period_end: boolean;
                    /** Format: date-time */
                    past_due_since: string | null;
                } | null;
            };
        };
        TestEvent: {
            type: "webhook.test";
            /** Format: date-time */
            timestamp: string;
            data: Record<string, never>;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
