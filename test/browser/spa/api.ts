import type { paths } from './client';

/** In development on the host of the page: between localhost and 127.0.0.1, which are two sites, no cookie goes. */
const API = import.meta.env?.API_URL ?? `http://${location.hostname}:3000`;

type At<T, Key> = Key extends keyof T ? T[Key] : never;
type Json<T> = T extends { content: { 'application/json': infer Body } } ? Body : undefined;
type Method<P extends keyof paths> = keyof {
  [M in keyof paths[P] as paths[P][M] extends { responses: object } ? M : never]: M;
};
type Input<O> = Partial<At<O, 'parameters'>> & { body?: Json<At<O, 'requestBody'>> };

/** What an operation that refuses throws (RFC 9457): a code to branch on, a sentence to show. */
export interface Problem {
  code: string;
  detail: string;
  errors?: Fault[];
  /** Of StepUpRequired: how the user can prove who they are. */
  methods?: string[];
}

/** Lets the user prove again who they are, in one of some ways. Throws a problem when they do not. */
type Proof = (methods: string[]) => Promise<void>;

let proveAgain: Proof | null = null;

/** Sets what is done for a request that needs a recent proof, before it is sent again. */
export function onStepUpRequired(proof: Proof): void {
  proveAgain = proof;
}

/** What is wrong with a field of the body. */
export interface Fault {
  field: string;
  messages: string[];
}

const UNREACHABLE: Problem = {
  code: 'Unreachable',
  detail: 'The service cannot be reached. Please try again.',
};

/** Calls an operation; throws the problem that it answers with instead. */
export async function api<P extends keyof paths, M extends Method<P> & string>(
  method: M,
  path: P,
  input: Input<paths[P][M]> = {},
  proof = proveAgain,
) {
  const { body, path: ids = {}, query = {} } = input as Record<string, Record<string, string>>;
  const url = `${API}${path.replace(/{(\w+)}/g, (_, name) => ids[name] ?? '')}?${new URLSearchParams(query)}`;
  const sent = body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const request = { method: method.toUpperCase(), credentials: 'include' as const, ...sent };
  const response = await fetch(url, request).catch(() => Promise.reject(UNREACHABLE));
  // A proxy that gives up answers in a way of its own.
  const answer = await response.json().catch(() => undefined);
  // The session got a fresh cookie meanwhile, in another tab.
  if (answer?.code === 'SessionRenewed') return api(method, path, input, proof);
  if (answer?.code === 'StepUpRequired' && proof) {
    await proof(answer.methods);
    return api(method, path, input, null);
  }
  if (!response.ok) throw answer ?? UNREACHABLE;
  return answer as Json<At<At<paths[P][M], 'responses'>, 200 | 201 | 202>>;
}
