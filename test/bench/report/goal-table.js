import { align } from './align.js';

/** The goals, what was measured, and whether that is enough, which a quick run is too short to say. */
export function goalTable(goals, quick) {
  return align([['goal', 'is', 'wanted', ''], ...goals.map((goal) => row(goal, quick))]);
}

function row({ goal, is, least = -Infinity, most = Infinity }, quick) {
  const wanted = least === -Infinity ? `≤ ${most}` : `≥ ${least}`;
  const verdict = is >= least && is <= most ? 'reached' : 'NOT REACHED';
  return [goal, is.toFixed(2), wanted, quick ? '' : verdict];
}
