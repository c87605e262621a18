import { type DefaultTreeAdapterMap, parse } from 'parse5';

type Node = DefaultTreeAdapterMap['node'];
type ElementNode = DefaultTreeAdapterMap['element'];

const UNSEEN = ['head', 'style', 'script'];

/** HTML as a browser reads it, without running it. */
export class Page {
  /** Where the markup breaks the rules, which every browser mends in its own way. */
  readonly faults: string[] = [];

  private readonly document: Node;

  constructor(html: string) {
    this.document = parse(html, { onParseError: ({ code }) => this.faults.push(code) });
  }

  /** The elements of one name, or all of them, in their order. */
  elements(name?: string): { name: string; attributes: Record<string, string>; text: string }[] {
    return elementsIn(this.document)
      .filter(({ tagName }) => name === undefined || tagName === name)
      .map((element) => ({
        name: element.tagName,
        attributes: Object.fromEntries(element.attrs.map((attribute) => [attribute.name, attribute.value])),
        text: textOf(element),
      }));
  }

  /** All that its reader sees, a line for each piece. */
  get text(): string {
    return elementsIn(this.document)
      .filter(({ tagName }) => !UNSEEN.includes(tagName))
      .flatMap(({ childNodes }) => childNodes.map((child) => ('value' in child ? child.value.trim() : '')))
      .filter(Boolean)
      .join('\n');
  }
}

function elementsIn(node: Node): ElementNode[] {
  const children = 'childNodes' in node ? node.childNodes : [];
  return children.flatMap((child) => ('tagName' in child ? [child, ...elementsIn(child)] : []));
}

function textOf(node: Node): string {
  if ('value' in node) return node.value;
  return 'childNodes' in node ? node.childNodes.map(textOf).join('') : '';
}
