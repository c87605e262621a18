import { readdirSync, readFileSync } from 'node:fs';

/** USER_HZ, the same on every Linux. */
const TICKS_PER_SECOND = 100;

/** Seconds of CPU that a process has used, with its children, those that have ended included. */
export function cpuSeconds(root) {
  const ticks = processes()
    .filter(({ pid, parent }) => pid === root || parent === root)
    .reduce((sum, process) => sum + process.ticks, 0);
  return ticks / TICKS_PER_SECOND;
}

/** Seconds of CPU that a process has used, with its children that have ended: of the bench itself, what its loads take. */
export function cpuSecondsWithoutRunning(pid) {
  const [{ ticks }] = readProcess(pid);
  return ticks / TICKS_PER_SECOND;
}

/** Bytes of memory that a process holds. */
export function residentBytes(pid) {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(kilobytes) * 1024;
}

function processes() {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => readProcess(Number(pid)));
}

/** One process by proc_pid_stat(5), or none when it has just ended. */
function readProcess(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name, in brackets, may hold anything, brackets and spaces too.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [user, system, childrenUser, childrenSystem] = fields.slice(11, 15).map(Number);
    return [{ pid, parent: Number(fields[1]), ticks: user + system + childrenUser + childrenSystem }];
  } catch {
    return [];
  }
}
