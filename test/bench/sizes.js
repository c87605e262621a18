/** How much is measured: within an hour. */
export const FULL = {
  users: 100_000,
  sessions: 200_000,
  // Short ones: what slows the machine down for a while then slows all contenders down.
  rounds: 11,
  /** Beside each of six others. */
  checkRounds: 7,
  roundSeconds: 1,
  warmUpSeconds: 3,
  starts: 9,
  memoryRounds: 3,
  loginRounds: 5,
  loginsPerRound: 48,
  pacedSeconds: 10,
  growth: [10_000, 1_000_000],
  prune: [100_000, 1_000_000],
  samples: 1_000,
  actRounds: 7,
  actsPerRound: 150,
  burst: 10_000,
};

/** Few rows, and one round each: to see that all is well, within two minutes. */
export const QUICK = {
  users: 5_000,
  sessions: 10_000,
  rounds: 1,
  checkRounds: 1,
  roundSeconds: 1,
  warmUpSeconds: 1,
  starts: 1,
  memoryRounds: 1,
  loginRounds: 1,
  loginsPerRound: 16,
  pacedSeconds: 2,
  growth: [1_000, 20_000],
  prune: [2_000, 20_000],
  samples: 100,
  actRounds: 1,
  actsPerRound: 50,
  burst: 1_000,
};
