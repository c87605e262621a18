import { ServiceProcess } from './service-process.js';
import type { TestDatabase } from './test-database.js';

/** Several processes of the service on one database, as they run behind a load balancer. */
export class Replicas {
  private constructor(readonly replicas: ServiceProcess[]) {}

  /** Resolves once all are ready. They count no limits unless the variables say so. */
  static async start(
    database: TestDatabase,
    count: number,
    variables: Record<string, string> = {},
  ): Promise<Replicas> {
    const start = () => ServiceProcess.start(database, { SVC_RATE_LIMITS: 'off', ...variables });
    return new Replicas(await Promise.all(Array.from({ length: count }, start)));
  }

  /** The replica whose turn a request is. */
  at(turn: number): ServiceProcess {
    return this.replicas[turn % this.replicas.length] as ServiceProcess;
  }

  async kill(): Promise<void> {
    await Promise.all(this.replicas.map((replica) => replica.kill()));
  }
}
