import { useEffect } from 'preact/hooks';
import { ButtonLink } from '../parts/button.js';
import { addressOf } from '../parts/facts.js';
import { Section } from '../parts/frame.js';
import { GreyRows, Loaded, useLoad } from '../parts/load.js';
import { say, Word } from '../parts/say.js';
import type { User } from '../parts/session.js';
import { Table } from '../parts/table.js';
import { withActWords } from './act-words.js';
import { Attention } from './attention.js';
import { eventColumns, eventRow } from './events.js';
import { FiguresSection } from './figures.js';
import { Screen } from './frame.js';
import { latchkey } from './service.js';

const LATEST = 10;

/** What needs a person, how many there are, and what happened last. An admin of one organization begins there instead. */
export function Overview() {
  return (
    <Screen title={say(Word['frame.section'], { section: 'overview' })} audience="org_admin">
      {(user) =>
        user.role === 'sys_admin' ? (
          <>
            <WhatNeedsYou />
            <FiguresSection />
            <Latest user={user} />
          </>
        ) : (
          <ToOwnOrganization />
        )
      }
    </Screen>
  );
}

function ToOwnOrganization() {
  useEffect(() => location.replace(addressOf('admin/organization')), []);
  return <GreyRows />;
}

function WhatNeedsYou() {
  const system = useLoad(async () => (await latchkey.getSystem()).system);
  return (
    <Section name="what-needs-you" title={say(Word['overview.needsYou'])}>
      <Loaded from={system} rows={2}>
        {(known) => <Attention system={known} />}
      </Loaded>
    </Section>
  );
}

function Latest({ user }: { user: User }) {
  const latest = useLoad(() => withActWords(latchkey.listAuditEvents({ scope: 'all', limit: LATEST })));
  return (
    <Section
      name="what-happened-last"
      title={say(Word['overview.last'])}
      acts={
        <ButtonLink weight="words" href={addressOf('admin/activity')}>
          {say(Word['overview.all'])}
        </ButtonLink>
      }
    >
      <div class="card">
        <Loaded from={latest} rows={LATEST}>
          {({ data }) => (
            <Table
              caption={say(Word['overview.caption'])}
              columns={eventColumns()}
              rows={data.map((event) => eventRow(event, user))}
            />
          )}
        </Loaded>
      </div>
    </Section>
  );
}
