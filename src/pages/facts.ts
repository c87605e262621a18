/**
 * What a page knows when it opens, before it has asked the API anything: the same for every visitor of a language. It stands in the
 * one `<meta name="latchkey">` of the page, as JSON.
 */
export interface Facts {
  product: string;
  logoUrl: string | null;
  supportEmail: string | null;
  termsUrl: string | null;
  privacyUrl: string | null;
  /** Where a login without `return_to` leads: the single-page application, or null where none is known. */
  homeUrl: string | null;
  /** The origins that a `return_to` with an address may lead to. */
  origins: string[];
  /** Code points that a new password has at least. */
  passwordMinLength: number;
  /** Whether the passkeys of the service may be used on its pages: their domain may be another one. */
  hasPasskeys: boolean;
  /** Whether organizations are the tenants, so that there is no signup. */
  isB2b: boolean;
  /** How many organizations a user may join or found. */
  orgsPerUser: number;
  /** Where the application shows an organization, with `{org}` for its id; null where it shows none of its own. */
  orgUrl: string | null;
  /** Whether there is `/ui/billing`. */
  hasBilling: boolean;
  /** Whether a system admin may act for a user. */
  hasActing: boolean;
  /** Whether a language model puts activity into words. */
  hasAi: boolean;
  /** The languages of the pages, with what each calls itself; absent where there is only one. */
  languages?: [tag: string, name: string][];
  /** What the product links to from all pages, each with the tag of its words where these are in another language; absent where there is none. */
  links?: { label: string; url: string; tag?: string }[];
  /** Whether mails are not sent, but shown at `/dev/mail`. */
  hasDevMailbox: boolean;
}
