import { ButtonLink } from './button.js';
import { addressOf } from './facts.js';
import { returnHere } from './return-to.js';
import { say, Word } from './say.js';

/** Where a user sets up a second factor, and from where they come back to this page. */
export const setUpAddress = () => addressOf(`ui/security${returnHere()}#second-step-at-login`);

/** The way to a second factor of one's own, and back to this page. */
export function SetUpFactor() {
  return (
    <ButtonLink weight="words" href={setUpAddress()} aria-label={say(Word['organization.factor.setUpNamed'])}>
      {say(Word['organization.factor.setUp'])}
    </ButtonLink>
  );
}
