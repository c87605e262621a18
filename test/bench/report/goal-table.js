import { align } from './align.js';

/** The goals, what was measured, and whether that is enough. */
export function goalTable(goals) {
  return align([['goal', 'is', 'wanted', ''], ...goals.map(row)]);
}

function row({ goal, is, least = -Infinity, most = Infinity }) {
  const wanted = least === -Infinity ? `≤ ${most}` : `≥ ${least}`;
  return [goal, is.toFixed(2), wanted, is >= least && is <= most ? 'reached' : 'NOT REACHED'];
}
