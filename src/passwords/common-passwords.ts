/** Some 50,000 passwords, in lower case, and the length of the longest. */
interface CommonPasswords {
  passwords: Set<string>;
  maxLength: number;
}

let loading: Promise<CommonPasswords> | undefined;

/**
 * A password as its core and what decorates it: `Summer` in `*Summer2026!`; a number is decorated by signs alone. Emoji
 * (`So`) are no decoration: there are thousands to choose from, and programs that guess add none.
 */
const DECORATED_WORD = /^(?<before>[^\p{L}\p{So}]*)(?<core>\p{L}.*\p{L}|\p{L})(?<after>[^\p{L}\p{So}]*)$/su;
const DECORATED_NUMBER = /^(?<before>[^\d\p{L}\p{So}]*)(?<core>\d.*\d|\d)(?<after>[^\d\p{L}\p{So}]*)$/su;

/**
 * Whether a password is among the some 50,000 most used, in any case, whatever digits and signs stand around it:
 * programs that guess add them too. Some of the most used have a few themselves, so each amount is tried.
 */
export async function isCommon(password: string): Promise<boolean> {
  loading ??= load();
  const { passwords, maxLength } = await loading;
  const plain = password.toLowerCase();
  const { before = '', core = plain, after = '' } = partsOf(plain);

  for (let start = before.length; start >= 0 && before.length - start + core.length <= maxLength; start--) {
    const begun = before.slice(start) + core;
    for (let end = 0; end <= after.length && begun.length + end <= maxLength; end++)
      if (passwords.has(begun + after.slice(0, end))) return true;
  }
  return false;
}

/** Loaded for the first password that a person chooses: a start would take 40 ms longer, and 6 MB. */
async function load(): Promise<CommonPasswords> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  const passwords = new Set<string>(dictionary['passwords-common']);
  return { passwords, maxLength: Math.max(...[...passwords].map(({ length }) => length)) };
}

function partsOf(plain: string): Record<string, string> {
  return (DECORATED_WORD.exec(plain) ?? DECORATED_NUMBER.exec(plain))?.groups ?? {};
}
