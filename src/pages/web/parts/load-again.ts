const KEY = 'loads of another build';
const MOST_LOADS = 60;
const PAUSE_MS = 1000;

/**
 * Loads the page again: one of its files did not come, or its document came from a replica with another build, as happens
 * for a while during an upgrade. After a minute it stops, and says so.
 */
export function loadAgain(): void {
  // Two scripts of a page may find that it is not whole.
  if ('loadsAgain' in document.body.dataset) return;
  document.body.dataset.loadsAgain = '';
  const loads = Number(sessionStorage.getItem(KEY) ?? 0);
  if (loads < MOST_LOADS) {
    sessionStorage.setItem(KEY, String(loads + 1));
    setTimeout(() => location.reload(), PAUSE_MS);
    return;
  }
  loadsNoLonger();
  // The document has the sentence: the words are what may be missing. That of an earlier version has none.
  const sentence = document.getElementById('failed');
  if (!sentence) return;
  sentence.hidden = false;
  document.body.replaceChildren(sentence);
}

/** Forgets how often this tab has loaded a page again. */
export function loadsNoLonger(): void {
  sessionStorage.removeItem(KEY);
}
