import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath, pathToFileURL } from 'node:url';

const WORKER = fileURLToPath(new URL('worker.js', import.meta.url));
const LOADER = new URL('typescript.js', import.meta.url).href;

/**
 * Runs test files in plain Node processes instead of Jest's virtual machines: each process loads the service and its
 * packages once, not once a file, which is most of what a run would cost.
 */
export default class Runner {
  constructor(globalConfig) {
    this.globalConfig = globalConfig;
  }

  async runTests(tests, _watcher, onStart, onResult, onFailure) {
    const waiting = [...tests];
    const work = async () => {
      let worker = new Worker(this.globalConfig);
      for (let test = waiting.shift(); test !== undefined; test = waiting.shift()) {
        await onStart(test);
        try {
          await onResult(test, await worker.run(test));
        } catch (error) {
          await onFailure(test, { message: error.message, stack: error.stack });
          worker.kill();
          worker = new Worker(this.globalConfig);
        }
      }
      await worker.end();
    };
    await Promise.all(Array.from({ length: Math.min(this.globalConfig.maxWorkers, tests.length) }, work));
  }
}

/** A process that runs one test file after another. */
class Worker {
  constructor(globalConfig) {
    this.globalConfig = globalConfig;
    this.process = fork(WORKER, {
      execArgv: [
        '--import',
        LOADER,
        '--enable-source-maps',
        '--disable-warning=ExperimentalWarning',
        // Each file starts services that live for seconds, which a young generation of the usual 16 MB promotes too early.
        '--max-semi-space-size=64',
      ],
      serialization: 'advanced',
    });
    this.exited = once(this.process, 'exit');
  }

  /** Throws when the process ends before the file does. */
  async run({ path, context: { config } }) {
    const { testNamePattern } = this.globalConfig;
    this.process.send({
      path,
      url: pathToFileURL(path).href,
      testNamePattern,
      testTimeout: config.testTimeout ?? this.globalConfig.testTimeout,
      setupFiles: config.setupFilesAfterEnv,
    });
    const died = this.exited.then(([code, signal]) => {
      throw new Error(`the process of the test file ended with ${code ?? signal}`);
    });
    died.catch(() => {});
    const [result] = await Promise.race([once(this.process, 'message'), died]);
    return result;
  }

  async end() {
    this.process.disconnect();
    await this.exited;
  }

  kill() {
    this.process.kill('SIGKILL');
  }
}
