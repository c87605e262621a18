/** An error as Stripe answers with it. */
export class StripeFault extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly code?: string,
    readonly type = 'invalid_request_error',
    readonly param?: string,
  ) {
    super(message);
  }

  /** 404 where the path names what is missing, 400 where a parameter does. */
  static missing(what: string, id: string, param = 'id'): StripeFault {
    const status = param === 'id' ? 404 : 400;
    return new StripeFault(
      status,
      `No such ${what}: '${id}'`,
      'resource_missing',
      'invalid_request_error',
      param,
    );
  }

  get body() {
    const { type, message, code, param } = this;
    return { error: { type, message, ...(code && { code }), ...(param && { param }) } };
  }
}

/** Parameters as Stripe reads them from a form: `line_items[0][price]=price_1` is a list of one object. */
export type Parameters = { [name: string]: string | Parameters };

/** The parameters of a form, or of a query; a list is an object whose keys are its indices. */
export function parseForm(text: string): Parameters {
  const parameters: Parameters = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const path = name.split(/\[|\]\[|\]/).filter((part) => part !== '');
    const last = path.pop() ?? '';
    let inner = parameters;
    for (const part of path) {
      inner[part] ??= {};
      inner = inner[part] as Parameters;
    }
    inner[last] = value;
  }
  return parameters;
}

/** An answer as it goes over the wire. */
export interface Answer {
  status: number;
  body: object;
  isReplayed?: boolean;
}

/** What Stripe refuses before it begins to work, it does not remember. */
const UNREMEMBERED = [401, 403, 409, 429];

/** The keys a Stripe account has seen: one key is one request, answered once. */
export class IdempotencyKeys {
  private readonly seen = new Map<string, { request: string; answer: Answer | null }>();

  /** Answers as before a request that comes again under its key. */
  async answer(key: string | undefined, request: string, work: () => Promise<Answer>): Promise<Answer> {
    if (key === undefined) return work();

    const earlier = this.seen.get(key);
    if (earlier) return { ...repeat(earlier, request), isReplayed: true };
    const entry: { request: string; answer: Answer | null } = { request, answer: null };
    this.seen.set(key, entry);
    entry.answer = await work();
    if (UNREMEMBERED.includes(entry.answer.status)) this.seen.delete(key);
    return entry.answer;
  }
}

function repeat(earlier: { request: string; answer: Answer | null }, request: string): Answer {
  if (earlier.request !== request) {
    const message = 'Keys for idempotent requests can only be used with the same parameters.';
    throw new StripeFault(400, message, undefined, 'idempotency_error');
  }
  if (earlier.answer === null) {
    const message = 'There is currently another in-progress request using this key.';
    throw new StripeFault(409, message, 'idempotency_key_in_use', 'idempotency_error');
  }
  return earlier.answer;
}
