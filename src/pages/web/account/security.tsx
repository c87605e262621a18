import { useState } from 'preact/hooks';
import { say, Word } from '../parts/say.js';
import type { OrganizationOfUser, User } from '../parts/session.js';
import { AccountPage } from './account-page.js';
import { Activity } from './activity.js';
import { Passkeys } from './passkeys.js';
import { Password } from './password.js';
import { type Flow, FlowPage, SecondFactors } from './second-factors.js';
import { Sessions } from './sessions.js';

export function Security() {
  const [flow, setFlow] = useState<Flow | null>(null);
  if (flow) return <FlowPage flow={flow} setFlow={setFlow} />;
  return (
    <AccountPage title={say(Word['security.title'])}>
      {(user, organizations) => <Parts user={user} organizations={organizations} setFlow={setFlow} />}
    </AccountPage>
  );
}

function Parts({
  user,
  organizations,
  setFlow,
}: {
  user: User;
  organizations: OrganizationOfUser[];
  setFlow: (flow: Flow) => void;
}) {
  // What ends other sessions, or adds a factor, changes what the other parts show.
  const [changes, setChanges] = useState(0);
  const changed = () => setChanges((count) => count + 1);
  return (
    <>
      <Password user={user} changed={changed} />
      <Passkeys user={user} changed={changed} />
      <SecondFactors
        key={`factors ${changes}`}
        user={user}
        organizations={organizations}
        setFlow={setFlow}
        changed={changed}
      />
      <Sessions key={`sessions ${changes}`} />
      <Activity user={user} organizations={organizations} />
    </>
  );
}
