import jwt from 'jsonwebtoken';
import { derivedKey } from './derived-key.js';
import { withAnyOf } from './with-any-of.js';

const ALGORITHM = 'HS256';
const PURPOSE = 'operator-question';

/** A question takes seconds; what lies between the clocks of two machines is a finding of its own. */
const MAX_AGE_SECONDS = 120;

/** The secret in use, then the former ones. */
type Keys = readonly [string, ...string[]];

/**
 * What shows a service that its question comes from an operator who has its secret. It is sent to whatever answers at an
 * address, so it is no secret itself, and soon worth nothing.
 */
export function signedQuestion([secret]: Keys): string {
  return jwt.sign({}, keyOf(secret), { algorithm: ALGORITHM, expiresIn: MAX_AGE_SECONDS });
}

/** Whether a question is one that a holder of the secret has signed within the last minutes. */
export function isSignedQuestion(question: string, [secret, ...former]: Keys): boolean {
  try {
    withAnyOf([secret, ...former], (each) =>
      jwt.verify(question, keyOf(each), { algorithms: [ALGORITHM], maxAge: MAX_AGE_SECONDS }),
    );
    return true;
  } catch {
    return false;
  }
}

function keyOf(secret: string): Buffer {
  return Buffer.from(derivedKey(secret, PURPOSE));
}
