import type { Environment } from '../environment.js';

/** The settings that passed their own rules; the others are reported already. */
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

/** A kind of fault, and how it is found: a sentence for each occurrence. */
export interface Rule extends Omit<Fault, 'text'> {
  find: (settings: Settings) => string[];
}

/** A fault as the start tells it. */
export function describeFault({ code, text, cure }: Fault): string {
  return `${code}: ${text} ${cure}`;
}
