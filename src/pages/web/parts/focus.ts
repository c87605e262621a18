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
      // In a dialog it is none before, or the dialog would open with the focus at its heading.
      place.tabIndex = -1;
      place.focus();
    });
}
