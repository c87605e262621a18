export function median(values) {
  return percentile(values, 50);
}

/** The value that so many percent of the values do not exceed. */
export function percentile(values, percent) {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)];
}
