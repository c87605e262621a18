import { resolve } from 'node:path';
import { openCluster } from './cluster.js';
import { openDataFolder } from './data-folder.js';
import { joinServer } from './join-server.js';
import { findPrograms } from './programs.js';
import { Server } from './server.js';
import type { ServerUse } from './server-use.js';

const DATABASE = 'latchkey';

export interface EmbeddedPostgresOptions {
  /** Where the data is kept between runs; created when missing. */
  dataDir: string;
  /** Further settings of PostgreSQL, by name. A server that runs already keeps the ones it was started with. */
  settings?: Record<string, string>;
  /** Gets a short line about each step. */
  report?: (line: string) => void;
}

/** A PostgreSQL server of our own for development and tests, shared by all processes that name the same data folder. */
export class EmbeddedPostgres {
  private stopped: Promise<void> | undefined;

  private constructor(
    readonly url: string,
    /** Where the data really is: elsewhere than asked for when PostgreSQL's account could not enter there. */
    readonly folder: string,
    private readonly server: Server,
    private readonly use: ServerUse,
  ) {}

  /** Starts the server, or joins the one that runs. */
  static async start({
    dataDir,
    settings = {},
    report = () => {},
  }: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
    const dataFolder = await openDataFolder(resolve(dataDir), report);
    const programs = await findPrograms(dataFolder, report);
    const cluster = await openCluster(dataFolder, programs, settings.fsync !== 'off', report);
    const server = new Server(dataFolder, programs, cluster, settings);

    report((await server.find()) ? 'Joining the PostgreSQL that runs already…' : 'Starting PostgreSQL…');
    const { port, use } = await joinServer(server, DATABASE);
    return new EmbeddedPostgres(server.url(port, DATABASE), dataFolder.path, server, use);
  }

  /** Ends this process's use of the server; the last process to do so stops it. */
  stop(): Promise<void> {
    this.stopped ??= this.use.end(() => this.server.stop());
    return this.stopped;
  }
}
