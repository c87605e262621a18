import { useState } from 'preact/hooks';
import { Submit } from '../parts/button.js';
import { facts } from '../parts/facts.js';
import { Form } from '../parts/form.js';
import { useLoad } from '../parts/load.js';
import { say, Word } from '../parts/say.js';
import { type User, useSession } from '../parts/session.js';
import { dayOf } from '../parts/time.js';
import { plain } from '../parts/words.js';
import { withActWords } from './act-words.js';
import { boundsOf, kinds, orgNamed } from './activity-filter.js';
import { asked, askedPage } from './address-query.js';
import { eventColumns, eventRow } from './events.js';
import { ChoiceFilter, DayFilter, Filters, TextFilter } from './filters.js';
import { Screen } from './frame.js';
import { List } from './list.js';
import { presentOrganization } from './own-organizations.js';
import { latchkey } from './service.js';

/** What the address has beside the filters of the list. */
const OF_SCREEN = ['org_id'];

const DAY_MS = 86_400_000;
const DAYS_AT_FIRST = 7;

type Query = NonNullable<Parameters<typeof latchkey.listAuditEvents>[0]>;

/** What all users did; for an admin of an organization, what was done in it. */
export function Activity() {
  const org = presentOrganization(useSession());
  const title = org
    ? say(Word['activity.inOrg'], { org: plain(org.name) })
    : say(Word['frame.section'], { section: 'activity' });
  return (
    <Screen title={title} audience="org_admin">
      {(me) => <Record me={me} />}
    </Screen>
  );
}

function Record({ me }: { me: User }) {
  const isForSystem = me.role === 'sys_admin';
  const org = orgOf(me);
  const from = asked('from') ?? dayOf(new Date(Date.now() - DAYS_AT_FIRST * DAY_MS));
  const events = useLoad(() => withActWords(read(me, from)));
  const known = events.state === 'loaded' ? events.data : null;
  return (
    <>
      <Filters others={OF_SCREEN}>
        <ChoiceFilter label={say(Word['activity.what'])} name="type" options={kinds(isForSystem)} />
        <TextFilter
          label={say(Word['activity.person'])}
          name="person"
          example={say(Word['filters.person'])}
        />
        {isForSystem && (
          <TextFilter
            label={say(Word['activity.organization'])}
            name="org"
            example={say(Word['organizations.search'])}
          />
        )}
        <DayFilter label={say(Word['activity.since'])} name="from" day={from} />
        <DayFilter label={say(Word['activity.until'])} name="until" day={asked('until') ?? ''} />
      </Filters>
      {facts.hasAi && me.org_id !== null && <Summary me={me} since={boundsOf(from).since} />}
      <List
        from={events}
        others={OF_SCREEN}
        gone={say(Word['organization.gone'])}
        caption={say(Word['activity.all'])}
        file={['audit-events/export', filterFor(me, from, known?.orgId ?? undefined)]}
        {...(org && { fileOf: org })}
        columns={eventColumns()}
        row={(event) => eventRow(event, me)}
        empty={<p>{say(Word['activity.none'])}</p>}
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
      : await clientOf(me).listAuditEvents({ ...askedPage(), ...filterFor(me, from, orgId) });
  return { ...page, orgId };
}

/** The organization that the address names to its admin. A system admin sees all, and filters. */
function orgOf({ role }: User): string | undefined {
  return role === 'sys_admin' ? undefined : asked('org_id');
}

function clientOf(me: User) {
  const org = orgOf(me);
  return org === undefined ? latchkey : latchkey.in(org);
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
function Summary({ me, since }: { me: User; since: string | undefined }) {
  const [summary, setSummary] = useState('');
  return (
    <Form
      act={async () => {
        const answer = await clientOf(me).summarizeActivity({ scope: 'org', since });
        setSummary(answer.summary);
      }}
    >
      {summary && (
        <p class="card inset" role="status">
          {summary}
        </p>
      )}
      <Submit weight="plain">{say(Word['activity.summarize'])}</Submit>
    </Form>
  );
}
