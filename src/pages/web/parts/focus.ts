/**
 * Call it before an element may go, such as a row that is deleted, and what it returns afterwards: where the focus was
 * lost, it goes to the heading of the part that the element stood in, or to that of the page.
 */
export function keepFocusIn(part: Element | null | undefined): () => void {
  const heading = part?.querySelector<HTMLElement>('h1, h2');
  return () =>
    requestAnimationFrame(() => {
      if (document.activeElement !== document.body) return;
      const place = heading?.isConnected ? heading : document.querySelector('h1');
      if (!place) return;
      // Not earlier: a dialog opens with the focus at the first thing that can take it.
      place.tabIndex = -1;
      place.focus();
    });
}
