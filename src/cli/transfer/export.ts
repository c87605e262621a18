import { DataSource } from 'typeorm';
import { type ExportedOrg, type ExportedUser, ExportsRepository } from '../../accounts/exports.repository.js';
import { Transactions } from '../../audit/transactions.js';
import { TotpService } from '../../auth/second-factor/totp.service.js';
import { THE_SERVICE } from '../../http/caller.js';
import { NO_POLICY } from '../../http/org-policy.js';
import { Role } from '../../http/role.js';
import { policyView } from '../../orgs/policy.view.js';
import type { Product } from '../../start/product.js';
import { withService } from '../with-service.js';
import { print } from './print.js';

/** What leaves the service only where it is asked for by name. */
interface Secrets {
  withPasswordHashes?: boolean;
  withSecondFactors?: boolean;
}

/** Bytes that are printed at once. */
const CHUNK = 64 * 1024;

/**
 * `export`: prints all organizations and accounts, each as a line that `import` takes. Records that they left the service.
 * Exits with 1 if a secret could not be read.
 */
export async function exportAccounts(
  product: Product,
  { withPasswordHashes = false, withSecondFactors = false }: Secrets,
): Promise<void> {
  await withService(product, async (service) => {
    const lines = new AccountLines(service.get(TotpService), { withPasswordHashes, withSecondFactors });
    await service.get(Transactions).record('list.exported', THE_SERVICE, {
      details: {
        list: 'users',
        command: 'export',
        password_hashes: withPasswordHashes,
        second_factors: withSecondFactors,
      },
    });

    await new ExportsRepository(service.get(DataSource)).inSnapshot(async (reading) => {
      let text = '';
      const add = async (line: object) => {
        text += `${JSON.stringify(line)}\n`;
        if (text.length < CHUNK) return;
        await print(text);
        text = '';
      };
      for await (const org of reading.orgs()) await add(lines.ofOrg(org));
      for await (const user of reading.users()) await add(lines.ofUser(user));
      await print(text);
    });
    lines.report();
  });
}

/** Writes what is stored as lines of a file. A field that says nothing is left out. */
class AccountLines {
  private readonly counts = { orgs: 0, users: 0, admins: 0, unguarded: 0 };
  private readonly unreadable: string[] = [];

  constructor(
    private readonly totp: TotpService,
    private readonly secrets: Required<Secrets>,
  ) {}

  ofOrg({ id, externalId, name, locale, createdAt, policy, acting }: ExportedOrg): object {
    this.counts.orgs += 1;
    return {
      organization: said({
        id,
        external_id: externalId,
        name,
        locale,
        created_at: createdAt,
        policy: policy || !acting ? policyView({ ...NO_POLICY, ...policy, acting }) : null,
      }),
    };
  }

  ofUser(user: ExportedUser): object {
    const { withPasswordHashes, withSecondFactors } = this.secrets;
    this.counts.users += 1;
    // Only the command create-admin says who runs the service.
    if (user.ownRole === Role.SYSTEM_ADMIN) this.counts.admins += 1;
    if (user.totpSecret !== null && !withSecondFactors) this.counts.unguarded += 1;
    return said({
      id: user.id,
      external_id: user.externalId,
      email: user.email,
      email_verified: user.emailVerifiedAt !== null,
      name: user.name,
      locale: user.locale,
      time_zone: user.timeZone,
      created_at: user.createdAt,
      disabled: user.disabledAt !== null,
      role: user.ownRole === Role.READONLY ? user.ownRole : null,
      password_hash: withPasswordHashes ? user.passwordHash : null,
      totp_secret: withSecondFactors ? this.secretOf(user) : null,
      recovery_code_hashes: withSecondFactors
        ? user.recoveryCodes.map((hash) => hash.toString('base64url'))
        : null,
      identities: user.identities,
      passkeys: user.passkeys.map((passkey) => ({
        rp_id: passkey.rpId,
        credential_id: passkey.credentialId,
        public_key: passkey.publicKey,
        sign_count: passkey.signCount,
        transports: passkey.transports,
        backup_eligible: passkey.backupEligible,
        backed_up: passkey.backedUp,
        name: passkey.name,
        created_at: passkey.createdAt,
        last_used_at: passkey.lastUsedAt,
      })),
      organizations: user.memberships.map(({ orgId, role, suspended, joinedAt }) => ({
        id: orgId,
        role,
        suspended,
        joined_at: joinedAt,
      })),
    });
  }

  /** Says on standard error what the file has, and what the operator has to know of it. */
  report(): void {
    const { orgs, users, admins, unguarded } = this.counts;
    console.error(`${orgs} organizations and ${users} accounts exported`);
    if (admins > 0)
      console.error(
        `${admins} are SYSTEM_ADMINs, whom an import makes members. Appoint them with create-admin.`,
      );
    if (unguarded > 0)
      console.error(
        `${unguarded} have an authenticator app, which the file leaves out: imported from it, a password or a provider alone logs them in. Add --with-second-factors.`,
      );
    if (this.unreadable.length === 0) return;
    console.error(
      `${this.unreadable.length} secrets of authenticator apps are encrypted with none of the keys in SVC_JWT_SECRET_KEY, and were left out: ${this.unreadable.join(', ')}`,
    );
    process.exitCode = 1;
  }

  private secretOf({ totpSecret, email }: ExportedUser): string | null {
    if (totpSecret === null) return null;
    const secret = this.totp.tryToOpen(totpSecret);
    if (secret === null) this.unreadable.push(email);
    return secret;
  }
}

/** The fields of a line that say something. */
function said(fields: Record<string, unknown>): object {
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) => value !== null && value !== false && !(Array.isArray(value) && value.length === 0),
    ),
  );
}
