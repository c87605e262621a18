/** Says after a run what it could not try on this machine: those tests name what they lack. */
export default class MissingReporter {
  constructor({ testNamePattern }) {
    this.isWhole = !testNamePattern;
  }

  onRunComplete(_contexts, { testResults }) {
    if (!this.isWhole) return;
    const skipped = testResults
      .flatMap((file) => file.testResults)
      .filter(({ status }) => status === 'pending')
      .map(({ ancestorTitles: [title] }) => title);
    for (const title of new Set(skipped)) console.log(`Skipped: ${title}`);
  }
}
