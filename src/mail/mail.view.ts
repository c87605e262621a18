import {
  address,
  count,
  type Described,
  instant,
  named,
  nullable,
  oneOf,
  text,
  uuid,
} from '../validation/schema.js';
import { MAIL_STATES, type MailSummary } from './mail-ledger.repository.js';

export const MailSchema = named('Mail', {
  id: uuid,
  kind: text,
  to: address,
  subject: text,
  state: oneOf(MAIL_STATES),
  attempts: count,
  last_error: nullable(text),
  created_at: instant,
  due_at: instant,
  expires_at: nullable(instant),
  finished_at: nullable(instant),
});

/** What a SYSTEM_ADMIN sees of a mail; never its content, whose links open accounts. */
export function mailView(mail: MailSummary): Described<typeof MailSchema> {
  return {
    id: mail.id,
    kind: mail.kind,
    to: mail.to,
    subject: mail.subject,
    state: mail.state,
    attempts: mail.attempts,
    last_error: mail.lastError,
    created_at: mail.createdAt,
    due_at: mail.dueAt,
    expires_at: mail.expiresAt,
    finished_at: mail.finishedAt,
  };
}
