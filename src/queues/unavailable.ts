/** The endpoint takes nothing at present. What waits for it may try again later. */
export class Unavailable extends Error {
  override readonly name: string = 'Unavailable';

  constructor(
    message: string,
    readonly details: {
      /** Seconds the endpoint asked to be left alone (RFC 9110 §10.2.3). */
      retryAfterSeconds?: number | undefined;
      /** Whether it refused the request as such: it takes one again only when an operator repairs something. */
      isRefused?: boolean | undefined;
    } = {},
  ) {
    super(message);
  }
}
