import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/** How PostgreSQL says, before the state of the transaction, that it waits for the next statement. */
const READY = 'Z\0\0\0\x05';

/**
 * Forwards connections to a database, and counts the round trips: how often it is asked while it answers nothing else.
 * What is asked together, in one write or on several connections, counts once.
 */
export class RoundTrips {
  #server = createServer((near) => this.#forward(near));
  #port;
  #waiting = new Set();
  count = 0;

  /** A contender's database, by way of the counter. */
  static async to(database) {
    const url = new URL(database.url);
    const trips = new RoundTrips();
    trips.#port = Number(url.port);
    await once(trips.#server.listen(0, '127.0.0.1'), 'listening');
    url.port = String(trips.#server.address().port);
    trips.database = { ...database, url: url.href };
    return trips;
  }

  close() {
    this.#server.close();
  }

  #forward(near) {
    const far = connect(this.#port, '127.0.0.1');
    near.setNoDelay().pipe(far.setNoDelay()).pipe(near);
    near.on('data', () => {
      if (this.#waiting.size === 0) this.count += 1;
      this.#waiting.add(far);
    });
    far.on('data', (answer) => {
      if (answer.subarray(-6, -1).toString('latin1') === READY) this.#waiting.delete(far);
    });
    for (const [one, other] of [
      [near, far],
      [far, near],
    ]) {
      one.on('error', () => other.destroy());
      one.on('close', () => {
        this.#waiting.delete(far);
        other.destroy();
      });
    }
  }
}
