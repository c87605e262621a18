import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Fails a run of all tests when none of them saw something that the OpenAPI document promises. */
export default class ContractReporter {
  constructor(globalConfig) {
    const { testPathPatterns, testNamePattern, onlyChanged, onlyFailures, findRelatedTests, shard } =
      globalConfig;
    const isPart = [testNamePattern, onlyChanged, onlyFailures, findRelatedTests, shard].some(Boolean);
    this.isWhole = testPathPatterns.patterns.length === 0 && !isPart;
  }

  /** Before the workers are there, which inherit the variable. */
  onRunStart() {
    this.folder = mkdtempSync(join(tmpdir(), 'latchkey-contract-'));
    process.env.LATCHKEY_TEST_CONTRACT = this.folder;
  }

  onRunComplete(_contexts, { numFailedTestSuites, wasInterrupted }) {
    const unseen = this.unseen();
    rmSync(this.folder, { recursive: true });
    if (!this.isWhole || numFailedTestSuites > 0 || wasInterrupted || unseen.length === 0) return;

    const list = unseen.map((promise) => `  ${promise}`).join('\n');
    this.error = new Error(`The OpenAPI document promises what no test has seen:\n${list}`);
    console.error(this.error.message);
  }

  getLastError() {
    return this.error;
  }

  unseen() {
    const lines = (file) => readFileSync(join(this.folder, file), 'utf8').split('\n').filter(Boolean);
    const [seen, promised] = [new Set(), new Set()];
    for (const file of readdirSync(this.folder))
      for (const promise of lines(file)) (file === 'promised' ? promised : seen).add(promise);
    return [...promised].filter((promise) => !seen.has(promise));
  }
}
