import { readFileSync } from 'node:fs';

// The plan of the house (docs/architecture.md). A folder imports from the folders below it and from itself; nothing
// imports upwards, types included.

/** The files directly under src are the entry points, and may import everything. */
const ROOF = ['[^/]+\\.ts$'];

/** From the top floor to the ground, as the table of the floors has them: its rows also say what each folder does. */
export const FLOORS = [...readFileSync('docs/architecture.md', 'utf8').matchAll(/^\| `([\w-]+)\/` \|/gm)].map(
  ([, folder]) => folder,
);

const under = (paths) => `^src/(${paths.join('|')})`;

const importsUpwards = FLOORS.map((floor, level) => ({
  name: `${floor}-imports-upwards`,
  severity: 'error',
  from: { path: under([`${floor}/`]) },
  to: { path: under([...ROOF, ...FLOORS.slice(0, level).map((above) => `${above}/`)]) },
}));

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...importsUpwards,
    {
      name: 'not-on-a-floor',
      comment: 'Give a new folder its row in the table of docs/architecture.md.',
      severity: 'error',
      from: { path: '^src/', pathNot: under([...ROOF, ...FLOORS.map((floor) => `${floor}/`)]) },
      to: {},
    },
    {
      name: 'tools-from-start-only',
      comment: 'tools/ is no part of the service: what starts a database of developers or tests asks for it.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(start|testing)/' },
      to: { path: '^tools/' },
    },
    { name: 'circle', severity: 'error', from: {}, to: { circular: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
  },
};
