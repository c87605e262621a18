import { setTimeout } from 'node:timers/promises';
import { Balancer } from '../../support/balancer.js';
import { runProgram } from '../../support/command-line.js';
import { MailapiStandIn } from '../../support/mailapi-stand-in.js';
import { mailTimePasses } from '../../support/mails.js';
import { Replicas } from '../../support/service-process.js';
import { TestDatabase } from '../../support/test-database.js';
import { Ledger } from './ledger.js';
import { MixedLoad } from './mixed-load.js';
import { halvesIn, lostOf } from './proofs.js';

/** How long the service may take after a fault, until everything is as before. */
export const RECOVERY_LIMIT_MS = 5_000;

/** Past the lease of a mail whose worker was killed. */
const MAIL_LEASE_SECONDS = 61;

interface Setting {
  replicas?: number;
  /** A database of a server that the test may break. */
  database?: TestDatabase;
  /** Where the replicas find the database, if not at its own address. */
  through?: string;
}

/** Replicas behind a balancer, with people at work on them. */
export class Scene {
  readonly ledger = new Ledger();

  private constructor(
    readonly database: TestDatabase,
    readonly service: Replicas,
    readonly balancer: Balancer,
    private readonly mailapi: MailapiStandIn,
    private readonly startedAt: number,
  ) {}

  static async set({ replicas = 2, database, through }: Setting = {}): Promise<Scene> {
    const own = database ?? (await TestDatabase.create());
    const mailapi = await MailapiStandIn.start();
    const variables = { ...mailapi.variables, SVC_DATABASE_URL: through ?? own.url };
    const service = await Replicas.start(own, replicas, variables);
    const balancer = await Balancer.start(service.replicas);
    return new Scene(own, service, balancer, mailapi, performance.now());
  }

  /** Has people work while `act` breaks things, and a while longer than a recovery may take. */
  async play(act: (scene: Scene) => Promise<void>): Promise<void> {
    const { ledger, mailapi } = this;
    const load = await MixedLoad.start({ url: this.balancer.url, ledger, mails: mailapi.delivered });
    try {
      await act(this);
      await setTimeout(RECOVERY_LIMIT_MS);
    } finally {
      await load.stop();
    }
    await mailTimePasses(this.database, MAIL_LEASE_SECONDS);
  }

  /** Prints the figures, and returns everything that must be empty, or within its limit. */
  async verdict(fault: string) {
    const { strange, acknowledged, longestRecoveryMs } = this.ledger;
    const dead = this.service.replicas.filter(({ hasEnded }) => hasEnded).length;
    const lost = await lostOf(this.database, acknowledged);
    this.print(`${fault}: ${this.ledger.figures}, ${lost.length} lost`);
    return {
      lost,
      halves: await halvesIn(this.database),
      strange,
      dead,
      brokenChains: await this.brokenChains(),
      isSlow: longestRecoveryMs > RECOVERY_LIMIT_MS,
    };
  }

  /** Prints what is being done: a run takes minutes. */
  print(line: string): void {
    const seconds = Math.round((performance.now() - this.startedAt) / 1000);
    process.stdout.write(`  ${String(seconds).padStart(3)} s  ${line}\n`);
  }

  async close(): Promise<void> {
    await this.balancer.close();
    await this.service.kill();
    await this.mailapi.close();
    await this.database.close();
  }

  private async brokenChains(): Promise<string> {
    const variables = { SVC_ENVIRONMENT: 'dev', SVC_DATABASE_URL: this.database.url };
    const { code, output } = await runProgram('cli', ['audit', 'verify'], variables);
    return code === 0 ? '' : output;
  }
}

/** The verdict on a service that lost nothing and has recovered. */
export const SOUND = {
  lost: [],
  halves: [],
  strange: [],
  dead: 0,
  brokenChains: '',
  isSlow: false,
};
