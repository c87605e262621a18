import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress } from 'node:zlib';
import type { OwnWords } from '../words/own-words.js';
import { Word } from '../words/page-words.js';
import type { CompiledTexts, PageWords, Text } from '../words/say.js';
import type { Bundle, Script } from './bundle.js';

/** The keys of what pages say, by the places of their texts. */
const PAGE_KEYS = Object.values(Word).filter((key) => typeof key === 'string');

/** A bundle whose files of words have the words of a product over ours. */
export async function withOwnWords(
  bundle: Bundle,
  own: OwnWords,
  served: readonly string[],
): Promise<Bundle> {
  const files = new Map(bundle.files);
  const words = { ...bundle.words };
  const keep = async (ours: string, tag: string, content: object): Promise<string> => {
    const text = Buffer.from(JSON.stringify(content));
    const name = renamed(ours, tag, text);
    files.set(name, text);
    files.set(`${name}.br`, await promisify(brotliCompress)(text));
    return name;
  };
  const keepNamed = (ours: string, tag: string, prefix: string): Promise<string> => {
    const texts: Record<string, Text> = JSON.parse(String(bundle.files.get(ours)));
    return keep(ours, tag, own.overNamed(tag, texts, prefix));
  };
  const keepTexts = (ours: string, tag: string): Promise<string> => {
    const texts: CompiledTexts = JSON.parse(String(bundle.files.get(ours)));
    return keep(ours, tag, own.over(tag, texts, PAGE_KEYS));
  };
  for (const tag of served.filter((each) => own.has(each))) {
    const ours = bundle.words[own.foundationOf(tag)] as Record<Script, string>;
    const names = { ...ours };
    for (const script of Object.keys(ours) as Script[]) {
      const said: PageWords = JSON.parse(String(bundle.files.get(ours[script])));
      const page: PageWords = {
        ...own.over(tag, said, PAGE_KEYS),
        problems: own.overNamed(tag, said.problems, 'problem.'),
        late: {
          problems: await keepNamed(said.late.problems, tag, 'problem.'),
          acts: await keepNamed(said.late.acts, tag, 'act.'),
          parts: await keepTexts(said.late.parts, tag),
        },
      };
      names[script] = await keep(ours[script], tag, page);
    }
    words[tag] = names;
  }
  return { ...bundle, words, files };
}

/** The name of a file of words in another language, or with other texts: the hash of its catalogue stays. */
function renamed(name: string, tag: string, content: Buffer): string {
  const [page, , ...rest] = name.split('-');
  const catalogue = rest.at(-2);
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 8);
  return `${page}-words-${tag}-${catalogue}-${hash}.json`;
}
