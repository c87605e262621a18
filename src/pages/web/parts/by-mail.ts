import { late } from './late.js';

/** The proof by a mailed code, which is offered only to an account that has nothing else. */
export const ByMail = late(async () => (await import('./mailed-proof.js')).MailedProof);
