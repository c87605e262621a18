import { count, type DescribedFields, instant, text } from '../validation/schema.js';
import type { Considered } from './activity-summary.service.js';

const considered = { events_considered: count, since: instant };

export const summaryFields = { summary: text, ...considered };

/** What a client sees of what a summary is about. */
export function consideredView({ eventsConsidered, since }: Considered): DescribedFields<typeof considered> {
  return { events_considered: eventsConsidered, since };
}

/** What a client sees of a summary that it awaits as a whole. */
export async function summaryView(
  pieces: AsyncGenerator<string, Considered>,
): Promise<DescribedFields<typeof summaryFields>> {
  let summary = '';
  let step = await pieces.next();
  for (; !step.done; step = await pieces.next()) summary += step.value;
  return { summary, ...consideredView(step.value) };
}
