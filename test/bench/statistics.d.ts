export function median(values: readonly number[]): number;
export function percentile(values: readonly number[], percent: number): number;
export function auc(sample: readonly number[], other: readonly number[]): number;
export function shuffled<Value>(values: readonly Value[]): Value[];
