import type { ClientLanguage } from './client-words.js';
import { soundLanguage } from './compile.js';
import { type KnownProblem, Word } from './page-words.js';

/** What no page of a product meets: problems of the console, of machines, and of requests that the client would not send. */
const LEFT_OUT: KnownProblem[] = [
  'AddressesUnknown',
  'BillingModeMismatch',
  'ExpectationFailed',
  'InvalidSignature',
  'KeyNameTaken',
  'LastSecret',
  'MethodNotAllowed',
  'NotActing',
  'NotDead',
  'OrgRefusesActing',
  'PolicyExcludesYou',
  'RoleInUse',
  'RoleNameTaken',
  'TooManyKeys',
  'TooManyRoles',
  'TwoCredentials',
  'TwoSecretsLive',
  'UnsupportedMediaType',
  'UriTooLong',
];

/**
 * The texts that the client has in a language. A problem that it leaves out is said as its `message`.
 *
 * @throws Error when a text has a fault.
 */
export async function clientLanguage(tag: string): Promise<ClientLanguage> {
  const [{ language }, problems] = await Promise.all([
    soundLanguage(tag, 'pages'),
    soundLanguage(tag, 'problems'),
  ]);
  const text = (word: Word) => language.texts[word] ?? '';
  const byCode = problems.keys.map((key, place) => [
    key.replace('problem.', ''),
    problems.language.texts[place],
  ]);
  return {
    tag,
    direction: language.direction,
    problems: Object.fromEntries(byCode.filter(([code]) => !LEFT_OUT.includes(code as KnownProblem))),
    reason: text(Word['parts.form.fault']),
    role: text(Word['parts.role']),
    device: {
      both: text(Word['parts.device']),
      browser: text(Word['parts.device.browser']),
      system: text(Word['parts.device.system']),
      unknown: text(Word['parts.device.unknown']),
    },
  };
}
