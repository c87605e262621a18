import { Injectable } from '@nestjs/common';
import { dayOf, daysUntil } from '../audit/days.js';
import { type ActiveUsers, type DailyCounts, FiguresRepository } from './figures.repository.js';

const DAYS = 30;
const HOUR_MS = 3_600_000;

/** Figures about the users of the service, and what they did each day. */
export interface Figures {
  users: number;
  active: ActiveUsers | null;
  /** The last thirty days in UTC, the oldest first; today so far is the last of them. */
  days: DailyCounts[];
}

@Injectable()
export class FiguresService {
  constructor(private readonly figures: FiguresRepository) {}

  async read(): Promise<Figures> {
    const [users, active, days] = await Promise.all([
      this.figures.countUsers(),
      this.figures.findActiveUsers(),
      this.countDays(),
    ]);
    return { users, active, days };
  }

  /** Counts beforehand what nobody should wait for at a request. Each run of /cron does it. */
  async prepare(): Promise<void> {
    await this.countDays();
    await this.figures.countActiveUsers();
  }

  private async countDays(): Promise<DailyCounts[]> {
    const now = new Date();
    const days = daysUntil(now, DAYS);
    const counted = await this.figures.findCounted(days[0] ?? dayOf(now));
    const known = new Set(counted.map(({ day }) => day));
    const missing = await this.figures.count(days.filter((day) => !known.has(day)));
    const over = missing.filter(({ day }) => isOver(day, now));
    if (over.length > 0) await this.figures.keep(over);
    return [...counted, ...missing].sort((one, other) => (one.day < other.day ? -1 : 1));
  }
}

/** An hour after its end, as a replica whose clock is slow writes into the day before. */
function isOver(day: string, now: Date): boolean {
  return day < dayOf(new Date(now.getTime() - HOUR_MS));
}
