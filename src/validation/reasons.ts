/** What each reason says to a developer. A page says it to its reader, in their language. */
const SENTENCES = {
  already_yours: 'is the address of this account already',
  both_given: 'must be given, or recovery_code, but not both',
  disabled: 'cannot be changed while the account is disabled',
  goes_with_all: 'goes with scope=all',
  goes_with_org_or_all: 'goes with scope=org or scope=all',
  in_breaches: 'appears in lists of stolen passwords',
  needed_by_hand: 'is needed: in B2B a user who is made by hand belongs to an organization',
  needed_for_account: 'is needed to make your account',
  not_a_backend: 'must be the name of a back end',
  not_a_credential: 'must be the JSON of a PublicKeyCredential',
  not_a_cursor: 'must be a next_cursor of this list',
  not_a_flag: 'must be true or false',
  not_a_locale: 'must be a BCP 47 tag, such as de or pt-BR',
  not_a_mailed_code: 'must be eight letters and digits',
  not_a_name: 'must be 1 to {max} characters on one line, without invisible ones',
  not_a_password: 'must be 1 to {max} characters',
  not_a_path: 'must be a path of the application, such as /home',
  not_a_price: 'must be the id of a price',
  not_a_recovery_code: 'must be 16 letters and digits',
  not_a_search: 'must be 1 to {max} characters on one line',
  not_a_text: 'must be a text of 1 to {max} characters',
  not_a_time_zone: 'must be a time zone of the IANA database, such as Europe/Zurich',
  not_a_token: 'must be the token of a mailed link',
  not_a_totp_code: 'must be six digits',
  not_an_address: 'must be an email address',
  not_an_address_prefix: 'must be the beginning of an email address',
  not_an_id: 'must be a UUID',
  not_an_instant: 'must be an instant, such as 2026-01-31T09:30:00Z',
  not_an_object: 'must be a JSON object',
  not_permissions: 'must be at most five declared permissions, comma-separated and each once',
  not_an_org_of_rule: 'must be a UUID, header or none',
  not_an_organization: 'is not the id of an organization',
  not_exactly_one: 'must be given, or credential, totp or recovery_code: exactly one',
  not_beside_role: 'must be given, or role, but not both',
  not_for_organization: 'must be another role: this user belongs to no organization',
  not_for_roles: 'must be at most {max} declared permissions of the product, each once',
  not_of_this_order: 'must be a next_cursor of this list in the same order',
  not_one_of: 'must be another one',
  not_so_many_addresses: 'must be 1 to {max} addresses',
  not_so_many_networks:
    'must be 1 to {max} CIDR blocks, such as 192.0.2.0/24, each without address bits after its prefix',
  not_so_many_ids: 'must be 1 to {max} UUIDs, separated by commas',
  not_the_org_of_path: 'must name the organization of the path, or be left out',
  not_token_or_code: 'must be given, or code, but not both',
  not_valid: 'is not valid',
  not_whole: 'must be a whole number',
  own_words: 'is made of your address or name',
  repeats: 'only repeats or counts',
  too_common: 'is one of the passwords most often used',
  too_deep: 'is nested too deeply',
  too_large: 'must be at most {max}',
  too_many_people: 'is what more than {max} people have in their name or address: give more of it',
  too_many_values: 'has too many values',
  too_short: 'must have at least {min} characters',
  too_small: 'must be at least {min}',
  unknown_locale: 'must be of a language that the service speaks: {choices}',
  unknown_field: 'is not a field of this request',
} as const;

export type ReasonCode = keyof typeof SENTENCES;

export const REASON_CODES = Object.keys(SENTENCES) as ReasonCode[];

/** Why the value of a field is refused. */
export interface Reason {
  code: ReasonCode;
  /** The least that is taken. */
  min?: number;
  /** The most that is taken. */
  max?: number;
  /** What is taken. */
  choices?: readonly string[];
}

export function sentenceOf({ code, min, max, choices = [] }: Reason): string {
  return SENTENCES[code]
    .replace('{min}', String(min))
    .replace('{max}', String(max))
    .replace('{choices}', choices.join(', '));
}
