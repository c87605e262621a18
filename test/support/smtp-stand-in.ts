import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, isIP, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import tls from 'node:tls';
import { jest } from '@jest/globals';
import PostalMime from 'postal-mime';
import { generate } from 'selfsigned';
import { SMTPServer, type SMTPServerSession } from 'smtp-server';
import { type Behaviour, type DeliveredMail, MailStandIn } from './mail-stand-in.js';

const HOST = '127.0.0.1';
const USER = 'latchkey';
const PASSWORD = 'a password that only the relay and the tests know';

/** A line that is longer is not allowed to pass (RFC 5322 §2.1.1). */
const MAX_LINE_OCTETS = 998;
const NEEDED_HEADERS = ['date', 'from', 'to', 'subject', 'message-id', 'mime-version'];

/** A server's answer to a command, the greeting being that to `CONN`: a reply with its words, or none. */
export interface SmtpAnswer {
  to: 'CONN' | 'AUTH' | 'MAIL FROM' | 'RCPT TO' | 'DATA';
  reply: `${number} ${string}` | 'hang' | 'hang up';
}

interface Options {
  /** Which TLS it offers. */
  tls?: 'off' | 'starttls' | 'implicit';
  /** Whether it offers a login. */
  auth?: boolean;
  /** Whether it takes addresses beyond ASCII before the `@`. */
  utf8?: boolean;
  /** The host that its certificate is for. */
  certificateOf?: string;
}

/**
 * A mail server on loopback, which takes mail over from its one user. Its `close` throws if a mail was not well-formed,
 * so that no test needs to look.
 */
export class SmtpStandIn extends MailStandIn<SmtpAnswer> {
  private readonly planned = new Map<string, Behaviour<SmtpAnswer>>();
  private readonly faults: string[] = [];
  private readonly server: SMTPServer;
  private folder: string | undefined;

  /** How many connections there were at the same time. */
  mostAtOnce = 0;

  private constructor(
    private readonly tls: 'off' | 'starttls' | 'implicit',
    disabledCommands: string[],
    hideSMTPUTF8: boolean,
    private readonly certificate: Certificate,
  ) {
    super();
    this.server = new PromptServer({
      ...certificate,
      secure: tls === 'implicit',
      disabledCommands,
      hideSMTPUTF8,
      allowInsecureAuth: true,
      disableReverseLookup: true,
      onConnect: (session, done) => this.greet(session, done),
      onAuth: ({ username, password }, session, done) => {
        const isRight = username === USER && password === PASSWORD;
        const error = isRight ? null : replyError('535 5.7.8 Authentication failed for latchkey');
        this.step('AUTH', session, (failure) => done(failure ?? error, { user: USER }));
      },
      onMailFrom: (_, session, done) => this.step('MAIL FROM', session, done),
      onRcptTo: (_, session, done) => this.step('RCPT TO', session, done),
      onData: (stream, session, done) => {
        // A client that is killed while it sends leaves a stream that never ends.
        void buffer(stream)
          .then((raw) => this.receive(raw, session, done))
          .catch(done);
      },
    });
    // Of a client that hangs up, or that does not trust the certificate.
    this.server.on('error', () => {});
  }

  static async start({
    tls = 'off',
    auth = true,
    utf8 = true,
    certificateOf = HOST,
  }: Options = {}): Promise<SmtpStandIn> {
    const disabled = [...(tls === 'starttls' ? [] : ['STARTTLS']), ...(auth ? [] : ['AUTH'])];
    const standIn = new SmtpStandIn(tls, disabled, !utf8, await certificateFor(certificateOf));
    await new Promise<void>((listening) => standIn.server.listen(0, HOST, listening));
    // A test that fails before it closes this must not keep the run from ending.
    standIn.server.server.unref();
    return standIn;
  }

  get variables(): Record<string, string> {
    return {
      SVC_EMAIL_PROVIDER: 'smtp',
      SVC_SMTP_HOST: HOST,
      SVC_SMTP_PORT: String((this.server.server.address() as AddressInfo).port),
      SVC_SMTP_TLS: this.tls,
      SVC_SMTP_USER: USER,
      SVC_SMTP_PASSWORD: PASSWORD,
      SVC_SMTP_SENDER_ADDRESS: 'no-reply@example.com',
      SVC_SMTP_SENDER_NAME: 'Latchkey',
    };
  }

  /** Makes this process trust its certificate until `jest.restoreAllMocks`, as NODE_EXTRA_CA_CERTS does from a start on. */
  beTrusted(): void {
    const connect = tls.connect as (options: tls.ConnectionOptions, done?: () => void) => tls.TLSSocket;
    const trusting: typeof connect = (options, done) =>
      connect({ ...options, ca: this.certificate.cert }, done);
    jest.spyOn(tls, 'connect').mockImplementation(trusting as typeof tls.connect);
  }

  /** The file that a process which trusts its certificate has in NODE_EXTRA_CA_CERTS. */
  async writeCertificate(): Promise<string> {
    this.folder ??= await mkdtemp(join(tmpdir(), 'latchkey-'));
    const file = join(this.folder, 'authority.pem');
    await writeFile(file, this.certificate.cert);
    return file;
  }

  async close(): Promise<void> {
    for (const connection of this.server.connections) connection._socket.destroy();
    await new Promise<void>((resolve) => this.server.close(resolve));
    if (this.folder !== undefined) await rm(this.folder, { recursive: true });
    if (this.faults.length > 0) throw new Error(`not a mail by RFC 5322: ${this.faults.join('; ')}`);
  }

  private greet(session: SMTPServerSession, done: Next): void {
    this.requests += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.server.connections.size);
    this.planned.set(session.id, this.nextBehaviour());
    this.step('CONN', session, done);
  }

  /** Goes on, unless a test has another answer to the command. */
  private step(command: SmtpAnswer['to'], session: SMTPServerSession, next: Next): void {
    const behaviour = this.planned.get(session.id);
    if (typeof behaviour !== 'object' || behaviour.to !== command) next();
    else if (behaviour.reply === 'hang') this.socketOf(session).on('close', this.abandon);
    else if (behaviour.reply === 'hang up') this.socketOf(session).destroy();
    else next(replyError(behaviour.reply));
  }

  private async receive(raw: Buffer, session: SMTPServerSession, done: Next): Promise<void> {
    const behaviour = this.planned.get(session.id);
    const socket = this.socketOf(session);
    const mail = await read(raw, session);
    if (!session.envelope.smtpUtf8) this.faults.push(...faultsOf(raw, mail.payload.headers));

    if (behaviour === 'accept' || behaviour === 'lose the answer') this.delivered.push(mail);
    if (behaviour === 'hang') socket.on('close', this.abandon);
    else if (behaviour === 'trickle') trickle(socket).on('close', this.abandon);
    else if (behaviour === 'hang up' || behaviour === 'lose the answer') socket.destroy();
    else this.step('DATA', session, done);
  }

  private socketOf({ id }: SMTPServerSession): Socket {
    const connection = [...this.server.connections].find((each) => each.id === id);
    if (!connection) throw new Error('the client has gone');
    return connection._socket;
  }
}

/** A server that does not wait before its greeting, as smtp-server does to find clients that talk too soon. */
class PromptServer extends SMTPServer {
  override connect(...socket: Parameters<SMTPServer['connect']>): void {
    super.connect(...socket);
    const connection = [...this.connections].at(-1);
    connection?.connectionReady();
    // What the wait ends with.
    if (connection) connection.connectionReady = () => {};
  }
}

type Next = (error?: Error | null) => void;

/** An error that makes the server reply so. */
function replyError(reply: string): Error {
  return Object.assign(new Error(reply.slice(4)), { responseCode: Number(reply.slice(0, 3)) });
}

/** A reply of many lines, the last of which never comes. */
function trickle(socket: Socket): Socket {
  const timer = setInterval(() => socket.write('250-still at it\r\n'), 50);
  return socket.on('close', () => clearInterval(timer));
}

async function read(raw: Buffer, { envelope, secure, user, hostNameAppearsAs }: SMTPServerSession) {
  const {
    headers,
    from,
    to,
    messageId = '',
    subject = '',
    text = '',
    html = '',
  } = await PostalMime.parse(raw);
  return {
    id: messageId.slice(1, messageId.indexOf('@')),
    from: envelope.mailFrom ? envelope.mailFrom.address : '',
    to: envelope.rcptTo.map(({ address }) => address).join(),
    subject,
    text: text.replace(/\n$/, ''),
    html: html.replace(/\n$/, ''),
    headers: Object.fromEntries(headers.map(({ key, value }) => [key, value])),
    payload: { headers, from, to, messageId, secure, user, helo: hostNameAppearsAs, raw: String(raw) },
  } satisfies DeliveredMail;
}

function faultsOf(raw: Buffer, headers: { key: string }[]): string[] {
  const lines = raw.toString('latin1').split('\r\n');
  const isLineWrong = (line: string) => line.length > MAX_LINE_OCTETS || /[\r\n\0\u0080-\u00ff]/.test(line);
  return [
    ...lines.filter(isLineWrong),
    ...NEEDED_HEADERS.filter((name) => headers.filter(({ key }) => key === name).length !== 1),
  ];
}

interface Certificate {
  key: string;
  cert: string;
}

const certificates = new Map<string, Promise<Certificate>>();

function certificateFor(host: string): Promise<Certificate> {
  const known = certificates.get(host) ?? makeCertificate(host);
  certificates.set(host, known);
  return known;
}

async function makeCertificate(host: string): Promise<Certificate> {
  const altName = isIP(host) === 0 ? { type: 2 as const, value: host } : { type: 7 as const, ip: host };
  const { private: key, cert } = await generate([{ name: 'commonName', value: host }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames: [altName] }],
  });
  return { key, cert };
}
