/** A message to one address. */
export interface Mail {
  to: string;
  subject: string;
  text: string;
}

/** Delivers mail. Which provider stands behind it is the choice of `SVC_EMAIL_PROVIDER`. */
export abstract class Mailer {
  abstract send(mail: Mail): Promise<void>;
}
