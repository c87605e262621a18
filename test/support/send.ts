/** What a request has besides its address; a body is sent as JSON. */
export interface Sent {
  cookie?: string | undefined;
  body?: unknown;
  headers?: Record<string, string>;
}

/** Sends a request over a real connection. */
export function send(
  method: string,
  url: string,
  { cookie, body, headers = {} }: Sent = {},
): Promise<Response> {
  return fetch(url, {
    method,
    redirect: 'manual',
    headers: {
      ...(cookie !== undefined && { cookie }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

/** The cookies that an answer sets, as a browser sends them back. */
export function cookiesOf(answer: Response): string {
  return answer.headers
    .getSetCookie()
    .map((line) => line.split(';', 1)[0])
    .join('; ');
}

/** The status of the answer to a request, whose body is read to its end. */
export async function statusOf(method: string, url: string, sent?: Sent): Promise<number> {
  const answer = await send(method, url, sent);
  await answer.arrayBuffer();
  return answer.status;
}
