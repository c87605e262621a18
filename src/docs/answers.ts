import { HttpCode } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Problem } from '../errors/problem.js';
import type { DescribedFields, Fields } from './schema.js';

// What a handler says of itself for the OpenAPI document. What the guards and the parser of bodies answer is not
// repeated here: it follows from their own decorators, in common-problems.ts.

/** A class of problems; one whose constructor takes arguments has an example of itself. */
export type DocumentedProblem = (new () => Problem) | { readonly example: Problem };

/** What a success has for a body: fields of JSON, a text of a media type, or nothing. */
export type Content = Fields | string | null;

/** The bodies by status of success. */
export type Successes = Readonly<Record<string, Content>>;

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
 * The status of a success and what its body is, to which the compiler holds the handler. Where there are several,
 * the handler sets the status by itself.
 */
export function Answers(status: number): HandlerDecorator<void>;
export function Answers(status: number, mediaType: string): HandlerDecorator<string>;
export function Answers<F extends Fields>(status: number, fields: F): HandlerDecorator<DescribedFields<F>>;
export function Answers(status: number, content: Content = null): HandlerDecorator<unknown> {
  return (target, name, descriptor) => {
    const handler = descriptor.value as object;
    const others: Successes = Reflect.getMetadata(SUCCESSES, handler) ?? {};
    Reflect.defineMetadata(SUCCESSES, { ...others, [status]: content }, handler);
    HttpCode(status)(target, name, descriptor);
  };
}
