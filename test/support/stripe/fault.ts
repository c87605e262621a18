/** An error as Stripe answers with it. */
export class StripeFault extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly code?: string,
    readonly type = 'invalid_request_error',
  ) {
    super(message);
  }

  static missing(what: string, id: string): StripeFault {
    return new StripeFault(404, `No such ${what}: '${id}'`, 'resource_missing');
  }

  get body() {
    return { error: { type: this.type, message: this.message, ...(this.code && { code: this.code }) } };
  }
}
