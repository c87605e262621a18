import { Body, Controller, Headers, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Environment } from '../config/environment.js';
import { type Actor, By, type Caller, CurrentCaller } from '../http/caller.js';
import { AiProviderError, InsufficientRole } from '../http/errors.js';
import { problemBody } from '../http/problem.js';
import { problemOf } from '../http/problem-of.js';
import { Answers, IntoOrgWhen, Limited, OpenWhen, Operation, Problems, WhileActing } from '../http/route.js';
import { whenGone } from '../http/when-gone.js';
import { ActivitySummaryService } from './activity-summary.service.js';
import { summaryFields, summaryView } from './activity-summary.view.js';
import { SummarizeActivity } from './ai.dto.js';
import { EVENT_STREAM, eventStream } from './event-stream.js';
import { isAiOn } from './language-model.js';

@Controller('ai')
export class AiController {
  constructor(
    private readonly summaries: ActivitySummaryService,
    private readonly environment: Environment,
  ) {}

  @Post('activity-summary')
  @WhileActing('writers')
  @OpenWhen(isAiOn)
  @IntoOrgWhen(({ body }) => (body as Partial<SummarizeActivity> | undefined)?.scope === 'org')
  @Limited('aiPerUser')
  @Operation(
    'summarizeActivity',
    'What was recorded lately of the caller, or in the organization of an ORG_ADMIN, in plain words.',
  )
  @Answers(200, summaryFields, EVENT_STREAM)
  @Problems([InsufficientRole, AiProviderError])
  async summarize(
    @CurrentCaller() caller: Caller,
    @Body() request: SummarizeActivity,
    @By() { languages }: Actor,
    @Headers('accept') accept = '',
    @Req() { id }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const pieces = this.summaries.write(caller, languages, request, whenGone(reply));
    if (!accept.includes(EVENT_STREAM)) return summaryView(pieces);

    const { baseApiUrl } = this.environment;
    const stream = await eventStream(pieces, (error) => problemBody(problemOf(error), id, baseApiUrl));
    // With the second header nginx passes each event on as it comes.
    reply.headers({ 'content-type': EVENT_STREAM, 'x-accel-buffering': 'no' });
    return stream;
  }
}
