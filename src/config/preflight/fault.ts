import type { Environment } from '../environment.js';

/** The settings that passed their own rule; the others are told of already. */
export type Settings = Partial<Environment>;

/** Something about a configuration that is well-formed, and still not safe to serve with. */
export interface Fault {
  /** What scripts and search engines know it by. */
  code: string;
  /** An error stops the start; a warning is logged. */
  severity: 'error' | 'warning';
  text: string;
  cure: string;
}

/** A kind of fault, and what finds it: a sentence for each place where it is. */
export interface Rule extends Omit<Fault, 'text'> {
  find: (settings: Settings) => string[];
}

/** A fault as the start tells it. */
export function describeFault({ code, text, cure }: Fault): string {
  return `${code}: ${text} ${cure}`;
}
