import { MailStatesSchema } from '../mail/mail.view.js';
import { count, flag, instant, list, named, nullable, object, oneOf, text } from '../validation/schema.js';
import { SettingSchema } from './setting.view.js';

export const SystemSchema = named('System', {
  version: text,
  /** That of the build; `unknown` where the build knew none. */
  commit: text,
  environment: text,
  app_mode: oneOf(['b2c', 'b2b'] as const),
  instance: object({ host: text, pid: count, node: text, started_at: instant }),
  health: object({ down: list(text), degraded: list(text) }),
  database: object({ version: text, migrations: oneOf(['current', 'behind', 'ahead'] as const) }),
  cron: object({
    trigger: oneOf(['secret', 'schedule', 'both', 'none'] as const),
    last_success_at: nullable(instant),
    is_late: flag,
  }),
  mail: object({
    provider: text,
    fallback: nullable(text),
    key_refused: flag,
    states: MailStatesSchema,
    oldest_waiting_at: nullable(instant),
  }),
  billing: nullable(
    object({ mode: oneOf(['live', 'test'] as const), customers: count, unread_for_a_day: count }),
  ),
  admins: object({ total: count, without_factor: count }),
  settings: list(SettingSchema),
});
