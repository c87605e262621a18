import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { isUUID } from 'class-validator';
import type { FastifyRequest } from 'fastify';
import { OrgsRepository } from '../accounts/orgs.repository.js';
import { addressOf, type CallerKey } from '../http/caller.js';
import {
  InsufficientPermission,
  NotFound,
  OrgRequired,
  OriginNotAllowed,
  TwoCredentials,
  ValidationFailed,
} from '../http/errors.js';
import { NONE, namedIn } from '../http/org-of-request.js';
import { fieldError } from '../http/problem.js';
import { type RouteRules, rulesOf } from '../http/route-rules.js';
import { isKey } from '../secrets/key-form.js';
import { SessionCookie } from '../sessions/session-cookies.js';
import { KeysService } from './keys.service.js';

/**
 * Admits a program with a key to a route that says which permission opens it to keys. On every other route a key is as if it
 * were not there. What the guards after it ask of users, they do not ask of a key.
 */
@Injectable()
export class KeyGuard implements CanActivate {
  constructor(
    private readonly keys: KeysService,
    private readonly cookie: SessionCookie,
    private readonly orgs: OrgsRepository,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const rules = rulesOf(context);
    if (rules.keyPermissions.length === 0) return true;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const secret = presentedIn(request);
    return secret === null || this.admit(secret, request, rules);
  }

  private async admit(secret: string, request: FastifyRequest, rules: RouteRules): Promise<boolean> {
    assertNoBrowser(request);
    // Which of two was meant must not be guessed.
    if (this.cookie.isPresent(request)) throw new TwoCredentials();
    const found = await this.keys.resume(secret, addressOf(request.ip));
    await this.keys.count(found);
    request.key = found;
    // First, so that a key without it does not learn which organizations there are.
    if (!rules.keyPermissions.some((name) => found.permissions.includes(name))) {
      this.keys.noteRefusal(found, 'permission', addressOf(request.ip));
      throw new InsufficientPermission(rules.keyPermissions[0] as string);
    }
    request.orgId = await this.orgOf(found, request, rules);
    return true;
  }

  /**
   * The organization of a request: that of its path, else the one that it names, else that of the key. Throws NotFound for
   * one that the key does not belong to, as for one that does not exist.
   */
  private async orgOf(
    { ownOrgId }: CallerKey,
    { headers, params }: FastifyRequest,
    { isPersonal, needsOrg }: RouteRules,
  ): Promise<string | null> {
    if (isPersonal) return null;
    const inPath = ((params ?? {}) as { org_id?: string }).org_id?.toLowerCase() ?? null;
    const inHeader = namedIn(headers);
    if (inPath !== null && inHeader !== null && inHeader !== inPath)
      throw new ValidationFailed([fieldError('Latchkey-Org', { code: 'not_the_org_of_path' })]);

    const named = inPath ?? inHeader ?? ownOrgId ?? NONE;
    if (ownOrgId !== null && named !== ownOrgId) throw new NotFound();
    if (named === NONE) {
      if (needsOrg) throw new OrgRequired();
      return null;
    }
    if (ownOrgId === null && !(isUUID(named) && (await this.orgs.exists(named)))) throw new NotFound();
    return named;
  }
}

/** The key of a request; null for a header of another form, and for two of them. */
function presentedIn({ headers, raw }: FastifyRequest): string | null {
  const secret = /^Bearer ([\w]+)$/i.exec(headers.authorization ?? '')?.[1];
  if (secret === undefined || !isKey(secret)) return null;
  // Node keeps the first of two.
  const sent = raw.rawHeaders.filter((name, index) => index % 2 === 0 && /^authorization$/i.test(name));
  return sent.length === 1 ? secret : null;
}

/** Only browsers send these headers: a page that holds a key has leaked it. Throws OriginNotAllowed. */
function assertNoBrowser({ headers }: FastifyRequest): void {
  if (headers.origin !== undefined || headers['sec-fetch-site'] !== undefined) throw new OriginNotAllowed();
}
