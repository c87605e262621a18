import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pLimit from 'p-limit';
import { crowd, type Person } from '../support/crowd.js';
import { BackEnd, ForwardingProxy, PROGRAMS } from '../support/proxies.js';
import { send, statusOf } from '../support/send.js';
import { Replicas } from '../support/service-process.js';
import { TestDatabase } from '../support/test-database.js';
import { describeWhere } from '../support/where.js';

/** People who log out, and requests of each after it: together 10,000. */
const PEOPLE = 100;
const REQUESTS_AFTER = 100;

/** More at once would make each other wait, and leave fewer requests under way while a session ends. */
const LOGOUTS_AT_ONCE = 8;

/** A busy machine takes a minute. */
const TIMEOUT_MS = 180_000;

const [nginx] = PROGRAMS;

describeWhere(nginx.version !== null)(
  `behind nginx ${nginx.version}, in front of three replicas, a session that has ended`,
  () => {
    let database: TestDatabase;
    let service: Replicas;
    let backEnd: BackEnd;
    let proxy: ForwardingProxy;
    beforeAll(async () => {
      database = await TestDatabase.create();
      service = await Replicas.start(database, 3);
      backEnd = await BackEnd.start();
      const ports = service.replicas.map(({ port }) => port);
      proxy = await ForwardingProxy.start(nginx, { service: ports, backEnd: backEnd.port });
    });
    afterAll(async () => {
      await proxy.stop();
      await backEnd.close();
      await service.kill();
      await database.close();
    });

    /** The answers to a person's requests after the logout; there are others all along, which the logout overtakes. */
    async function answersAfterLogout(person: Person, turn: number): Promise<number[]> {
      const ask = () => statusOf('GET', `http://127.0.0.1:${proxy.port}/v1/notes`, person);
      let isOver = false;
      const askAllAlong = async () => {
        while (!isOver) await ask();
      };
      const allAlong = [askAllAlong(), askAllAlong(), askAllAlong()];

      const before = await ask();
      const { status } = await send('POST', `${service.at(turn).url}/auth/logout`, person);
      isOver = true;
      const after = await Promise.all(Array.from({ length: REQUESTS_AFTER }, ask));
      await Promise.all(allAlong);
      expect([before, status]).toEqual([200, 204]);
      return after;
    }

    it(
      'lets none of 10,000 requests through to the back end',
      async () => {
        const inTurn = pLimit(LOGOUTS_AT_ONCE);
        const people = await crowd(database, PEOPLE);

        const answers = await Promise.all(
          people.map((person, turn) => inTurn(() => answersAfterLogout(person, turn))),
        );

        expect(answers.flat()).toHaveLength(PEOPLE * REQUESTS_AFTER);
        expect(answers.flat().filter((status) => status !== 401)).toEqual([]);
      },
      TIMEOUT_MS,
    );
  },
);
