import { Ask } from '../parts/dialog.js';
import { addressOf } from '../parts/facts.js';
import { Field } from '../parts/field.js';
import { figure } from '../parts/figure.js';
import { chosen, LanguageSelect } from '../parts/language-select.js';
import { useLoad } from '../parts/load.js';
import { goToNew } from '../parts/notice.js';
import { say, Word } from '../parts/say.js';
import { Time } from '../parts/time.js';
import { asked, askedOrder, askedPage } from './address-query.js';
import { Filters, ORDERS, OrderFilter, TextFilter } from './filters.js';
import { Screen } from './frame.js';
import { List } from './list.js';
import { latchkey } from './service.js';

export function Organizations() {
  return (
    <Screen title={say(Word['organizations.title'])} audience="sys_admin" act={<Create />}>
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
        <TextFilter label={say(Word['organizations.search'])} name="search" />
        <OrderFilter orders={ORDERS} />
      </Filters>
      <List
        from={orgs}
        caption={say(Word['organizations.caption'], { order: askedOrder() })}
        total={(counted) => say(Word['organizations.total'], { ...counted })}
        columns={[
          say(Word['organization.name']),
          say(Word['members.title']),
          say(Word['users.factor']),
          say(Word['users.created']),
        ]}
        row={({ id, name, member_count, second_factor_required, created_at }) => ({
          key: id,
          cells: [
            <a key="name" href={addressOf(`admin/organization?id=${id}`)}>
              <bdi>{name}</bdi>
            </a>,
            figure(member_count),
            say(second_factor_required ? Word['organizations.required'] : Word['organizations.optional']),
            <Time key="since" at={created_at} as="day" />,
          ],
        })}
        empty={<p>{say(Word['organizations.empty'])}</p>}
      />
    </>
  );
}

function Create() {
  return (
    <Ask
      button={say(Word['organizations.create'])}
      weight="main"
      title={say(Word['organizations.create.title'])}
      verb={say(Word['organizations.create.verb'])}
      act={async ({ name = '', admin_email = '', locale }) => {
        const { org } = await latchkey.createOrg({ name, admin_email, ...chosen(locale) });
        await goToNew(
          addressOf(`admin/organization?id=${org.id}`),
          say(Word['organizations.create.done'], { org: org.name, email: admin_email }),
        );
      }}
    >
      <p class="quiet">{say(Word['organizations.create.what'])}</p>
      <Field label={say(Word['organization.name'])} name="name" autocomplete="off" autofocus />
      <Field
        label={say(Word['organizations.create.admin'])}
        name="admin_email"
        type="email"
        autocomplete="off"
      />
      <LanguageSelect label={say(Word['organization.language.mails'])} />
    </Ask>
  );
}
