import { ratio } from '../rounds.js';

const TITLE =
  'Session checks a second, in parts of the practical limit (bare Fastify, pg, one named statement)';
const WIDTH = 720;
const LABEL_WIDTH = 150;
const BAR_HEIGHT = 12;
const GROUP_GAP = 14;
const TOP = 60;
/** The others are measured by the one; the other checks no session, and shows what the framework costs. */
const LEFT_OUT = ['limit', 'nest'];

const COLOURS = ['#9ecae1', '#4292c6', '#08519c'];

/** The session check as bars: requests a second in parts of the limit's, a group of bars a contender. */
export function chart({ found }) {
  const connections = [...found.keys()];
  const names = Object.keys(found.get(connections[0])).filter((name) => !LEFT_OUT.includes(name));
  const ratios = names.map((name) =>
    connections.map((count) => {
      const { own, limit } = found.get(count)[name];
      return ratio(own, limit, 'perSecond');
    }),
  );

  const scale = (WIDTH - LABEL_WIDTH - 60) / Math.max(1, ...ratios.flat());
  const groupHeight = connections.length * BAR_HEIGHT + GROUP_GAP;
  const height = TOP + names.length * groupHeight;
  const groups = names.map((name, group) => bars(name, ratios[group], TOP + group * groupHeight, scale));

  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" font-family="sans-serif" font-size="12">
<title>${TITLE}</title>
<rect width="100%" height="100%" fill="white"/>
<text x="10" y="20" font-size="14">${TITLE}</text>
${legend(connections)}
${line(LABEL_WIDTH + scale, height)}
${groups.join('\n')}
</svg>
`;
}

function bars(name, ratios, top, scale) {
  const middle = top + (ratios.length * BAR_HEIGHT) / 2 + 4;
  const label = `<text x="${LABEL_WIDTH - 8}" y="${middle}" text-anchor="end">${name}</text>`;
  return [label, ...ratios.map((value, bar) => barOf(value, bar, top + bar * BAR_HEIGHT, scale))].join('\n');
}

function barOf(value, bar, top, scale) {
  const width = Math.round(value * scale);
  return `<rect x="${LABEL_WIDTH}" y="${top}" width="${width}" height="${BAR_HEIGHT - 1}" fill="${COLOURS[bar]}"/>
<text x="${LABEL_WIDTH + width + 4}" y="${top + BAR_HEIGHT - 2}" font-size="10">${value.toFixed(2)}</text>`;
}

function legend(connections) {
  return connections
    .map(
      (
        count,
        bar,
      ) => `<rect x="${LABEL_WIDTH + bar * 110}" y="32" width="10" height="10" fill="${COLOURS[bar]}"/>
<text x="${LABEL_WIDTH + bar * 110 + 14}" y="41">${count} at once</text>`,
    )
    .join('\n');
}

/** Where the limit is. */
function line(x, height) {
  return `<line x1="${x}" x2="${x}" y1="${TOP - 8}" y2="${height}" stroke="#888" stroke-dasharray="3"/>`;
}
