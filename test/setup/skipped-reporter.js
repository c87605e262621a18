/** Says after a run of all tests which ones were not among them. */
export default class SkippedReporter {
  constructor({ testPathPatterns }) {
    this.isWhole = testPathPatterns.patterns.length === 0;
  }

  onRunComplete() {
    if (this.isWhole)
      console.log(
        '\nNot among them: npm run test:deep, test:browser in Chromium, and test:faults, which takes minutes.',
      );
  }
}
