/** Markup that may stand in a page as it is. */
export class Html {
  constructor(readonly markup: string) {}
}

type Part = string | Html | Html[] | null;

/** Writes markup. What is put into it is escaped, unless it is markup itself; `null` leaves nothing. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(String.raw({ raw: strings }, ...parts.map(markupOf)));
}

function markupOf(part: Part): string {
  if (part === null) return '';
  if (Array.isArray(part)) return part.map(markupOf).join('');
  return part instanceof Html ? part.markup : escaped(part);
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
