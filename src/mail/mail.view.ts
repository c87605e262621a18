import { MOST_COUNTED } from '../queues/queue-ledger.repository.js';
import {
  address,
  count,
  type Described,
  type DescribedFields,
  flag,
  instant,
  named,
  nullable,
  object,
  oneOf,
  text,
  uuid,
} from '../validation/schema.js';
import type { OutboxState } from './mail-admin.service.js';
import { MAIL_STATES, type MailState, type MailSummary } from './mail-ledger.repository.js';
import type { MailPreview } from './mail-previews.service.js';

/** At its maximum a count means: that many, or more. */
const boundedCount: typeof count = { ...count, maximum: MOST_COUNTED };

/** How many mails are in each state. */
const MailStatesSchema = object(
  Object.fromEntries(MAIL_STATES.map((state) => [state, boundedCount])) as Record<MailState, typeof count>,
);

/** How the outbox stands, and by which providers it is worked off. */
export const OUTBOX_FIELDS = {
  provider: text,
  fallback: nullable(text),
  key_refused: flag,
  states: MailStatesSchema,
  oldest_waiting_at: nullable(instant),
};

export const MailSchema = named('Mail', {
  id: uuid,
  kind: text,
  to: address,
  subject: text,
  language: text,
  state: oneOf(MAIL_STATES),
  attempts: count,
  last_error: nullable(text),
  created_at: instant,
  due_at: instant,
  expires_at: nullable(instant),
  finished_at: nullable(instant),
});

export const MailPreviewSchema = named('MailPreview', {
  subject: text,
  text,
  language: text,
  direction: oneOf(['ltr', 'rtl']),
});

export function outboxView({
  oldestWaitingAt,
  ...outbox
}: OutboxState): DescribedFields<typeof OUTBOX_FIELDS> {
  return {
    provider: outbox.provider,
    fallback: outbox.fallback,
    key_refused: outbox.isKeyRefused,
    states: outbox.states,
    oldest_waiting_at: oldestWaitingAt,
  };
}

export function mailPreviewView({ mail, direction }: MailPreview): Described<typeof MailPreviewSchema> {
  const { subject, text, language } = mail;
  return { subject, text, language, direction };
}

/** What a SYSTEM_ADMIN sees of a mail; never its content, whose links open accounts. */
export function mailView(mail: MailSummary): Described<typeof MailSchema> {
  return {
    id: mail.id,
    kind: mail.kind,
    to: mail.to,
    subject: mail.subject,
    language: mail.language,
    state: mail.state,
    attempts: mail.attempts,
    last_error: mail.lastError,
    created_at: mail.createdAt,
    due_at: mail.dueAt,
    expires_at: mail.expiresAt,
    finished_at: mail.finishedAt,
  };
}
