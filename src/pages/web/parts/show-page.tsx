import { type ComponentType, render } from 'preact';
import { loadAgain, loadsNoLonger } from './load-again.js';
import { loadProblems, loadWords } from './say.js';
import { hideWhileAway } from './session.js';

/** Shows that one of some pages, by the last part of their path, which the address names, once its words are there. */
export async function showPage(pages: Record<string, ComponentType>): Promise<void> {
  const Page = pages[location.pathname.split('/').at(-1) ?? ''];
  const root = document.getElementById('page');
  if (!Page || !root) return;
  if (!hasItsStyle()) {
    loadAgain();
    return;
  }

  // For the script that follows: this one has come.
  root.dataset.begun = '';
  try {
    await loadWords();
  } catch {
    loadAgain();
    return;
  }
  loadsNoLonger();
  root.replaceChildren();
  hideWhileAway(root);
  render(<Page />, root);
  // Before one of them has to be said, be it that the service is gone by then.
  loadProblems();
}

/** Whether our style sheet has come. A script waits for it, also where it fails. No token tells: a product may have set it. */
function hasItsStyle(): boolean {
  return getComputedStyle(document.documentElement).getPropertyValue('--ours') !== '';
}
