/** What a mail says, before it is written as HTML and as text. */
export interface Letter {
  subject: string;
  /** Mail clients show the first beside the subject. */
  paragraphs: string[];
  action?: Action;
  /** Another way on, for fewer readers: it stands further down, and quieter. */
  aside?: Action;
  footnote?: string;
}

/** Something the reader can do by opening a link. */
export interface Action {
  label: string;
  link: string;
}

/** Who writes, and where to ask back. */
export interface Sender {
  name: string;
  contact: string | null;
}
