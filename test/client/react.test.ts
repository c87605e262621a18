import { describe, expect, it } from '@jest/globals';
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { createLatchkey, type Session, type Snapshot, type User } from '../../src/client/latchkey.js';
import { hasRole, LatchkeyProvider, Protect, SignedIn, SignedOut } from '../../src/client/react.js';

const ROLES = ['readonly', 'member', 'org_admin', 'sys_admin'] as const;

describe('latchkey-client/react', () => {
  it.each(ROLES)('gives a user with the role %s what is for that role and those below it', (role) => {
    const reached = ROLES.filter((needed) => hasRole({ role }, needed));

    expect(reached).toEqual(ROLES.slice(0, ROLES.indexOf(role) + 1));
    expect(hasRole(null, role)).toBe(false);
  });

  it('says what is missing where no provider lends a client', () => {
    expect(() => renderToString(createElement(SignedIn))).toThrow(
      'There is no LatchkeyProvider above this component.',
    );
  });

  it('shows on a server what its initial session says', () => {
    const user = { id: 'some-id', email: 'ada@example.com', role: 'member' } as User;
    const rendered = (initial: Snapshot) =>
      renderToString(
        createElement(
          LatchkeyProvider,
          { client: createLatchkey('http://localhost:3000', { initial }) },
          createElement(SignedIn, null, 'in'),
          createElement(SignedOut, null, 'out'),
          createElement(Protect, { role: 'member' }, ', a member'),
          createElement(Protect, { role: 'org_admin', fallback: ', no admin' }, ', an admin'),
        ),
      ).replaceAll('<!-- -->', '');

    expect(rendered({ status: 'in', user, session: {} as Session, organizations: [] })).toBe(
      'in, a member, no admin',
    );
    expect(rendered({ status: 'out' })).toBe('out');
  });

  it('takes the client of an organization, whose session is its own', () => {
    const user = { id: 'some-id', email: 'ada@example.com', role: 'org_admin' } as User;
    const initial: Snapshot = { status: 'in', user, session: {} as Session, organizations: [] };
    const latchkey = createLatchkey('http://localhost:3000', { initial });
    const page = (client: typeof latchkey | ReturnType<typeof latchkey.in>) =>
      renderToString(
        createElement(
          LatchkeyProvider,
          { client },
          createElement(Protect, { role: 'org_admin' }, 'an admin'),
        ),
      );

    expect(page(latchkey)).toBe('an admin');
    // Who the user is in that organization, only the service can say.
    expect(page(latchkey.in('some-id'))).toBe('');
  });

  it('shows nothing on a server, which does not know yet who is logged in', () => {
    const client = createLatchkey('http://localhost:3000');
    const page = createElement(
      LatchkeyProvider,
      { client },
      createElement(SignedIn, null, 'in'),
      createElement(SignedOut, null, 'out'),
    );

    expect(renderToString(page)).toBe('');
  });
});
