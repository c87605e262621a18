import { AdminService } from '../auth/account/admin.service.js';
import type { Product } from '../start/product.js';
import { Languages } from '../words/languages.js';
import { validAddress } from './valid-address.js';
import { withService } from './with-service.js';

/** `create-admin <address>`: the first SYSTEM_ADMIN, and any further one. */
export async function createAdmin(
  product: Product,
  address: string,
  { print = false, language }: { print?: boolean; language?: string },
): Promise<void> {
  const email = validAddress(address);

  await withService(product, async (service) => {
    const locale = language === undefined ? null : localeNamed(language, service.get(Languages));
    const { wasCreated, passwordLink } = await service
      .get(AdminService)
      .appoint(email, { isMailed: !print, locale });
    console.log(
      wasCreated ? `An account was made for ${email}; it is a SYSTEM_ADMIN.` : `${email} is a SYSTEM_ADMIN.`,
    );

    if (passwordLink === null) console.log('The account keeps the password it has.');
    else if (print) console.log(`Set the password within one hour: ${passwordLink}`);
    else console.log('The link to set the password is in the outbox; the service mails it.');
  });
}

function localeNamed(tag: string, languages: Languages): string {
  const locale = languages.keep([tag]);
  if (locale === null)
    throw new Error(`${tag} is none of the languages served: ${languages.tags.join(', ')}.`);
  return locale;
}
