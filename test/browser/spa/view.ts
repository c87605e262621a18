/** Fills the copy of a page's template before it is shown. The signal is aborted when the user leaves the page. */
export type Page = (
  view: DocumentFragment,
  query: URLSearchParams,
  left: AbortSignal,
) => Promise<void> | void;

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

/** Shows what a page has to say about a problem, and hides what the problem made useless. */
export function react(view: ParentNode, code: string): void {
  for (const hint of view.querySelectorAll<HTMLElement>('[data-on]')) hint.hidden = hint.dataset.on !== code;
  for (const part of view.querySelectorAll<HTMLElement>('[data-until]'))
    part.hidden ||= part.dataset.until?.split(' ').includes(code) ?? false;
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

/** Shows in a section what several pages have, in place of what was there, and moves the focus to its heading. */
export function showPart(section: HTMLElement, id: string): void {
  const { content } = find<HTMLTemplateElement>(document, `template#${id}`);
  section.replaceChildren(content.cloneNode(true));
  focusOn(find(section, 'h2'));
}

/** Moves the focus to a heading: screen readers read it out. */
export function focusOn(heading: HTMLElement): void {
  heading.tabIndex = -1;
  heading.focus();
}

const ROLES: Record<string, string> = {
  readonly: 'Reads only',
  member: 'Member',
  org_admin: 'Administrator',
  sys_admin: 'Administrator of the service',
};

export function roleInWords(role: string): string {
  return ROLES[role] ?? role;
}

export function timeInWords(instant: string): string {
  return new Date(instant).toLocaleTimeString(undefined, { timeStyle: 'short' });
}

/** An instant as the user's country writes it. */
export function inWords(instant: string | null): string | null {
  return instant && new Date(instant).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
}
