import { PASSWORD } from '../../support/accounts.js';
import type { Person } from '../../support/crowd.js';
import { cookiesOf, send, statusOf } from '../../support/send.js';
import { until } from '../../support/until.js';

/** A machine that cannot keep up must not be buried: the restart is what is tested. */
const MAX_UNDERWAY = 50;

type Act = (url: string, person: Person) => Promise<number>;

const readProfile: Act = (url, { cookie }) => statusOf('GET', `${url}/users/me`, { cookie });
const listSessions: Act = (url, { cookie }) => statusOf('GET', `${url}/sessions`, { cookie });
const rename: Act = (url, { cookie }) =>
  statusOf('PATCH', `${url}/users/me`, { cookie, body: { name: 'Ada' } });
const forgetPassword: Act = (url, { email }) =>
  statusOf('POST', `${url}/password/forgot`, { body: { email } });
const logInAndOut: Act = async (url, { email }) => {
  const login = await send('POST', `${url}/auth/login`, { body: { email, password: PASSWORD } });
  await login.arrayBuffer();
  if (login.status !== 200) return login.status;
  const cookie = cookiesOf(login);
  return statusOf('POST', `${url}/auth/logout`, { cookie });
};

/** The requests that people repeat, and their expected answers. */
const ACTS: [Act, number][] = [
  ...Array<[Act, number]>(5).fill([readProfile, 200]),
  ...Array<[Act, number]>(2).fill([listSessions, 200]),
  [rename, 200],
  [logInAndOut, 204],
  [forgetPassword, 202],
];

/** A steady stream of what people do, and what was not answered as it should be. */
export class SteadyLoad {
  readonly failures: string[] = [];
  answered = 0;
  private begun = 0;
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly url: string,
    private readonly people: Person[],
    perSecond: number,
  ) {
    this.timer = setInterval(() => {
      if (this.underway < MAX_UNDERWAY) void this.act();
    }, 1000 / perSecond);
  }

  /** Resolves once so many more have been answered. */
  async goesOn(more: number): Promise<void> {
    const enough = this.answered + more;
    await until(() => this.answered >= enough);
  }

  /** Begins nothing more, and resolves once all that was begun has been answered. */
  async end(): Promise<void> {
    clearInterval(this.timer);
    await until(() => this.underway === 0);
  }

  private get underway(): number {
    return this.begun - this.answered - this.failures.length;
  }

  private async act(): Promise<void> {
    const turn = this.begun++;
    const [act, success] = ACTS[turn % ACTS.length] as [Act, number];
    const outcome = await act(this.url, this.people[turn % this.people.length] as Person).catch(String);
    if (outcome === success) this.answered += 1;
    else this.failures.push(`${act.name}: ${outcome}`);
  }
}
