import type { Environment } from '../environment.js';

/** The settings that passed their own rules; the start reports the others already. */
export type Settings = Partial<Environment>;

/** Something about a configuration that is well-formed, and still not safe to serve with; and how to fix it. */
export interface Finding {
  /** The name that scripts and search engines know it by. */
  code: string;
  /** An error stops the start; a warning is logged. */
  severity: 'error' | 'warning';
  text: string;
  fix: string;
}

/** A kind of finding, and how the preflight finds it: `find` returns a sentence for each occurrence. */
export interface Rule extends Omit<Finding, 'text'> {
  find: (settings: Settings) => string[];
}

/** A finding as the start prints it. */
export function describeFinding({ code, text, fix }: Finding): string {
  return `${code}: ${text} ${fix}`;
}
