import { StripeModeSchema } from '../billing/customer.view.js';
import { OUTBOX_FIELDS } from '../mail/mail.view.js';
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
  mail: object(OUTBOX_FIELDS),
  billing: nullable(object({ mode: StripeModeSchema, customers: count, unread_for_a_day: count })),
  admins: object({ total: count, without_factor: count }),
  settings: list(SettingSchema),
});
