import { figure } from '../parts/counted.js';
import { Ask } from '../parts/dialog.js';
import { addressOf } from '../parts/facts.js';
import { Field } from '../parts/field.js';
import { useLoad } from '../parts/load.js';
import { goToNew } from '../parts/notice.js';
import { Time } from '../parts/time.js';
import { asked, askedPage, inOrder } from './address-query.js';
import { Filters, ORDERS, OrderFilter, TextFilter } from './filters.js';
import { Screen } from './frame.js';
import { List } from './list.js';
import { latchkey } from './service.js';

export function Organizations() {
  return (
    <Screen title="Organizations" audience="sys_admin" act={<Create />}>
      {() => <AllOrganizations />}
    </Screen>
  );
}

function AllOrganizations() {
  const orgs = useLoad(() =>
    latchkey.listOrgs({ ...askedPage(), sort: asked<keyof typeof ORDERS>('sort'), search: asked('search') }),
  );
  return (
    <>
      <Filters>
        <TextFilter label="Name or id" name="search" />
        <OrderFilter options={ORDERS} />
      </Filters>
      <List
        from={orgs}
        caption={inOrder('Organizations')}
        noun="organization"
        columns={['Name', 'Members', 'Second factor', 'Since']}
        row={({ id, name, member_count, second_factor_required, created_at }) => ({
          key: id,
          cells: [
            <a key="name" href={addressOf(`admin/organization?id=${id}`)}>
              <bdi>{name}</bdi>
            </a>,
            figure(member_count),
            second_factor_required ? 'Required' : 'Up to each member',
            <Time key="since" at={created_at} as="day" />,
          ],
        })}
        empty={<p>There is no organization yet. Create the first one above.</p>}
      />
    </>
  );
}

function Create() {
  return (
    <Ask
      button="Create organization"
      weight="main"
      title="Create an organization"
      verb="Create"
      act={async ({ name = '', admin_email = '' }) => {
        const { org } = await latchkey.createOrg({ name, admin_email });
        await goToNew(
          addressOf(`admin/organization?id=${org.id}`),
          `${org.name} is there, and ${admin_email} is invited.`,
        );
      }}
    >
      <p class="quiet">
        It begins without members. Its admin gets a link by mail, and then invites the others.
      </p>
      <Field label="Name" name="name" autocomplete="off" autofocus />
      <Field label="Email of its admin" name="admin_email" type="email" autocomplete="off" />
    </Ask>
  );
}
