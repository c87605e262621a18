import autocannon from 'autocannon';

/** Requests that a connection has in store; it begins anew after the last. */
const REQUESTS_PER_CONNECTION = 500;

/** A load by autocannon, which counts in whole milliseconds. */
export async function autocannonLoad({ url, cookies, connections, seconds, body }) {
  const request = body
    ? { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
    : { method: 'GET' };
  let first = 0;
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    setupClient(client) {
      const own = cookies.slice(first, first + REQUESTS_PER_CONNECTION);
      first = (first + REQUESTS_PER_CONNECTION) % cookies.length;
      client.setRequests(own.map((cookie) => ({ ...request, headers: { ...request.headers, cookie } })));
    },
  });
  const { latency, duration, errors, non2xx } = result;
  return {
    requests: result['2xx'],
    seconds: duration,
    p50: latency.p50,
    p99: latency.p99,
    errors: errors + non2xx,
  };
}
