import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, jest } from '@jest/globals';
import { Contract } from '../support/contract.js';
import { document } from '../support/document.js';

const { default: ContractReporter } = await import('../setup/contract-reporter.js' as string);

describe('an answer in a test', () => {
  const contract = new Contract(document);
  const problem = (code: string) => ({
    status: 403,
    type: 'application/problem+json',
    payload: `{"code":"${code}"}`,
  });

  it.each([
    ['has a status that is not in the document', { status: 206 }, /^POST \/auth\/login 206 is not in/],
    [
      'is a problem that is not in the document',
      problem('InsufficientRole'),
      /403 InsufficientRole is not in/,
    ],
    ['lacks a field of every problem', problem('EmailNotVerified'), /must have required property/],
    ['lacks a field', { payload: '{"user":{}}' }, /must have required property 'session'/],
    ['has a field too many', { payload: '{"token":"secret"}' }, /must NOT have additional properties/],
    ['is of another media type', { type: 'text/plain' }, /is not as/],
  ])('is a fault when it %s', (_, changes, fault) => {
    const login = {
      method: 'POST',
      path: '/auth/login',
      status: 200,
      type: 'application/json',
      payload: '{}',
    };
    expect(contract.faultOf({ ...login, ...changes })).toMatch(fault);
  });
});

describe('the runs of all tests', () => {
  const kept = mkdtempSync(join(tmpdir(), 'latchkey-kept-'));
  afterAll(() => rmSync(kept, { recursive: true }));

  /** The error of a run that saw one of two promises, after one that saw others. */
  function errorOf(options: object, results: object = {}, before = ['GET /else 200']): Error | undefined {
    const promised = ['GET /seen 200', 'GET /unseen 200'];
    writeFileSync(join(kept, 'test.json'), JSON.stringify({ promised, seen: before }));
    const config = { testPathPatterns: { patterns: [] }, ...options };
    const reporter = new ContractReporter(config, { name: 'deep', after: 'test', kept });
    const printed = jest.spyOn(console, 'error').mockImplementation(() => {});
    reporter.onRunStart();
    writeFileSync(join(reporter.folder, 'promised'), promised.join('\n'));
    writeFileSync(join(reporter.folder, 'seen-1'), 'GET /seen 200\n');
    reporter.onRunComplete(null, { numFailedTestSuites: 0, wasInterrupted: false, ...results });
    printed.mockRestore();
    expect(() => readdirSync(reporter.folder)).toThrow('ENOENT');
    return reporter.getLastError();
  }

  it('fail when both were complete and neither saw an answer that the document promises', () => {
    expect(errorOf({})?.message).toMatch(/no test has seen:\n {2}GET \/unseen 200$/);
  });

  it('pass when one of them saw it', () => {
    expect(errorOf({}, {}, ['GET /unseen 200'])).toBeUndefined();
  });

  it('are not judged when one was partial or failed', () => {
    expect(errorOf({ testPathPatterns: { patterns: ['test/openapi'] } })).toBeUndefined();
    expect(errorOf({ testNamePattern: 'login' })).toBeUndefined();
    expect(errorOf({}, { numFailedTestSuites: 1 })).toBeUndefined();
    expect(errorOf({}, { wasInterrupted: true })).toBeUndefined();
  });
});
