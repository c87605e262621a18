import { onColor } from '../config/color.js';
import { Html, html } from '../http/html.js';
import type { Link } from '../words/footer-links.js';
import { isolated } from '../words/say.js';

/** What a mail says, before it is written as HTML and as text. */
export interface Message {
  subject: string;
  /** Mail clients show the first beside the subject. */
  paragraphs: string[];
  action?: Action;
  /** To type in place of opening the link. */
  code?: { label: string; code: string; warning: string };
  /** Another way on, for fewer readers: it stands further down, and quieter. */
  aside?: Action;
  footnote?: string;
}

/** Something the reader can do by opening a link. */
export interface Action {
  label: string;
  link: string;
  /** Of a mail that asks for nothing: its button does not call for a click. */
  isQuiet?: boolean;
}

/** Who writes, in which language, and where to ask back. */
export interface Sender {
  name: string;
  contact: string | null;
  /** What the product links to from all mails. */
  links: Link[];
  /** What stands before the address of the button. */
  copyLink: string;
  /** The colour of the button, as `#rrggbb`. */
  color: string;
  language: { tag: string; direction: 'ltr' | 'rtl' };
}

/** Where mail clients expect the signature to begin (RFC 3676 §4.3). */
const SIGNATURE = '-- ';

/** A message as plain text. */
export function asText(message: Message, { name, contact, links, language }: Sender): string {
  const { paragraphs, action, code, aside, footnote } = message;
  const parts = [
    ...paragraphs,
    ...inOrder(message, action && withLink(action), code && [code.label, code.code, code.warning]),
    aside && withLink(aside),
    footnote,
    [
      SIGNATURE,
      isolated(name, language),
      ...(contact ? [contact] : []),
      ...links.map(({ label, url }) => withLink({ label: isolated(label, language), link: url })),
    ].join('\n'),
  ];
  return parts
    .flat()
    .filter((part) => part !== undefined)
    .join('\n\n');
}

/** The button and the code as they follow each other: a quiet button does something else than the code, which then comes first. */
function inOrder<Button, Code>(
  { action }: Message,
  button: Button,
  code: Code,
): [Button | Code, Button | Code] {
  return action?.isQuiet ? [code, button] : [button, code];
}

/** The link stands on a line of its own, so that no mail client breaks it. */
function withLink({ label, link }: Action): string {
  return `${label}:\n${link}`;
}

// Tables and inline styles, because Outlook lays out with Word and knows little else. The style sheet only holds what
// a mail client may ignore. No image and nothing remote: what is loaded tells the sender that the mail was read.

const WIDTH = '560';
const FONT = "font-family:'Segoe UI',-apple-system,Roboto,Helvetica,Arial,sans-serif";
const PARAGRAPH = `margin:0 0 16px;word-break:break-word;${FONT};font-size:16px;line-height:24px;color:#18181b`;
const CODE =
  "margin:0 0 16px;font-family:Consolas,Menlo,'Courier New',monospace;font-size:28px;line-height:36px;letter-spacing:2px;color:#18181b";
const SMALL = `margin:0 0 16px;word-break:break-word;${FONT};font-size:14px;line-height:20px;color:#52525b`;

/** The classes say what is dark in the dark; the inline styles, what it is otherwise. */
const DARK = new Html(`
:root { color-scheme: light dark; supported-color-schemes: light dark; }
@media (prefers-color-scheme: dark) {
  .page { background-color: #18181b !important; }
  .card { background-color: #27272a !important; border-color: #3f3f46 !important; }
  .text { color: #f4f4f5 !important; }
  .small { color: #b4b4bb !important; }
  .quiet { background-color: #27272a !important; color: #f4f4f5 !important; }
}
`);

/** Keeps what follows the preview out of the list of mails. */
const FILLER = new Html('&#847;&zwnj;&nbsp;'.repeat(60));

/** Word knows no max-width. */
const FRAME = new Html(
  `<!--[if mso]><table role="presentation" align="center" width="${WIDTH}" cellpadding="0" cellspacing="0" border="0"><tr><td><![endif]-->`,
);
const FRAME_END = new Html('<!--[if mso]></td></tr></table><![endif]-->');

/** A message as the HTML of a mail. */
export function asHtml(message: Message, sender: Sender): string {
  const { subject, paragraphs } = message;
  const { name, contact, language } = sender;
  const { tag, direction } = language;
  return html`<!doctype html>
<html lang="${tag}" dir="${direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no, date=no, address=no">
<meta name="x-apple-disable-message-reformatting">
<title>${subject}</title>
<style>${DARK}</style>
</head>
<body class="page" style="margin:0;padding:0;background-color:#f4f4f5">
<div style="display:none;max-height:0;overflow:hidden;mso-hide:all">${marked(paragraphs[0] ?? '')}${FILLER}</div>
<div role="article" aria-roledescription="email" aria-label="${subject}" lang="${tag}" dir="${direction}">
<table role="presentation"${dirOf(sender)} class="page" width="100%" cellpadding="0" cellspacing="0" border="0" style="background-color:#f4f4f5">
<tr><td align="center" style="padding:24px 12px">
${FRAME}
<table role="presentation"${dirOf(sender)} width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:${WIDTH}px">
<tr><td style="padding:0 24px 16px"><p class="small" style="${SMALL};margin:0;font-weight:600">${marked(isolated(name, language))}</p></td></tr>
<tr><td class="card" style="padding:32px 24px 16px;background-color:#ffffff;border:1px solid #e4e4e7;border-radius:8px">
${contents(message, sender)}
</td></tr>
${contact ? html`<tr><td style="padding:16px 24px 0"><p class="small" style="${SMALL};margin:0">${marked(contact)}</p></td></tr>` : null}${ownLinks(sender)}
</table>
${FRAME_END}
</td></tr>
</table>
</div>
</body>
</html>
`.markup;
}

function contents(message: Message, sender: Sender): Html {
  const { subject, paragraphs, action, code, aside, footnote } = message;
  const [first, second] = inOrder(
    message,
    action && button(action, sender),
    code && codeToType(code, sender),
  );
  return html`<h1 class="text" style="margin:0 0 16px;word-break:break-word;${FONT};font-size:22px;line-height:28px;font-weight:600;color:#18181b">${marked(subject)}</h1>
${paragraphs.map((paragraph) => html`<p class="text" style="${PARAGRAPH}">${marked(paragraph)}</p>\n`)}
${first ?? null}
${second ?? null}
${aside ? html`<p class="small" style="${SMALL}"><a class="small" href="${aside.link}" style="color:#52525b">${marked(aside.label)}</a></p>` : null}
${footnote ? html`<p class="small" style="${SMALL}">${marked(footnote)}</p>` : null}`;
}

/** What the product links to; without it, a mail is the same to the byte. */
function ownLinks({ links, language }: Sender): Html | null {
  if (links.length === 0) return null;
  const written = links.map(
    ({ label, url, tag = language.tag }, index) =>
      html`${index === 0 ? null : ' · '}<a class="small" href="${url}" lang="${tag}" style="color:#52525b">${marked(isolated(label, language))}</a>`,
  );
  return html`\n<tr><td style="padding:16px 24px 0"><p class="small" style="${SMALL};margin:0">${written}</p></td></tr>`;
}

/** A text in which elements stand around what it isolates. */
export function marked(text: string): Html {
  return new Html(html`${text}`.markup.replaceAll('\u2068', '<bdi>').replaceAll('\u2069', '</bdi>'));
}

/** Word takes the direction of a table from nothing around it. */
function dirOf({ language }: Sender): Html | null {
  return language.direction === 'rtl' ? html` dir="rtl"` : null;
}

/** A link that looks like a button, also where only its table cell can have a padding; and the link to copy. */
function button({ label, link, isQuiet = false }: Action, sender: Sender): Html {
  const { color, copyLink, language } = sender;
  const face = isQuiet ? '#ffffff' : color;
  const look = isQuiet ? 'quiet' : 'button';
  return html`<table role="presentation"${dirOf(sender)} cellpadding="0" cellspacing="0" border="0" style="margin:8px 0 24px">
<tr><td class="${look}" bgcolor="${face}" align="center" style="border-radius:6px;border:1px solid ${isQuiet ? '#a1a1aa' : color};background-color:${face};mso-padding-alt:12px 24px">
<a class="${look}" href="${link}" style="display:inline-block;padding:12px 24px;mso-padding-alt:0;border-radius:6px;${FONT};font-size:16px;line-height:24px;font-weight:600;color:${isQuiet ? '#18181b' : onColor(color)};text-decoration:none">${marked(label)}</a>
</td></tr>
</table>
<p class="small" style="${SMALL}">${marked(copyLink)}<br><span${language.direction === 'rtl' ? html` dir="ltr"` : null} style="word-break:break-all">${link}</span></p>`;
}

/** Large and in a font that tells its characters apart, from left to right in every language. */
function codeToType({ label, code, warning }: NonNullable<Message['code']>, { language }: Sender): Html {
  const aligned = language.direction === 'rtl' ? ';text-align:right' : '';
  return html`<p class="text" style="${PARAGRAPH}">${marked(label)}</p>
<p class="text" dir="ltr" style="${CODE}${aligned}">${code}</p>
<p class="text" style="${PARAGRAPH}">${marked(warning)}</p>`;
}
