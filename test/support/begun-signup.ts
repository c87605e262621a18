import { once } from 'node:events';
import type { Socket } from 'node:net';
import { freshAddress, PASSWORD } from './accounts.js';
import { connectTo } from './raw-connection.js';

/** A signup that is in flight: the service has asked for its body, and waits. */
export class BegunSignup {
  private constructor(
    private readonly socket: Socket,
    private readonly body: string,
  ) {}

  static async at(port: number): Promise<BegunSignup> {
    const body = JSON.stringify({ email: freshAddress(), password: PASSWORD });
    const socket = (await connectTo(port)).setEncoding('utf8');
    socket.write(
      `POST /auth/signup HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nexpect: 100-continue\r\n\r\n`,
    );
    await once(socket, 'data');
    return new BegunSignup(socket, body);
  }

  /** Sends the body, and returns the status of the answer. */
  async finish(): Promise<number> {
    this.socket.write(this.body);
    const [answer] = await once(this.socket, 'data');
    return Number(String(answer).split(' ')[1]);
  }
}
