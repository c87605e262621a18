import { Controller, Get, Header, Param, Query, UseGuards } from '@nestjs/common';
import { NotFound } from '../http/errors.js';
import { type Html, html } from '../http/html.js';
import { Public, Undocumented } from '../http/route.js';
import { IfGiven, IsAddress } from '../validation/rules.js';
import { DevMailbox, type KeptMail } from './dev-mailbox.js';
import { withLinksApart } from './links-apart.js';
import { InDevWithStub, OwnMachineGuard } from './own-machine.guard.js';

/** Styles and nothing else: no script, no image, no frame around it. What a mail holds inherits this. */
const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

class MailsTo {
  @IfGiven()
  @IsAddress()
  readonly to?: string;
}

@Controller('dev')
@Public()
@Undocumented()
@UseGuards(OwnMachineGuard)
export class DevMailboxController {
  constructor(private readonly mailbox: DevMailbox) {}

  @Get('mail')
  @InDevWithStub()
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('content-security-policy', PAGE_POLICY)
  show() {
    return mailboxPage(this.mailbox.newestFirst());
  }

  /** For the tests of a front end, which follow the links of mails. */
  @Get('mail.json')
  @InDevWithStub()
  list(@Query() { to }: MailsTo) {
    const mails = this.mailbox.newestFirst().filter((mail) => to === undefined || mail.to === to);
    return { data: mails.map(mailView) };
  }

  @Get('mail/:file')
  @InDevWithStub()
  get(@Param('file') file: string) {
    const mail = this.mailbox.newestFirst().find(({ id }) => file === `${id}.json`);
    if (!mail) throw new NotFound();
    return { mail: mailView(mail) };
  }
}

function mailView({ id, kind, to, subject, text, html: markup, keptAt }: KeptMail) {
  const links = text.match(/https?:\/\/\S+/g) ?? [];
  return { id, kind, to, subject, kept_at: keptAt.toISOString(), links, text, html: markup };
}

/** The mailbox as a page, the newest mail open. */
function mailboxPage(mails: readonly KeptMail[]): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Mailbox (${String(mails.length)})</title>
<style>
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 72rem; margin: 0 auto; padding: 1.5rem 1rem; }
details { border-top: 1px solid color-mix(in srgb, currentColor 25%, transparent); padding: .75rem 0; }
summary { cursor: pointer; overflow-wrap: anywhere; }
summary span { opacity: .75; }
div { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); gap: 1rem; padding-top: .75rem; }
iframe { width: 100%; height: 36rem; border: 0; resize: vertical; }
pre { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
</style>
</head>
<body>
<h1>Mailbox</h1>
<p>The last mails of this process, the newest first. They were not sent: <code>SVC_EMAIL_PROVIDER</code> is <code>stub</code>. Reload to see more. <a href="mail/preview">Preview every mail</a></p>
${mails.length > 0 ? mails.map(entry) : html`<p>No mail yet.</p>`}
</body>
</html>
`.markup;
}

function entry({ to, subject, keptAt, html: mail, text }: KeptMail, index: number): Html {
  const time = keptAt.toISOString();
  return html`<details${index === 0 ? html` open` : null}>
<summary><strong>${subject}</strong> <span>to ${to}, <time datetime="${time}">${inWords(time)}</time></span></summary>
<div>
<iframe title="${subject}" sandbox="allow-popups allow-popups-to-escape-sandbox" srcdoc="${withLinksApart(mail)}"></iframe>
<pre>${text}</pre>
</div>
</details>
`;
}

/** To the second: the page has no script that could tell it in the time of its reader. */
function inWords(instant: string): string {
  return `${instant.slice(0, 19).replace('T', ' ')} UTC`;
}
