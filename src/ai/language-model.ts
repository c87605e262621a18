import { Injectable, Logger } from '@nestjs/common';
import type OpenAI from 'openai';
import { Environment } from '../config/environment.js';
import { AiProviderError } from '../http/errors.js';

/** Tokens of an answer at most, the model's own reasoning included. */
const MAX_TOKENS = 2_000;

/** Characters of an answer at most, even from a server that does not count tokens. */
const MAX_CHARACTERS = 8_000;

/** The answer broke off, or was empty. */
class Incomplete extends Error {}

/** Whether there is a language model to ask. */
export function isAiOn({ aiApiKey }: Environment): boolean {
  return aiApiKey !== undefined;
}

/** The language model, through any server that speaks OpenAI's protocol. Its client is loaded when first needed. */
@Injectable()
export class LanguageModel {
  private readonly logger = new Logger(LanguageModel.name);
  private client: Promise<OpenAI> | undefined;

  constructor(private readonly environment: Environment) {}

  /**
   * Yields what the model writes about a text, piece by piece, and ends early when the reader is gone. Throws
   * AiProviderError when the answer is empty, breaks off or takes too long.
   */
  async *write(instructions: string, text: string, gone: AbortSignal): AsyncGenerator<string> {
    const inTime = AbortSignal.timeout(this.environment.aiTimeoutSeconds * 1000);
    let length = 0;
    try {
      for await (const piece of this.answer(instructions, text, AbortSignal.any([gone, inTime]))) {
        yield piece.slice(0, MAX_CHARACTERS - length);
        length += piece.length;
        if (length >= MAX_CHARACTERS) return;
      }
      if (length === 0) throw new Incomplete();
    } catch (error) {
      if (gone.aborted) return;
      const reason = inTime.aborted ? 'too slow' : reasonOf(error);
      this.logger.warn({ event: 'ai.failed', reason }, 'The AI provider did not write an answer.');
      throw new AiProviderError();
    }
  }

  /** Throws when the answer breaks off: the client takes a lost connection and its own abort for the end. */
  private async *answer(instructions: string, text: string, signal: AbortSignal): AsyncGenerator<string> {
    this.client ??= import('./openai-client.js').then(({ openAiClient }) => openAiClient(this.environment));
    const client = await this.client;
    const chunks = await client.chat.completions.create(
      {
        model: this.environment.aiModel,
        messages: [
          { role: 'system', content: instructions },
          { role: 'user', content: text },
        ],
        max_completion_tokens: MAX_TOKENS,
        stream: true,
      },
      { signal },
    );

    let isFinished = false;
    for await (const { choices } of chunks) {
      const [choice] = choices;
      if (choice?.delta?.content) yield choice.delta.content;
      isFinished ||= Boolean(choice?.finish_reason);
    }
    if (!isFinished) throw new Incomplete();
  }
}

/** Why the provider failed, without its words: they may quote the text that it got. */
function reasonOf(error: unknown): string {
  const { status, cause } = error as { status?: number; cause?: { cause?: { code?: string } } };
  return String(status ?? cause?.cause?.code ?? (error as Error).constructor.name);
}
