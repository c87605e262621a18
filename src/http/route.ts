import type { Readable } from 'node:stream';
import { HttpCode } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { type DescribedFields, type Fields, type JsonSchema, object, text } from '../validation/schema.js';
import type { Problem } from './problem.js';

// What a handler says of itself for the OpenAPI document. What the guards and the parser of bodies answer is not
// repeated here: it follows from their own decorators, in common-problems.ts.

/** A class of problems; one whose constructor takes arguments has an example of itself. */
export type DocumentedProblem = (new () => Problem) | { readonly example: Problem };

/** What a success may have for a body, by media type; nothing when there is none. */
export type Contents = Readonly<Record<string, { schema: JsonSchema }>>;

/** The bodies by status of success. */
export type Successes = Readonly<Record<string, Contents>>;

type Handler<Body> = (...args: never[]) => Body | Promise<Body>;
type HandlerDecorator<Body> = <H extends Handler<Body>>(
  target: object,
  name: string | symbol,
  descriptor: TypedPropertyDescriptor<H>,
) => void;

export const SUCCESSES = 'docs:successes';

/** What an operation does, in one sentence. */
export const Summary = Reflector.createDecorator<string>();

/** The problems that come from the handler itself. */
export const Problems = Reflector.createDecorator<DocumentedProblem[]>();

/** Keeps out of the document what is for people to look at. */
export const Undocumented = Reflector.createDecorator<true>({ transform: () => true });

/**
 * The status of a success and what its body is, to which the compiler holds the handler: nothing, a text of a media
 * type, or fields of JSON, which may also be asked for as a stream of a media type. Where there are several, the
 * handler sets the status by itself.
 */
export function Answers(status: number): HandlerDecorator<void>;
export function Answers(status: number, mediaType: string): HandlerDecorator<string>;
export function Answers<F extends Fields>(status: number, fields: F): HandlerDecorator<DescribedFields<F>>;
export function Answers<F extends Fields>(
  status: number,
  fields: F,
  streamType: string,
): HandlerDecorator<DescribedFields<F> | Readable>;
export function Answers(status: number, ...bodies: (Fields | string)[]): HandlerDecorator<unknown> {
  return (target, name, descriptor) => {
    const handler = descriptor.value as object;
    const others: Successes = Reflect.getMetadata(SUCCESSES, handler) ?? {};
    Reflect.defineMetadata(SUCCESSES, { ...others, [status]: contentsOf(bodies) }, handler);
    HttpCode(status)(target, name, descriptor);
  };
}

function contentsOf(bodies: (Fields | string)[]): Contents {
  const contents = bodies.map((body) =>
    typeof body === 'string' ? [body, { schema: text }] : ['application/json', { schema: object(body) }],
  );
  return Object.fromEntries(contents);
}
