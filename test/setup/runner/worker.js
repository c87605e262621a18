import { createEmptyTestResult } from '@jest/test-result';
import { addEventHandler, getState, resetState, run, setState } from 'jest-circus';
import { formatResultsErrors } from 'jest-message-util';
import { expect, jest } from './globals.js';

/** Jest prints how long a file took that was slower. */
const SLOW_MS = 2_000;

const environment = { ...process.env };
let files = 0;

addEventHandler((event) => {
  if (event.name === 'test_start')
    expect.setState({ currentTestName: nameOf(event.test), suppressedErrors: [] });
});

process.on('message', async (file) => {
  process.send(await runFile(file));
});

// The parent has no more files. What a test left open does not keep the process.
process.on('disconnect', () => process.exit(0));

async function runFile({ path, url, testNamePattern, testTimeout, setupFiles }) {
  const start = Date.now();
  resetState();
  setState({
    ...getState(),
    testTimeout,
    testNamePattern: testNamePattern ? new RegExp(testNamePattern, 'i') : null,
  });
  expect.setState({ testPath: path });
  const result = { ...createEmptyTestResult(), testFilePath: path };

  try {
    files += 1;
    for (const setup of setupFiles) await import(`${setup}?file=${files}`);
    await import(`${url}?file=${files}`);
    const { testResults, unhandledErrors } = await run();
    result.testResults = testResults.map(assertionOf);
    if (unhandledErrors.length > 0) result.testExecError = { message: unhandledErrors.join('\n'), stack: '' };
  } catch (error) {
    result.testExecError = { message: String(error.message), stack: String(error.stack) };
  }
  jest.restoreAllMocks();
  restoreEnvironment();

  const count = (status) => result.testResults.filter((each) => each.status === status).length;
  const config = { rootDir: process.cwd(), testMatch: [] };
  // A hook at the end of a file may fail because of what failed before it, which tells more.
  const failure = [
    formatResultsErrors(result.testResults, config, { noStackTrace: false }, path),
    result.testExecError &&
      `  ● Test file failed to run\n\n${result.testExecError.stack || result.testExecError.message}\n`,
  ]
    .filter(Boolean)
    .join('\n');
  const end = Date.now();
  return {
    ...result,
    failureMessage: failure,
    numFailingTests: count('failed'),
    numPassingTests: count('passed'),
    numPendingTests: count('pending'),
    numTodoTests: count('todo'),
    perfStats: { ...result.perfStats, start, end, runtime: end - start, slow: end - start > SLOW_MS },
  };
}

function assertionOf({
  testPath,
  status,
  duration,
  errors,
  errorsDetailed,
  failing,
  invocations,
  numPassingAsserts,
}) {
  const [, ...titles] = testPath;
  const outcome = { skip: 'pending', todo: 'todo' }[status] ?? (errors.length > 0 ? 'failed' : 'passed');
  return {
    ancestorTitles: titles.slice(0, -1),
    title: titles.at(-1),
    fullName: titles.join(' '),
    duration,
    status: outcome,
    failing,
    invocations,
    numPassingAsserts,
    failureDetails: errorsDetailed.map(String),
    failureMessages: errors,
    retryReasons: [],
  };
}

function nameOf(test) {
  const titles = [];
  for (let node = test; node?.parent; node = node.parent) titles.unshift(node.name);
  return titles.join(' ');
}

/** What a file sets for itself must not reach the next one. */
function restoreEnvironment() {
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
}
