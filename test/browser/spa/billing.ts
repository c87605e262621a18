import { api } from './api.js';
import { onSubmit } from './form.js';
import { go, say } from './navigation.js';
import { fill, find, inWords, type Page } from './view.js';

const POLL_MS = 1000;

export const billing: Page = async (view, query) => {
  const { subscription } = await api('get', '/subscription');
  find(view, subscription ? '#subscription' : '#checkout').hidden = false;
  if (subscription) {
    const { status, quantity, current_period_end } = subscription;
    fill(view, { status, quantity, until: inWords(current_period_end) });
  } else if (query.get('checkout') === 'success') awaitSubscription();

  onSubmit(find(view, '#checkout'), async ({ price_id = '' }) => {
    const { url } = await api('post', '/subscription/checkout', { body: { price_id } });
    location.assign(url);
  });
  onSubmit(find(view, '#portal'), async () => {
    const { url } = await api('post', '/subscription/portal');
    location.assign(url);
  });
};

/** Stripe sends the browser back before it informs the service: the payment is done, the subscription a moment away. */
function awaitSubscription(): void {
  say('Thank you. Your subscription begins in a moment.');
  const { href } = location;
  setTimeout(() => location.href === href && go(href), POLL_MS);
}
