export function median(values) {
  return percentile(values, 50);
}

/** The value that so many percent of the values do not exceed. */
export function percentile(values, percent) {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)];
}

/** The chance that one value of a sample exceeds one of another (the area under the ROC curve, by Mann and Whitney). */
export function auc(sample, other) {
  const ranked = [...sample.map((value) => [value, 1]), ...other.map((value) => [value, 0])];
  ranked.sort(([one], [another]) => one - another);
  const rankSum = ranked.reduce((sum, [, isOfSample], index) => sum + isOfSample * (index + 1), 0);
  return (rankSum - (sample.length * (sample.length + 1)) / 2) / (sample.length * other.length);
}

/** The same values in random order (Fisher and Yates). */
export function shuffled(values) {
  const order = [...values];
  for (let last = order.length - 1; last > 0; last--) {
    const other = Math.floor(Math.random() * (last + 1));
    [order[last], order[other]] = [order[other], order[last]];
  }
  return order;
}
