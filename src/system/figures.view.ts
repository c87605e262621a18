import type { Described } from '../validation/schema.js';
import { count, day, instant, list, named, nullable, object } from '../validation/schema.js';
import type { Figures } from './figures.service.js';

export const FiguresSchema = named('Figures', {
  users: count,
  /** Null until the first run of /cron. */
  active: nullable(object({ in_seven_days: count, in_thirty_days: count, counted_at: instant })),
  /** The last thirty days in UTC; today so far is the last of them. */
  days: list(object({ day, new_users: count, logins: count, failed_logins: count })),
});

export function figuresView({ users, active, days }: Figures): Described<typeof FiguresSchema> {
  return {
    users,
    active: active && {
      in_seven_days: active.inSevenDays,
      in_thirty_days: active.inThirtyDays,
      counted_at: active.countedAt,
    },
    days: days.map(({ day, newUsers, logins, failedLogins }) => ({
      day,
      new_users: newUsers,
      logins,
      failed_logins: failedLogins,
    })),
  };
}
