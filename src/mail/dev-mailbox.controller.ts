import type { IncomingMessage } from 'node:http';
import { Controller, Get, Header, Logger, Param, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { isPrivate } from '../config/near-hosts.js';
import { NotFound } from '../http/errors.js';
import { type Html, html } from '../http/html.js';
import { OpenWhen, Public, Undocumented } from '../http/route.js';
import { IfGiven, IsAddress } from '../validation/rules.js';
import { DevMailbox, type KeptMail } from './dev-mailbox.js';

/** Styles and nothing else: no script, no image, no frame around it. What a mail holds inherits this. */
const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Opens the links of a mail beside the mailbox. */
const LINKS_IN_NEW_TAB = '<base target="_blank">';

/** What proxies add to a request that they pass on. */
const FORWARDED =
  /^(x-forwarded-.+|x-real-ip|forwarded|via|(cf-connecting|true-client|x-client|x-cluster-client|fastly-client|fly-client)-ip|cf-ray|cdn-loop|x-envoy-.+|x-amzn-trace-id)$/;

/** Only a developer's own machine has mails to show that were never sent. */
const InDevWithStub = () =>
  OpenWhen(
    ({ environment, emailProvider, baseApiUrl }) =>
      environment === 'dev' && emailProvider === 'stub' && isPrivate(new URL(baseApiUrl).hostname),
  );

class MailsTo {
  @IfGiven()
  @IsAddress()
  readonly to?: string;
}

@Controller('dev')
@Public()
@Undocumented()
export class DevMailboxController {
  private readonly logger = new Logger(DevMailboxController.name);

  private hasWarned = false;

  constructor(private readonly mailbox: DevMailbox) {}

  @Get('mail')
  @InDevWithStub()
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('content-security-policy', PAGE_POLICY)
  show(@Req() request: FastifyRequest) {
    this.refuseOthers(request);
    return mailboxPage(this.mailbox.newestFirst());
  }

  /** For the tests of a front end, which follow the links of mails. */
  @Get('mail.json')
  @InDevWithStub()
  list(@Req() request: FastifyRequest, @Query() { to }: MailsTo) {
    this.refuseOthers(request);
    const mails = this.mailbox.newestFirst().filter((mail) => to === undefined || mail.to === to);
    return { data: mails.map(mailView) };
  }

  @Get('mail/:file')
  @InDevWithStub()
  get(@Req() request: FastifyRequest, @Param('file') file: string) {
    this.refuseOthers(request);
    const mail = this.mailbox.newestFirst().find(({ id }) => file === `${id}.json`);
    if (!mail) throw new NotFound();
    return { mail: mailView(mail) };
  }

  /** A website that lets its name point to this machine (DNS rebinding) could read the links, but has to send that name. */
  private refuseOthers({ hostname, raw }: FastifyRequest): void {
    if (isForwarded(raw)) this.warnOfProxy();
    if (isForwarded(raw) || !isPrivate(hostname)) throw new NotFound();
  }

  /** Once for the process: who sends many requests fills no log. */
  private warnOfProxy(): void {
    if (this.hasWarned) return;
    this.hasWarned = true;
    this.logger.warn(
      {
        event: 'setting.doubtful',
        code: 'DEV_BEHIND_PROXY',
        fix: 'Set SVC_ENVIRONMENT to beta or prod where others reach the service; else open /dev/mail without the proxy.',
      },
      'A proxy passed on a request for /dev/mail, and the service refused it: dev is for one machine, and has known secrets.',
    );
  }
}

/**
 * Whether a proxy passed a request on: others than this machine may reach the service through it. No browser speaks
 * HTTP/1.0, as nginx does unless it is told otherwise.
 */
function isForwarded({ headers, httpVersion }: IncomingMessage): boolean {
  return httpVersion === '1.0' || Object.keys(headers).some((name) => FORWARDED.test(name));
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
<p>The last mails of this process, the newest first. They were not sent: <code>SVC_EMAIL_PROVIDER</code> is <code>stub</code>. Reload to see more.</p>
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
<iframe title="${subject}" sandbox="allow-popups allow-popups-to-escape-sandbox" srcdoc="${LINKS_IN_NEW_TAB}${mail}"></iframe>
<pre>${text}</pre>
</div>
</details>
`;
}

/** To the second: the page has no script that could tell it in the time of its reader. */
function inWords(instant: string): string {
  return `${instant.slice(0, 19).replace('T', ' ')} UTC`;
}
