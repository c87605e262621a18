import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { dirname } from 'node:path';
import { type Html, html } from '../../../src/http/html.js';
import type { Subscription } from './objects.js';
import { StripeFault } from './requests.js';
import { type PageRequest, StripeStandIn } from './stand-in.js';
import { signatureOf } from './webhooks.js';

/** How long until an event is sent again to a service that did not take it. */
const RETRY_MS = 2_000;
const WEBHOOK_TIMEOUT_MS = 10_000;

/** What a person can do with a subscription in the portal, by the value of the button. */
const ACTS: Record<string, [label: string, act: (stripe: StripeStandIn, id: string) => unknown]> = {
  cancel: [
    'Cancel at the end of the period',
    ({ account }, id) => account.updateSubscription(id, { cancel_at_period_end: true }),
  ],
  end: ['Cancel now', ({ account }, id) => account.endSubscription(id)],
  renew: ['Let the next period begin, and pay it', ({ account }, id) => account.renew(id)],
  fail: ['Let the next payment fail', ({ account }, id) => account.failPayment(id)],
  settle: ['Pay what is owed', ({ account }, id) => account.settle(id)],
};

export interface TrialOptions {
  port?: number;
  /** The address of the service, whose webhook hears of what happens. */
  service: string;
  /** Where the account is kept between runs; in memory alone without it. */
  file?: string;
  report?: (line: string) => void;
}

/** The stand-in with pages for people, who pay with a click, so that a checkout can be tried without Stripe. */
export class StripeTrial {
  private retry: NodeJS.Timeout | undefined;
  private sending = Promise.resolve();

  private constructor(
    readonly stripe: StripeStandIn,
    private readonly options: TrialOptions,
  ) {}

  static async start(options: TrialOptions): Promise<StripeTrial> {
    const stripe = await StripeStandIn.start(options.port);
    Object.assign(stripe.account.pages, { checkout: stripe.base, portal: stripe.base });
    const self = new StripeTrial(stripe, options);
    self.load();
    for (const [id, isRecurring] of [
      ['price_monthly', true],
      ['price_once', false],
    ] as const)
      if (!stripe.account.prices.has(id)) stripe.account.addPrice({ id, isRecurring });
    stripe.showPage = (page, response) => self.show(page, response);
    stripe.onAnswer = () => self.goOn();
    self.goOn();
    return self;
  }

  /** The settings of a service that bills through this account. */
  get settings(): Record<string, string> {
    return { ...this.stripe.variables, SVC_STRIPE_PRICE_IDS: 'price_monthly,price_once' };
  }

  /** Resolves once the service was told all that has happened, or does not answer. */
  async told(): Promise<void> {
    await this.sending;
  }

  async stop(): Promise<void> {
    clearTimeout(this.retry);
    await this.sending;
    await this.stripe.stop();
  }

  private async show({ method, path, form }: PageRequest, response: ServerResponse): Promise<boolean> {
    const [, kind, id = ''] = /^\/(c\/pay|p\/session)\/(\w+)$/.exec(path) ?? [];
    if (kind === undefined) return false;
    try {
      if (method !== 'POST') {
        answer(response, 200, kind === 'c/pay' ? this.payPage(id) : this.portalPage(id));
      } else if (kind === 'c/pay') {
        const { success_url: success } = this.stripe.account.completeSession(id);
        await this.goOn();
        redirect(response, success.replace('{CHECKOUT_SESSION_ID}', id));
      } else {
        ACTS[form.get('act') ?? '']?.[1](this.stripe, form.get('subscription') ?? '');
        await this.goOn();
        redirect(response, path);
      }
    } catch (error) {
      if (!(error instanceof StripeFault)) throw error;
      answer(response, error.status, html`<h1>That did not work</h1><p>${error.message}</p>`);
    }
    return true;
  }

  private payPage(id: string): Html {
    const { status, customer, line_items: items, cancel_url: cancel } = this.stripe.account.session(id);
    const { email = 'somebody', name } = this.stripe.account.livingCustomer(customer);
    if (status !== 'open') return html`<h1>This checkout is ${status}</h1>`;
    return html`<h1>Pay</h1>
<p>${name ?? email} buys:</p>
<ul>${items.map(({ price, quantity }) => html`<li>${price}${quantity === undefined ? null : ` × ${quantity}`}</li>`)}</ul>
<form method="post"><button>Pay</button></form>
${cancel === null ? null : html`<p><a href="${cancel}">Cancel</a></p>`}`;
  }

  private portalPage(customer: string): Html {
    const { email = 'somebody', name } = this.stripe.account.livingCustomer(customer);
    const subscriptions = this.stripe.account.subscriptionsOf(customer);
    return html`<h1>What ${name ?? email} pays for</h1>
${subscriptions.length === 0 ? html`<p>Nothing yet.</p>` : subscriptions.map(subscriptionForm)}`;
  }

  /** Keeps what happened, and tells the service. */
  private goOn(): Promise<void> {
    this.save();
    this.sending = this.sending.then(() => this.tell());
    return this.sending;
  }

  /** In order: an event that the service does not take holds up those after it. */
  private async tell(): Promise<void> {
    clearTimeout(this.retry);
    const { events } = this.stripe.account;
    for (let event = events[0]; event !== undefined; event = events[0]) {
      const body = JSON.stringify(event);
      const headers = { 'content-type': 'application/json', 'stripe-signature': signatureOf(body) };
      const status = await fetch(`${this.options.service}/subscription/webhook`, {
        method: 'POST',
        headers,
        body,
        signal: AbortSignal.timeout(WEBHOOK_TIMEOUT_MS),
      }).then(
        (response) => response.status,
        () => 0,
      );
      this.options.report?.(`${event.type}: ${status === 0 ? 'the service does not answer' : status}`);
      if (status !== 200) {
        this.retry = setTimeout(() => this.goOn(), RETRY_MS).unref();
        return;
      }
      events.shift();
      this.save();
    }
  }

  private save(): void {
    const { file } = this.options;
    if (file === undefined) return;
    const kept = Object.entries(this.stripe.account).map(([name, value]) => [
      name,
      value instanceof Map ? [...value] : value,
    ]);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(`${file}.new`, JSON.stringify(Object.fromEntries(kept)));
    renameSync(`${file}.new`, file);
  }

  private load(): void {
    const kept = read(this.options.file);
    const account = this.stripe.account as unknown as Record<string, unknown>;
    for (const [name, value] of Object.entries(kept)) {
      const mine = account[name];
      if (mine instanceof Map) for (const [key, each] of value as [string, unknown][]) mine.set(key, each);
      else if (Array.isArray(mine)) mine.push(...(value as unknown[]));
    }
  }
}

function read(file: string | undefined): object {
  try {
    return file === undefined ? {} : JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}

function subscriptionForm({ id, status, items, cancel_at_period_end: ends }: Subscription): Html {
  const [item] = items.data;
  return html`<h2>${item?.price.id ?? id}</h2>
<p>${status}${ends ? ', ends with its period' : null}, ${String(item?.quantity ?? 0)} seats</p>
<form method="post"><input type="hidden" name="subscription" value="${id}">
${Object.entries(ACTS).map(([act, [label]]) => html`<button name="act" value="${act}">${label}</button> `)}</form>`;
}

function answer(response: ServerResponse, status: number, body: Html): void {
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
  response.end(
    html`<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>The Stripe of this machine</title><link rel="icon" href="data:,">
<style>:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; } body { max-width: 32rem; margin: 3rem auto; padding: 0 1rem; } button { font: inherit; padding: .5rem 1rem; margin: .25rem 0; }</style>
<main>${body}</main><p><small>This is no payment: a stand-in for Stripe on this machine, for trying a checkout.</small></p></html>`
      .markup,
  );
}

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(303, { location }).end();
}
