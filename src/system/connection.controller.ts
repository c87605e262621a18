import { Controller, Get, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Environment } from '../config/environment.js';
import { actorOf } from '../http/caller.js';
import { NotFound } from '../http/errors.js';
import { Personal, Public, Undocumented } from '../http/route.js';
import { TrustedProxies } from '../http/trusted-proxies.js';
import { isSignedQuestion } from '../secrets/operator-question.js';

/** Tells the doctor how its request arrived, which no operator can see from outside. For all others there is no such path. */
@Personal()
@Controller('system/connection')
@Public()
@Undocumented()
export class ConnectionController {
  private readonly proxies: TrustedProxies;

  constructor(private readonly environment: Environment) {
    this.proxies = new TrustedProxies(environment);
  }

  @Get()
  read(@Req() request: FastifyRequest) {
    const [, question = ''] = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
    if (!isSignedQuestion(question, this.environment.jwtSecretKey)) throw new NotFound();
    return { ...this.proxies.arrivalOf(request.raw), address: actorOf(request).ip };
  }
}
