import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Environment } from '../config/environment.js';
import { type EventEndpoint, signingKey } from '../config/event-endpoint.js';
import { requestHead } from '../outbound/bounded-request.js';
import { Unavailable } from '../queues/unavailable.js';
import { failureOf } from './endpoint-answer.js';
import type { EventPayload } from './event-payload.js';

/** Sends events to endpoints, signed as Standard Webhooks 1.0 says. */
@Injectable()
export class EventPost {
  private readonly timeoutSeconds: number;

  constructor({ webhookTimeoutSeconds }: Environment) {
    this.timeoutSeconds = webhookTimeoutSeconds;
  }

  /**
   * Resolves with the status once an endpoint has taken an event. Throws Unavailable when it takes nothing at present,
   * and another error when it did not take this event. No error holds a secret, or anything of the answer but its
   * status.
   */
  async send({ url, secrets }: EventEndpoint, eventId: string, payload: EventPayload): Promise<number> {
    const body = JSON.stringify(payload);
    const timestamp = String(Math.floor(Date.now() / 1000));
    const { statusCode: status = 0, headers } = await this.ask(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'latchkey',
        'webhook-id': eventId,
        'webhook-timestamp': timestamp,
        'webhook-signature': secrets
          .map((secret) => signature(secret, `${eventId}.${timestamp}.${body}`))
          .join(' '),
      },
      body,
    });
    if (status < 200 || status > 299) throw failureOf(status, headers['retry-after']);
    return status;
  }

  private async ask(url: string, request: Parameters<typeof requestHead>[2]) {
    try {
      return await requestHead(url, this.timeoutSeconds * 1000, request);
    } catch (error) {
      const { name, code } = error as { name: string; code?: string };
      const reason = name === 'TimeoutError' ? `within ${this.timeoutSeconds} s` : `at all: ${code ?? name}`;
      throw new Unavailable(`the endpoint did not answer ${reason}`);
    }
  }
}

function signature(secret: string, content: string): string {
  return `v1,${createHmac('sha256', signingKey(secret)).update(content).digest('base64')}`;
}
