import { createLatchkey } from '../../../client/latchkey.js';
import type { LatchkeyProblem } from '../../../client/problem.js';
import { base } from './facts.js';
import { loadProblems } from './say.js';

/** What asks for a proof. */
export type Challenge = LatchkeyProblem<'StepUpRequired'>;

/** Lets the user prove who they are by one of some ways. Resolves to whether they did. */
type Proof = (challenge: Challenge) => Promise<boolean>;

let askForProof: Proof = () => Promise.resolve(false);

/** Sets what is done when the service wants a recent proof. */
export function onStepUp(proof: Proof): void {
  askForProof = proof;
}

/** Brings the words of a refusal along with it. */
export const fetchWithWords: typeof fetch = async (...request) => {
  const answer = await fetch(...request);
  if (!answer.ok) await loadProblems();
  return answer;
};

/** The API, called as a product's own pages would call it. */
export const latchkey = createLatchkey(base.href.replace(/\/$/, ''), {
  stepUp: (challenge) => askForProof(challenge),
  locale: () => document.documentElement.lang,
  fetch: fetchWithWords,
});
