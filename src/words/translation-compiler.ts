import { noted, type SourceFile } from './language-file.js';
import type { CompiledTexts, Part, Text } from './say.js';
import { TextCompiler } from './text-compiler.js';
import { translationFaults } from './translation-faults.js';

/** Compiles texts that stand in the place of English ones: of another language, or of a product. */
export class TranslationCompiler {
  private readonly texts: ReadonlyMap<string, Text>;

  constructor(
    private readonly source: SourceFile,
    { keys, language }: { keys: string[]; language: CompiledTexts },
    /** Whether a text may name the product, or where to ask, as it likes. */
    private readonly isOfProduct = false,
  ) {
    this.texts = new Map(keys.map((key, place) => [key, language.texts[place] ?? '']));
  }

  /** Compiles a text of a key that English has, and reports what is wrong with it. */
  compile(tag: string, key: string, text: unknown, report: (fault: string) => void): Text {
    if (typeof text !== 'string') {
      report('it is no text: write one between quotation marks');
      return '';
    }
    let isSound = true;
    const compiler = new TextCompiler(this.source.values, tag, (fault) => {
      isSound = false;
      report(fault);
    });
    const compiled = compiler.compile(key, text, noted(this.source.words[key] ?? '').max);
    // A text that does not compile has no values to compare.
    if (isSound) {
      const [english, translation] = [this.texts.get(key) ?? '', compiled].map((each) => this.compared(each));
      translationFaults(english ?? '', translation ?? '', this.source.values).forEach(report);
    }
    return compiled;
  }

  private compared(text: Text): Text {
    if (!this.isOfProduct || typeof text === 'string') return text;
    return text.map((part): Part => {
      if (typeof part === 'string') return part;
      const [name, as, inner] = part;
      if (this.source.values[name] === 'constant') return `{${name}}`;
      if (as === 'slot') return [name, as, this.compared(inner as Text)];
      if (as !== 'plural' && as !== 'select') return part;
      const cases = Object.entries(inner as Record<string, Text>);
      return [name, as, Object.fromEntries(cases.map(([each, said]) => [each, this.compared(said)]))];
    });
  }
}
