import { Injectable } from '@nestjs/common';
import type { NamedEvent } from '../audit/audit-events.repository.js';
import { AuditEventsService } from '../audit/audit-events.service.js';
import type { Caller } from '../http/caller.js';
import type { Language } from '../words/language.js';
import { Languages } from '../words/languages.js';
import { Word } from '../words/words.js';
import { activityText } from './activity-text.js';
import type { SummarizeActivity } from './ai.dto.js';
import { LanguageModel } from './language-model.js';
import { Turns } from './turns.js';

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 30;

/** Events in a summary at most, some 10,000 tokens. */
const MAX_EVENTS = 200;

/** What the model has to do. The language is one that the service speaks, so a client instructs the model of nothing by its header. */
const instructions = ({ tag }: Language) => `You explain a security log to a person who is no engineer.
Each line of the log is an event: time in UTC, type, who acted, whose account it is about, from which network, with which program, details. The newest comes first. "you" is the reader.
Tell in plain ${ENGLISH_NAMES.of(tag)}, in 150 words at most and without Markdown, what happened. Then tell what looks unusual and what to do about it, or that nothing does.
Say nothing that does not follow from the log.`;

const ENGLISH_NAMES = new Intl.DisplayNames('en', { type: 'language' });

/** The events that a summary is about. */
export interface Considered {
  eventsConsidered: number;
  /** Every event from here on was considered. */
  since: Date;
}

/** Describes to users in words what the audit log has recorded. */
@Injectable()
export class ActivitySummaryService {
  constructor(
    private readonly events: AuditEventsService,
    private readonly model: LanguageModel,
    private readonly turns: Turns,
    private readonly languages: Languages,
  ) {}

  /**
   * Writes a summary, piece by piece, until it is whole or its reader gone, in the first language of some ranges that
   * the service speaks. Throws InsufficientRole, TooManyRequests while another is written for the same user, and
   * AiProviderError.
   */
  async *write(
    caller: Caller,
    ranges: readonly string[],
    request: SummarizeActivity,
    gone: AbortSignal,
  ): AsyncGenerator<string, Considered> {
    const language = this.languages.find(ranges) ?? this.languages.default;
    const turn = await this.turns.take(caller.user.id);
    try {
      const { events, since } = await this.recentEvents(caller, request);
      if (events.length === 0) yield language.say(Word['summary.nothing']);
      else yield* this.model.write(instructions(language), activityText(events, caller.user.id), gone);
      return { eventsConsidered: events.length, since };
    } finally {
      await this.turns.end(turn);
    }
  }

  /** The newest events since an instant. Where more happened than fit, `since` is when the oldest of these did. */
  private async recentEvents(
    caller: Caller,
    { scope, since: asked }: SummarizeActivity,
  ): Promise<{ events: NamedEvent[]; since: Date }> {
    const since = asked ?? new Date(Date.now() - DEFAULT_DAYS * DAY_MS);
    const { data, nextCursor } = await this.events.list(caller, { scope, since, limit: MAX_EVENTS });
    const oldest = data.at(-1);
    return { events: data, since: nextCursor !== null && oldest ? oldest.createdAt : since };
  }
}
