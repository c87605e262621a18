import { Global, Module, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Background } from '../queues/background.js';
import { AuditController } from './audit.controller.js';
import { AuditChain } from './audit-chain.entity.js';
import { AuditChainsRepository } from './audit-chains.repository.js';
import { AuditEvent } from './audit-event.entity.js';
import { AuditEventsRepository } from './audit-events.repository.js';
import { AuditEventsService } from './audit-events.service.js';
import { AuditHash } from './audit-hash.js';
import { AuditLinker } from './audit-linker.js';
import { AuditLog } from './audit-log.js';
import { AuditRetention } from './audit-retention.js';
import { AuditSeals } from './audit-seals.js';
import { AuditVerifier } from './audit-verifier.js';
import { RecordRules, Transactions } from './transactions.js';

@Global()
@Module({
  imports: [TypeOrmModule.forFeature([AuditEvent, AuditChain])],
  controllers: [AuditController],
  providers: [
    RecordRules,
    Transactions,
    AuditEventsService,
    AuditEventsRepository,
    AuditChainsRepository,
    AuditHash,
    AuditLinker,
    AuditLog,
    AuditRetention,
    AuditSeals,
    AuditVerifier,
  ],
  exports: [Transactions, AuditEventsService, AuditLog, AuditRetention],
})
export class AuditModule implements OnModuleInit {
  constructor(
    private readonly background: Background,
    private readonly linker: AuditLinker,
  ) {}

  onModuleInit(): void {
    this.background.add(this.linker);
  }
}
