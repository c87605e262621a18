import { email, token } from './seeds.js';
import { Server } from './server.js';

/** Those without whom there is nothing to compare. Bare Nest is a third, where a part compares with it. */
const REQUIRED = ['limit', 'latchkey'];

const PEERS = ['fastify-session', 'lucia', 'express-session', 'auth-js', 'better-auth'];

/** The contenders, each with its own database. Names and leaves out a peer that does not load or does not check. */
export async function assemble({ postgres, sizes, bareNest, peers, report }) {
  const contenders = [];
  const leftOut = [];
  const required = bareNest ? [...REQUIRED, 'nest'] : REQUIRED;
  for (const name of peers ? [...required, ...PEERS] : required) {
    try {
      report(`seeding ${name}`);
      contenders.push(await prepare(name, postgres, sizes));
    } catch (error) {
      if (required.includes(name)) throw error;
      leftOut.push({ name, reason: error.message });
      report(`${name} is left out: ${error.message}`);
    }
  }
  return { contenders, leftOut };
}

/** Cookies of so many sessions, chosen at random among the ones numbered from `first` to `last`. */
export function cookiesOf(contender, { first = 1, last, count = 5_000 }) {
  return Array.from({ length: count }, () => {
    const n = first + Math.floor(Math.random() * (last - first + 1));
    return contender.cookie(token(n));
  });
}

async function prepare(name, postgres, sizes) {
  const contender = await import(`./contenders/${name}.js`);
  const database = await postgres.createDatabase(name, (empty) => contender.seed(empty, sizes));
  const entry = { name, contender, database };

  const server = await Server.start(entry);
  try {
    if (!contender.answersEveryone) await expectToCheck(server);
  } finally {
    await server.stop();
  }
  return entry;
}

/** A contender that does not check sessions would be fast, too. */
async function expectToCheck(server) {
  const owner = await server.check(token(1));
  if (!owner.body.includes(email(2)))
    throw new Error(`it does not know a session: ${owner.status} ${owner.body}`);

  const stranger = await server.check(token(0));
  if (stranger.status !== 401) throw new Error(`it answers a stranger: ${stranger.status} ${stranger.body}`);
}
