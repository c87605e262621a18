import { DataSource } from 'typeorm';
import { Environment } from '../config/environment.js';
import { ModePlanRepository } from './mode-plan.repository.js';
import { withService } from './with-service.js';

/** `mode-plan`: whom the other app mode would strand, before it is switched on. It changes nothing. */
export async function modePlan(): Promise<void> {
  await withService(async (service) => {
    const { appMode } = service.get(Environment);
    const concerned = new ModePlanRepository(service.get(DataSource));
    const other = appMode === 'b2c' ? 'b2b' : 'b2c';
    console.log(`SVC_APP_MODE is ${appMode}; this is whom switching it to ${other} would concern.`);

    if (other === 'b2b') await planB2B(concerned);
    else await planB2C(concerned);
  });
}

/** Without signup there is no way on for users who belong to no organization, or have yet to verify their address. */
async function planB2B(concerned: ModePlanRepository): Promise<void> {
  const { withoutOrganization, unverified } = await concerned.countStranded();
  console.log(`Users without an organization: ${withoutOrganization}. Pending signups: ${unverified}.`);

  let listed = 0;
  for await (const { email, since, isVerified } of concerned.stranded()) {
    const reason = isVerified ? 'belongs to no organization' : 'has not verified the address';
    console.log(`  ${email} ${reason}, account since ${since.toISOString()}`);
    listed++;
  }
  console.log(
    listed === 0
      ? 'Nobody would be stranded.'
      : `Would be stranded: ${listed}. Invite them to an organization before the switch.`,
  );
}

/** Signup opens and nothing closes. */
async function planB2C(concerned: ModePlanRepository): Promise<void> {
  console.log(`Pending invitations: ${await concerned.countInvitations()}.`);

  for await (const { email, since } of concerned.invitations())
    console.log(`  ${email} is invited, since ${since.toISOString()}`);
  console.log('Nobody would be stranded: every login goes on working, and so do the pending invitations.');
}
