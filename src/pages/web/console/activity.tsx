import { useState } from 'preact/hooks';
import { Submit } from '../parts/button.js';
import { facts } from '../parts/facts.js';
import { Form } from '../parts/form.js';
import { useLoad } from '../parts/load.js';
import type { User } from '../parts/session.js';
import { dayOf } from '../parts/time.js';
import { boundsOf, KINDS, orgNamed } from './activity-filter.js';
import { asked, askedPage } from './address-query.js';
import { EVENT_COLUMNS, eventRow } from './events.js';
import { ChoiceFilter, DayFilter, Filters, TextFilter } from './filters.js';
import { Screen } from './frame.js';
import { List } from './list.js';
import { latchkey } from './service.js';

const DAY_MS = 86_400_000;
const DAYS_AT_FIRST = 7;

type Query = NonNullable<Parameters<typeof latchkey.listAuditEvents>[0]>;

/** What all users did; for an admin of an organization, what was done in it. */
export function Activity() {
  return (
    <Screen title="Activity" audience="org_admin">
      {(me) => <Record me={me} />}
    </Screen>
  );
}

function Record({ me }: { me: User }) {
  const isForSystem = me.role === 'sys_admin';
  const from = asked('from') ?? dayOf(new Date(Date.now() - DAYS_AT_FIRST * DAY_MS));
  const events = useLoad(() => read(me, from));
  const known = events.state === 'loaded' ? events.data : null;
  return (
    <>
      <Filters>
        <ChoiceFilter label="What" name="type" options={KINDS} />
        <TextFilter label="Person" name="person" example="Name, address or id" />
        {isForSystem && <TextFilter label="Organization" name="org" example="Name or id" />}
        <DayFilter label="From" name="from" day={from} />
        <DayFilter label="Until" name="until" day={asked('until') ?? ''} />
      </Filters>
      {facts.hasAi && me.org_id !== null && <Summary since={boundsOf(from).since} />}
      <List
        from={events}
        caption="What was done, newest first"
        file={['audit-events/export', filterFor(me, from, known?.orgId ?? undefined)]}
        columns={EVENT_COLUMNS}
        row={(event) => eventRow(event, me)}
        empty={<p>Nothing was done in these days.</p>}
      />
    </>
  );
}

/** The events that the address asks for. In an organization that is not there nothing was done. */
async function read(me: User, from: string) {
  const org = me.role === 'sys_admin' ? asked('org') : undefined;
  const orgId = org === undefined ? undefined : await orgNamed(org);
  const page =
    orgId === null
      ? { data: [], next_cursor: null }
      : await latchkey.listAuditEvents({ ...askedPage(), ...filterFor(me, from, orgId) });
  return { ...page, orgId };
}

/** What the list is asked for, in the names of the service. */
function filterFor(me: User, from: string, org_id: string | undefined) {
  return {
    ...boundsOf(from, asked('until')),
    scope: me.role === 'sys_admin' ? ('all' as const) : ('org' as const),
    type: asked<NonNullable<Query['type']>>('type'),
    search: asked('person'),
    org_id,
  };
}

/** Has the events put into words, when asked: that costs the provider's fee. */
function Summary({ since }: { since: string | undefined }) {
  const [summary, setSummary] = useState('');
  return (
    <Form
      act={async () => {
        const answer = await latchkey.summarizeActivity({ scope: 'org', since });
        setSummary(answer.summary);
      }}
    >
      {summary && (
        <p class="card inset" role="status">
          {summary}
        </p>
      )}
      <Submit weight="plain">Summarize in words</Submit>
    </Form>
  );
}
