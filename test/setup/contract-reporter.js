import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where a run leaves what it saw for the run that judges both. */
const KEPT = '.data/contract';

/**
 * Notes what the whole of a run saw of the OpenAPI document. The run that comes `after` another one fails when neither
 * of the two saw something that the document promises.
 */
export default class ContractReporter {
  constructor(globalConfig, { name, after, kept = KEPT }) {
    const { testPathPatterns, testNamePattern, onlyChanged, onlyFailures, findRelatedTests, shard } =
      globalConfig;
    const isPart = [testNamePattern, onlyChanged, onlyFailures, findRelatedTests, shard].some(Boolean);
    this.isWhole = testPathPatterns.patterns.length === 0 && !isPart;
    this.own = join(kept, `${name}.json`);
    this.former = after && join(kept, `${after}.json`);
    this.kept = kept;
  }

  /** Before the workers are there, which inherit the variable. */
  onRunStart() {
    this.folder = mkdtempSync(join(tmpdir(), 'latchkey-contract-'));
    process.env.LATCHKEY_TEST_CONTRACT = this.folder;
  }

  onRunComplete(_contexts, { numFailedTestSuites, wasInterrupted }) {
    const { promised, seen } = this.notes();
    rmSync(this.folder, { recursive: true });
    if (!this.isWhole || numFailedTestSuites > 0 || wasInterrupted) return;

    mkdirSync(this.kept, { recursive: true });
    writeFileSync(this.own, JSON.stringify({ promised, seen }));
    if (this.former !== undefined) this.judge(promised, seen);
  }

  getLastError() {
    return this.error;
  }

  /** What another version of the document promised is no measure of this one. */
  judge(promised, seen) {
    const former = existsSync(this.former) ? JSON.parse(readFileSync(this.former, 'utf8')) : null;
    if (former?.promised.toString() !== promised.toString()) {
      console.log('\nRun npm test before, so that both runs together show whether every promise was seen.');
      return;
    }
    const unseen = promised.filter((promise) => ![...seen, ...former.seen].includes(promise));
    if (unseen.length === 0) return;
    const list = unseen.map((promise) => `  ${promise}`).join('\n');
    this.error = new Error(`The OpenAPI document promises what no test has seen:\n${list}`);
    console.error(this.error.message);
  }

  notes() {
    const lines = (file) => readFileSync(join(this.folder, file), 'utf8').split('\n').filter(Boolean);
    const [seen, promised] = [new Set(), new Set()];
    for (const file of readdirSync(this.folder))
      for (const promise of lines(file)) (file === 'promised' ? promised : seen).add(promise);
    return { promised: [...promised].sort(), seen: [...seen] };
  }
}
