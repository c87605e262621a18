import { createHash, X509Certificate } from 'node:crypto';
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { generate } from 'selfsigned';

/** The proxy of a deployment: it ends TLS for `*.latchkey.test`, in front of the service. */
export class HttpsFront {
  private constructor(
    readonly server: Server,
    /** Makes Chromium trust the certificate, and no other that it would not trust anyway. */
    readonly chromiumFlag: string,
  ) {}

  static async create(port: number): Promise<HttpsFront> {
    const { private: key, cert } = await generate([{ name: 'commonName', value: 'latchkey.test' }], {
      keyType: 'ec',
      algorithm: 'sha256',
      extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: '*.latchkey.test' }] }],
    });
    const server = createServer({ key, cert }, (incoming, answer) => forward(incoming, answer, port));
    return new HttpsFront(server, `--ignore-certificate-errors-spki-list=${publicKeyHash(cert)}`);
  }
}

function forward(incoming: IncomingMessage, answer: ServerResponse, port: number): void {
  const { method, url, headers, socket } = incoming;
  const forwarded = { ...headers, 'x-forwarded-for': socket.remoteAddress };
  const outgoing = request({ port, host: '127.0.0.1', method, path: url, headers: forwarded }, (response) => {
    answer.writeHead(response.statusCode ?? 502, response.rawHeaders);
    response.pipe(answer);
  });
  incoming.pipe(outgoing);
}

function publicKeyHash(certificate: string): string {
  const { publicKey } = new X509Certificate(certificate);
  return createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64');
}
