import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The version in the package.json of the service. */
export function version(): string {
  return JSON.parse(readFileSync(join(packageFolder(), 'package.json'), 'utf8')).version;
}

/** The commit that the build was made of; `unknown` where the build knew none, or the service runs from its sources. */
export function commit(): string {
  const inBuild = (folder: string) => join(folder, 'commit');
  let folder = import.meta.dirname;
  while (!existsSync(inBuild(folder)) && !existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return existsSync(inBuild(folder)) ? readFileSync(inBuild(folder), 'utf8').trim() : 'unknown';
}

/** The folder of the service's package.json, which is above this file wherever a build has put it. */
export function packageFolder(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return folder;
}
