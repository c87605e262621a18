import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readEnvironment } from '../config/read-environment.js';
import { type Html, html } from '../http/html.js';
import { MailComposer } from '../mail/mail-composer.js';
import { MAIL_KINDS } from '../mail/mail-kinds.js';
import type { Mail } from '../mail/mailer.js';
import { SAMPLE_ADDRESS, sampleOf } from '../mail/samples.js';
import type { Product } from '../start/product.js';
import type { Language } from '../words/language.js';

/** `mail preview`: writes samples of mails as the service would send them, and a page that leads to them. */
export async function previewMails(
  product: Product,
  named: string | undefined,
  { language: tag, folder }: { language?: string; folder: string },
): Promise<void> {
  const composer = await MailComposer.read(await readEnvironment(), product.messages);
  const { all, tags } = composer.languages;
  const kinds = MAIL_KINDS.filter((kind) => named === undefined || kind === named);
  const languages = all.filter((language) => tag === undefined || language.tag === tag);
  if (kinds.length === 0) throw new Error(`There is no kind ${named}. Name one of ${MAIL_KINDS.join(', ')}.`);
  if (languages.length === 0) throw new Error(`SVC_LOCALES has no ${tag}. Name one of ${tags.join(', ')}.`);

  await mkdir(folder, { recursive: true });
  const sections: Html[] = [];
  for (const language of languages) {
    const messages = composer.for({ locale: language.tag });
    const mails = kinds.map((kind) => sampleOf(kind, SAMPLE_ADDRESS, messages, language));
    for (const mail of mails) {
      await writeFile(join(folder, fileOf(mail, 'html')), mail.html);
      await writeFile(join(folder, fileOf(mail, 'txt')), `${mail.text}\n`);
    }
    sections.push(sectionOf(language, mails));
  }
  await writeFile(join(folder, 'index.html'), indexPage(sections));
  console.log(`Wrote ${kinds.length * languages.length} mails. Open ${join(folder, 'index.html')}.`);
}

function fileOf({ kind, language }: Mail, ending: 'html' | 'txt'): string {
  return `${kind}.${language}.${ending}`;
}

function sectionOf({ tag, name, direction }: Language, mails: Mail[]): Html {
  return html`<section>
<h2 lang="${tag}" dir="${direction}">${name}</h2>
<ul>
${mails.map(
  (
    mail,
  ) => html`<li><a href="${fileOf(mail, 'html')}"><bdi lang="${tag}">${mail.subject}</bdi></a> (${mail.kind}, <a href="${fileOf(mail, 'txt')}">text</a>)</li>
`,
)}</ul>
</section>
`;
}

function indexPage(sections: Html[]): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Mails</title>
<style>
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 0 auto; padding: 1.5rem 1rem; }
</style>
</head>
<body>
<h1>Mails</h1>
${sections}</body>
</html>
`.markup;
}
