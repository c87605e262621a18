import { Controller, Get, Header, Inject, Query, UseGuards } from '@nestjs/common';
import { IsIn } from 'class-validator';
import { Environment } from '../config/environment.js';
import { OperatorError } from '../config/operator-error.js';
import { type Html, html } from '../http/html.js';
import { Public, Undocumented } from '../http/route.js';
import { IfGiven, IsLocale } from '../validation/rules.js';
import type { OwnMessages } from '../words/own-words.js';
import { OWN_MESSAGES } from '../words/words.module.js';
import { withLinksApart } from './links-apart.js';
import { MailComposer } from './mail-composer.js';
import { MAIL_KINDS, type MailKind } from './mail-kinds.js';
import type { Mail } from './mailer.js';
import { InDevWithStub, OwnMachineGuard } from './own-machine.guard.js';
import { SAMPLE_ADDRESS, sampleOf } from './samples.js';

/** As that of the mailbox, with the form that chooses, and the images of a product's frame. */
const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src https:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

class Chosen {
  @IfGiven()
  @IsIn(MAIL_KINDS)
  readonly kind: MailKind = 'verification';

  /** One that is not there shows the default. */
  @IfGiven()
  @IsLocale()
  readonly language?: string;
}

/** Every mail in every language, for a developer who writes words or a frame of their own. */
@Controller('dev')
@Public()
@Undocumented()
@UseGuards(OwnMachineGuard)
export class DevPreviewController {
  constructor(
    private readonly environment: Environment,
    @Inject(OWN_MESSAGES) private readonly messages: OwnMessages,
  ) {}

  /** Reads the words anew each time, so that who writes them has only to reload. */
  @Get('mail/preview')
  @InDevWithStub()
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('content-security-policy', PAGE_POLICY)
  async show(@Query() { kind, language }: Chosen) {
    try {
      return previewPage(await MailComposer.read(this.environment, this.messages), kind, language);
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error;
      return pageAround('Preview', html`<pre>${error.message}</pre>`);
    }
  }
}

function previewPage(composer: MailComposer, kind: MailKind, tag: string | undefined): string {
  const { all, default: first } = composer.languages;
  const language = all.find((each) => each.tag === tag) ?? first;
  const mail = sampleOf(kind, SAMPLE_ADDRESS, composer.for({ locale: language.tag }), language);
  const kinds = MAIL_KINDS.map((each) => option(each, each, kind));
  const languages = all.map((each) => option(each.tag, each.name, language.tag));
  return pageAround(
    mail.subject,
    html`<form>
<label>Kind <select name="kind">${kinds}</select></label>
<label>Language <select name="language">${languages}</select></label>
<button>Show</button>
</form>
${shown(mail, language.direction)}`,
  );
}

function option(value: string, words: string, chosen: string): Html {
  return html`<option value="${value}"${value === chosen ? html` selected` : null}>${words}</option>`;
}

function shown({ subject, html: mail, text, language }: Mail, direction: string): Html {
  return html`<h2 lang="${language}" dir="${direction}">${subject}</h2>
<div>
<iframe title="${subject}" sandbox="allow-popups allow-popups-to-escape-sandbox" srcdoc="${withLinksApart(mail)}"></iframe>
<pre lang="${language}" dir="${direction}">${text}</pre>
</div>`;
}

function pageAround(title: string, content: Html): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 80rem; margin: 0 auto; padding: 1.5rem 1rem; }
form { display: flex; flex-wrap: wrap; gap: .75rem; align-items: center; }
select, button { font: inherit; min-height: 2.75rem; max-width: 100%; }
div { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); gap: 1rem; }
iframe { width: 100%; height: 44rem; border: 0; resize: vertical; }
pre { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: plaintext; }
</style>
</head>
<body>
<h1>Preview</h1>
<p>Mails with sample names, and links that open nothing. Words and frames of your own are read anew each time. <a href="../mail">Mailbox</a></p>
${content}
</body>
</html>
`.markup;
}
