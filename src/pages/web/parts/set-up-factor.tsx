import { ButtonLink } from './button.js';
import { setUpAddress } from './return-to.js';
import { say, Word } from './say.js';

/** The way to a second factor of one's own, and back to this page. */
export function SetUpFactor() {
  return (
    <ButtonLink weight="words" href={setUpAddress()} aria-label={say(Word['organization.factor.setUpNamed'])}>
      {say(Word['organization.factor.setUp'])}
    </ButtonLink>
  );
}
