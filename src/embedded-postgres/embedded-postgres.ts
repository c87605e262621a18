import { resolve } from 'node:path';
import type { Attendance } from './attendance.js';
import { openCluster } from './cluster.js';
import { openHome } from './home.js';
import { joinServer } from './join-server.js';
import { findPrograms } from './programs.js';
import { Server } from './server.js';

const DATABASE = 'latchkey';

export interface EmbeddedPostgresOptions {
  /** Where the data is kept between runs; created when missing. */
  dataDir: string;
  /** Further settings of PostgreSQL, by name. A server that runs already keeps the ones it was started with. */
  settings?: Record<string, string>;
  /** Told what is being done, in short lines. */
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
    private readonly attendance: Attendance,
  ) {}

  /** Starts the server, or joins the one that runs. */
  static async start({
    dataDir,
    settings = {},
    report = () => {},
  }: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
    const home = await openHome(resolve(dataDir), report);
    const programs = await findPrograms(home, report);
    const cluster = await openCluster(home, programs, settings.fsync !== 'off', report);
    const server = new Server(home, programs, cluster, settings);

    report((await server.find()) ? 'Joining the PostgreSQL that runs already…' : 'Starting PostgreSQL…');
    const { port, attendance } = await joinServer(server, DATABASE);
    return new EmbeddedPostgres(server.url(port, DATABASE), home.folder, server, attendance);
  }

  /** Ends this process's use of the server; whoever is the last to do so stops it. */
  stop(): Promise<void> {
    this.stopped ??= this.attendance.end(() => this.server.stop());
    return this.stopped;
  }
}
