import type { Code } from '../client/types.js';
import type { Words } from '../client/words.js';
import { deviceSigns } from './device-name.js';
import { type Formats, say, type Text, type Value } from './say.js';
import { waitOf } from './wait.js';

/** The texts that the client has in a language. */
export interface ClientLanguage {
  /** A BCP 47 tag. */
  tag: string;
  direction: 'ltr' | 'rtl';
  problems: Partial<Record<Code, Text>>;
  reason: Text;
  role: Text;
  device: Record<'both' | 'browser' | 'system' | 'unknown', Text>;
}

const ROLES = { readonly: true, member: true, org_admin: true, sys_admin: true } satisfies Record<
  Parameters<Words['role']>[0],
  true
>;

/** Says the texts of a language. The build puts this into the client, beside its languages. */
export function wordsOf({ tag, direction, problems, reason, role, device }: ClientLanguage): Words {
  const formats: Formats = {
    direction,
    number: (count) => new Intl.NumberFormat(tag).format(count),
    plural: (count) => new Intl.PluralRules(tag).select(count),
    // No text of the client has an instant.
    moment: String,
  };
  const said = (text: Text, given: Record<string, Value>) => say(text, given, formats);

  return {
    language: tag,
    problem: ({ code, message, request_id, retry_after_seconds, cure, unmet }) =>
      Object.hasOwn(problems, code)
        ? said(problems[code as Code] as Text, {
            request: request_id ?? '–',
            cure: cure ?? 'none',
            asked: unmet?.[0] ?? 'none',
            ...waitOf(retry_after_seconds ?? 0),
          })
        : message,
    // What the catalogue has no case for, it says as its last one: no form of a page can be given it.
    reason: ({ code, min = 0, max = 0 }) => said(reason, { reason: code, min, max }),
    // A newer service may have other roles.
    role: (name) => (Object.hasOwn(ROLES, name) ? said(role, { role: name }) : name),
    device: (userAgent) => {
      const { browser = '', system = '' } = deviceSigns(userAgent);
      if (browser && system) return said(device.both, { browser, system });
      if (browser) return said(device.browser, { browser });
      return system ? said(device.system, { system }) : said(device.unknown, {});
    },
  };
}
