import { randomBytes } from 'node:crypto';

/** What an entry of `SVC_WEBHOOKS` holds. */
interface Endpoint {
  name: string;
  url: string;
  secrets: string[];
  types: string[];
}

export const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`;

/** The variables that set some endpoints. What is left out: all types, and an address where there is no receiver. */
export function webhooks(...endpoints: Partial<Endpoint>[]): { SVC_WEBHOOKS: string } {
  const whole = endpoints.map(
    (endpoint, index): Endpoint => ({
      name: `endpoint-${index}`,
      url: 'http://127.0.0.1:9/',
      secrets: [newSecret()],
      types: ['*'],
      ...endpoint,
    }),
  );
  return { SVC_WEBHOOKS: JSON.stringify(whole) };
}
