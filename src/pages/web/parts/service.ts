import { createLatchkey } from '../../../client/latchkey.js';
import { base } from './facts.js';

/** Lets the user prove who they are by one of some ways. Resolves to whether they did. */
type Proof = (challenge: { methods: string[] }) => Promise<boolean>;

let askForProof: Proof = () => Promise.resolve(false);

/** Sets what is done when the service wants a recent proof. */
export function onStepUp(proof: Proof): void {
  askForProof = proof;
}

/** The API, called as a product's own pages would call it. */
export const latchkey = createLatchkey(base.href.replace(/\/$/, ''), {
  stepUp: (challenge) => askForProof(challenge),
});
