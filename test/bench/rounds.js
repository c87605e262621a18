import { median } from './statistics.js';

/** Lets every entry have its turn in every round, each round beginning with another one. Returns the turns by name. */
export async function inRounds(entries, rounds, turn) {
  const turns = Object.fromEntries(entries.map(({ name }) => [name, []]));
  for (let round = 1; round <= rounds; round++) {
    const first = round % entries.length;
    for (const entry of [...entries.slice(first), ...entries.slice(0, first)]) {
      turns[entry.name].push(await turn(entry, round));
    }
  }
  return turns;
}

/** The median of a figure over turns. */
export function typical(turns, figure) {
  return median(turns.map((turn) => turn[figure]));
}

/** The median of a figure's ratio to that of another, taken round by round: what slows both down cancels out. */
export function ratio(turns, reference, figure) {
  return median(turns.map((turn, round) => turn[figure] / reference[round][figure]));
}

/** Half the distance between the lowest and the highest figure, as a part of the median: how noisy it was. */
export function spread(turns, figure) {
  const values = turns.map((turn) => turn[figure]);
  return (Math.max(...values) - Math.min(...values)) / 2 / median(values);
}
