/**
 * The tables and columns of a queue. Its classes write these names into their statements, so they are constants of the
 * code; values are always parameters.
 */
export interface QueueNames {
  /** The table of what waits, and of what became of the rest. */
  table: string;
  /** The PostgreSQL channel that wakes the workers. */
  channel: string;
  /** The column with the endpoint that a row is for, such as one of `SVC_WEBHOOKS`. Without it all rows are for one at a time. */
  endpoint?: string;
  /** What a worker learns of a row, as the columns of a SELECT. */
  claimed: string;
  /** A column to empty when a row ends, unless it ends as a dead letter. */
  content?: string;
  /** The column from which a row's age counts, where the age begins anew when an operator sends a dead letter again. */
  restarts?: string;
  outages: OutageNames;
}

export interface OutageNames {
  table: string;
  /** The column that names the endpoint. */
  endpoint: string;
  /** The column that says whether it refused what authenticates the request. */
  refused: string;
}
