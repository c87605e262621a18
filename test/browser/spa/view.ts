/** Fills the copy of a page's template before it is shown. */
export type Page = (view: DocumentFragment, query: URLSearchParams) => Promise<void> | void;

/** An element that the template is known to have. */
export function find<E extends Element = HTMLElement>(view: ParentNode, selector: string): E {
  const element = view.querySelector<E>(selector);
  if (!element) throw new Error(`The page has no ${selector}`);
  return element;
}

/** Writes values where the template names them. They become text, never markup. */
export function fill(view: ParentNode, values: Record<string, string | number | null>): void {
  for (const [name, value] of Object.entries(values)) {
    for (const element of view.querySelectorAll(`[data-text="${name}"]`))
      element.textContent = String(value ?? '–');
  }
}

/** Repeats the template of a list for each item. */
export function repeat<T>(list: Element, items: T[], write: (row: DocumentFragment, item: T) => void): void {
  const { content } = find<HTMLTemplateElement>(list, 'template');
  for (const item of items) {
    const row = content.cloneNode(true) as DocumentFragment;
    write(row, item);
    list.append(row);
  }
}

/** An instant as the user's country writes it. */
export function inWords(instant: string | null): string | null {
  return instant && new Date(instant).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
}
