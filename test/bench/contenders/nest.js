import 'reflect-metadata';
import { Controller, Get, Module, UseGuards } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';

/** The same for every caller: there are no sessions. */
export const answersEveryone = true;

export const cookie = () => '';
export async function seed() {}

/** What the framework alone costs: one route, with a guard, that answers the same few bytes to every caller. */
class UsersController {
  me() {
    return { email: 'user1@example.com' };
  }
}

class Guard {
  canActivate() {
    return true;
  }
}

class BareModule {}

// JavaScript has no decorators yet, but they are functions.
Controller('users')(UsersController);
UseGuards(Guard)(UsersController);
Get('me')(UsersController.prototype, 'me', Object.getOwnPropertyDescriptor(UsersController.prototype, 'me'));
Module({ controllers: [UsersController] })(BareModule);

export async function serve({ port }) {
  const app = await NestFactory.create(BareModule, new FastifyAdapter(), { logger: false });
  await app.listen(port);
}
