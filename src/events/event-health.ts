import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Environment } from '../config/environment.js';
import { Health } from '../observability/health.js';
import { OutagesRepository } from '../queues/outages.repository.js';
import { DELIVERIES } from './deliveries.js';

/**
 * Expects each endpoint to take the events it is sent. One that is down comes back by itself; one that refuses them, or
 * has another address by now, does not.
 */
@Injectable()
export class EventHealth {
  constructor(database: DataSource, health: Health, { webhooks }: Environment) {
    const endpoints = webhooks.map(({ name }) => name);
    const outages = new OutagesRepository(database, DELIVERIES.outages);
    health.expect(
      'webhooks',
      async () => endpoints.length === 0 || (await outages.refusing(endpoints)).length === 0,
    );
  }
}
