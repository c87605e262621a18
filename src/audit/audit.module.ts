import { Global, Module } from '@nestjs/common';
import { Background } from '../jobs/background.js';
import { AuditController } from './audit.controller.js';
import { Audit } from './audit.js';
import { AuditChainsRepository } from './audit-chains.repository.js';
import { AuditEventsRepository } from './audit-events.repository.js';
import { AuditEventsService } from './audit-events.service.js';
import { AuditHash } from './audit-hash.js';
import { AuditLinker } from './audit-linker.js';
import { AuditRetention } from './audit-retention.js';
import { AuditVerifier } from './audit-verifier.js';

@Global()
@Module({
  controllers: [AuditController],
  providers: [
    Audit,
    AuditEventsService,
    AuditEventsRepository,
    AuditChainsRepository,
    AuditHash,
    AuditLinker,
    AuditRetention,
    AuditVerifier,
  ],
  exports: [Audit, AuditEventsService, AuditRetention],
})
export class AuditModule {
  constructor(background: Background, linker: AuditLinker) {
    background.add(linker);
  }
}
