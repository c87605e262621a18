import { knowsPasskeys } from './passkey.js';

/** A code without the blanks and hyphens that a user has typed or pasted with it. */
export function typed(code = ''): string {
  return code.replace(/[\s\p{Dash}]/gu, '');
}

/** Shows the ways in which a user can prove who they are, the first as the main one. Returns whether there is one. */
export function offerWays(view: ParentNode, methods: string[]): boolean {
  const ways = [...view.querySelectorAll<HTMLElement>('[data-way]')];
  for (const way of ways) {
    const method = way.dataset.way ?? '';
    way.hidden = !methods.includes(method) || (method === 'passkey' && !knowsPasskeys);
  }
  const offered = ways.filter((way) => !way.hidden);
  for (const [index, way] of offered.entries()) {
    way.querySelector('button')?.classList.toggle('quiet', index > 0);
    if (way instanceof HTMLDetailsElement) way.open = index === 0;
  }
  return offered.length > 0;
}
