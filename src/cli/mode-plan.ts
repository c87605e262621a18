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

/** Without signup there is no way on for users who belong to no organization, and no signup can be completed. */
async function planB2B(concerned: ModePlanRepository): Promise<void> {
  const { loners, signups } = await concerned.countStranded();
  console.log(`Users without an organization: ${loners}. Pending signups: ${signups}.`);

  for await (const { email, since } of concerned.loners())
    console.log(`  ${email} belongs to no organization, account since ${since.toISOString()}`);
  for await (const { email, since } of concerned.signups())
    console.log(`  ${email} has not confirmed the address, signed up at ${since.toISOString()}`);
  console.log(
    loners + signups === 0
      ? 'Nobody would be stranded.'
      : `Would be stranded: ${loners + signups}. Invite them to an organization before the switch.`,
  );
}

/** Signup opens and nothing closes. */
async function planB2C(concerned: ModePlanRepository): Promise<void> {
  console.log(`Pending invitations: ${await concerned.countInvitations()}.`);

  for await (const { email, since } of concerned.invitations())
    console.log(`  ${email} is invited, since ${since.toISOString()}`);
  console.log('Nobody would be stranded: every login goes on working, and so do the pending invitations.');
}
