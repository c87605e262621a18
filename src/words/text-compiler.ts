import { type MessageFormatElement, parse, TYPE } from '@formatjs/icu-messageformat-parser';
import { columnsOf } from './columns.js';
import type { Kind } from './language-file.js';
import { readingsOf } from './readings.js';
import type { Part, Text } from './say.js';

/** A text this long is a document, and belongs elsewhere. */
const MAX_BYTES = 2_048;

/** How deep cases may stand in cases: more than two nobody reads or translates. */
const MAX_DEPTH = 2;

/** A subject beyond this is cut in a list of mails. */
const MAX_SUBJECT = 60;

/** Compiles one text. */
export class TextCompiler {
  /** The values that it takes. */
  readonly names = new Set<string>();
  /** The slots that it has. */
  readonly slots = new Set<string>();

  constructor(
    private readonly values: Record<string, Kind>,
    private readonly language: string,
    private readonly report: (fault: string) => void,
  ) {}

  compile(key: string, text: string, max = Number.POSITIVE_INFINITY): Text {
    if (text.includes("'"))
      this.report('write ’ in place of a straight apostrophe, which begins a quotation in ICU');
    if (Buffer.byteLength(text) > MAX_BYTES) this.report(`it is longer than ${MAX_BYTES} bytes`);
    if (text.trim() !== text || text.includes('\n'))
      this.report('it begins or ends with a blank, or has a line break');
    const compiled = this.parsed(text);
    const limit = key.endsWith('.subject') ? MAX_SUBJECT : max;
    if (readingsOf(compiled).some((reading) => columnsOf(reading.text) > limit))
      this.report(`it is longer than ${limit} columns: say it shorter`);
    return compiled;
  }

  private parsed(text: string): Text {
    try {
      return simplified(this.parts(parse(text, { shouldParseSkeletons: false }), 0, null));
    } catch (error) {
      this.report(`it is no ICU text: ${(error as Error).message}`);
      return text;
    }
  }

  private parts(elements: MessageFormatElement[], depth: number, counted: string | null): Part[] {
    if (depth > MAX_DEPTH) this.report(`cases stand more than ${MAX_DEPTH} deep in one another`);
    return elements.map((element) => this.part(element, depth, counted));
  }

  private part(element: MessageFormatElement, depth: number, counted: string | null): Part {
    switch (element.type) {
      case TYPE.literal:
        return element.value;
      case TYPE.argument:
        this.expect(element.value, ['constant', 'ours', 'person', 'piece']);
        return [element.value];
      case TYPE.number:
        this.expect(element.value, ['count']);
        if (element.style) this.report('a number has no style');
        return [element.value, 'number'];
      case TYPE.pound:
        return [counted ?? '', 'number'];
      case TYPE.date:
        this.expect(element.value, ['moment']);
        if (element.style !== 'moment') this.report(`{${element.value}, date} has the style moment`);
        return [element.value, 'moment'];
      case TYPE.plural: {
        this.expect(element.value, ['count']);
        if (element.offset !== 0 || element.pluralType !== 'cardinal')
          this.report('a plural has no offset, and no order');
        const cases = Object.keys(element.options);
        const rules = new Intl.PluralRules(this.language).resolvedOptions().pluralCategories;
        const missing = rules.filter((rule) => !cases.includes(rule));
        const surplus = cases.filter(
          (name) => !name.startsWith('=') && !rules.includes(name as Intl.LDMLPluralRule),
        );
        if (missing.length > 0) this.report(`the plural of {${element.value}} lacks ${missing.join(', ')}`);
        if (surplus.length > 0)
          this.report(
            `the plural of {${element.value}} has ${surplus.join(', ')}, which the language has not`,
          );
        return [element.value, 'plural', this.cases(element.options, depth, element.value)];
      }
      case TYPE.select: {
        const names = this.values[element.value];
        this.names.add(element.value);
        const cases = Object.keys(element.options);
        // The last name is `other`, which ICU wants.
        if (!Array.isArray(names) || !isSame([...names.slice(0, -1), 'other'], cases))
          this.report(
            `{${element.value}, select} has the cases ${cases.join(', ')}, which are not its names`,
          );
        return [element.value, 'select', this.cases(element.options, depth, counted)];
      }
      case TYPE.tag: {
        this.slots.add(element.value);
        const inner = this.parts(element.children, depth, counted);
        if (inner.every((part) => typeof part === 'string' && part.trim() === ''))
          this.report(`the slot <${element.value}> is empty`);
        return [element.value, 'slot', simplified(inner)];
      }
      default:
        this.report('it has a part that texts do not have');
        return '';
    }
  }

  private cases(
    options: Record<string, { value: MessageFormatElement[] }>,
    depth: number,
    counted: string | null,
  ): Record<string, Text> {
    return Object.fromEntries(
      Object.entries(options).map(([name, { value }]) => [
        name,
        simplified(this.parts(value, depth + 1, counted)),
      ]),
    );
  }

  private expect(name: string, kinds: Kind[]): void {
    this.names.add(name);
    const kind = this.values[name];
    if (kind === undefined) this.report(`{${name}} has no kind among the values of the file`);
    else if (!kinds.includes(kind))
      this.report(`{${name}} is of the kind ${kind}, and is used as ${kinds.join(' or ')}`);
  }
}

function isSame(names: string[], others: string[]): boolean {
  return [...names].sort().join() === [...others].sort().join();
}

/** A text without values is its string. */
function simplified(parts: Part[]): Text {
  const [first = ''] = parts;
  return parts.length <= 1 && typeof first === 'string' ? first : parts;
}
