import type { ComponentChildren } from 'preact';
import { WithAddress } from '../parts/address.js';
import { Button } from '../parts/button.js';
import { deviceOf } from '../parts/device.js';
import { announce } from '../parts/notice.js';
import { Rich, say, Word } from '../parts/say.js';
import type { User } from '../parts/session.js';
import { Time } from '../parts/time.js';
import { roleInWords } from '../parts/words.js';
import { actInWords } from './act-words.js';
import { OrgName, Person } from './names.js';
import type { latchkey } from './service.js';

export type AuditEvent = Awaited<ReturnType<typeof latchkey.listAuditEvents>>['data'][number];

export function eventColumns(): string[] {
  return [
    say(Word['activity.when']),
    say(Word['events.who']),
    say(Word['activity.what']),
    say(Word['events.whom']),
    say(Word['activity.from']),
  ];
}

/** An event as a row of a table with these columns, for whom it is that reads it. */
export function eventRow(event: AuditEvent, reader: User) {
  return {
    key: event.id,
    cells: [
      <Time key="when" at={event.created_at} />,
      <Actor key="who" {...event} reader={reader} />,
      <Act key="what" event={event} />,
      <Concerned key="whom" {...event} reader={reader} />,
      event.ip ? <Origin key="from" ip={event.ip} user_agent={event.user_agent} /> : '–',
    ],
  };
}

/** An act without an actor is one of the service, or of a visitor who did not prove who they are. */
function Actor({ actor_id, actor_email, ip, reader }: AuditEvent & { reader: User }) {
  if (actor_id !== null) return <Person id={actor_id} email={actor_email} reader={reader} />;
  return <>{say(ip === null ? Word['events.service'] : Word['events.visitor'])}</>;
}

/** The words of the act unfold what else is recorded of it. */
function Act({ event }: { event: AuditEvent }) {
  const recorded = JSON.stringify(event, null, 2);
  return (
    <details>
      <summary>
        <Done {...event} />
      </summary>
      <pre lang="en">{recorded}</pre>
      <Button onClick={() => copy(recorded)}>{say(Word['events.copy'])}</Button>
    </details>
  );
}

function Concerned({
  actor_id,
  user_id,
  user_email,
  org_id,
  org_name,
  reader,
}: AuditEvent & { reader: User }) {
  if (user_id !== null && user_id !== actor_id)
    return <Person id={user_id} email={user_email} reader={reader} />;
  if (user_id !== null) return <>{say(Word['events.own'])}</>;
  return org_id !== null && reader.role === 'sys_admin' ? <OrgName id={org_id} name={org_name} /> : <>–</>;
}

function Origin({ ip, user_agent }: { ip: string; user_agent: string | null }) {
  return (
    <div class="origin">
      {deviceOf(user_agent)}
      <small class="quiet">
        <WithAddress>{ip}</WithAddress>
      </small>
    </div>
  );
}

const code = (inner: ComponentChildren) => <code>{inner}</code>;

/** The refusals that have words. */
const REFUSALS = [
  'MembershipSuspended',
  'OrgPolicyUnmet',
  'StepUpRequired',
  'InsufficientRole',
  'NotAMember',
] as const;

/** What was done, with the detail that a reader asks for next. */
function Done({ type, details }: AuditEvent) {
  if (type === 'role.changed') {
    const [before, after] = [roleInWords(String(details.from)), roleInWords(String(details.to))];
    return <>{say(Word['events.role'], { before, after })}</>;
  }
  const why = type === 'access.refused' && REFUSALS.find((code) => code === details.code);
  if (why) return <>{say(Word['events.refused'], { why })}</>;
  const act = actInWords(type);
  const detail = details.reason ?? details.code ?? details.method ?? details.ended ?? details.retried;
  if (detail === undefined) return <>{act}</>;
  return <Rich word={Word['events.detail']} given={{ act, detail: String(detail), code }} />;
}

async function copy(text: string): Promise<void> {
  await navigator.clipboard.writeText(text).then(
    () => announce(say(Word['events.copied'])),
    () => announce(say(Word['events.notCopied'])),
  );
}
