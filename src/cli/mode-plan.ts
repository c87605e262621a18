import { DataSource } from 'typeorm';
import { Environment } from '../config/environment.js';
import type { Product } from '../start/product.js';
import { ModePlanRepository } from './mode-plan.repository.js';
import { withService } from './with-service.js';

/** `mode-plan`: lists the people whom the other app mode would strand, before it is switched on. It changes nothing. */
export async function modePlan(product: Product): Promise<void> {
  await withService(product, async (service) => {
    const { appMode, orgsPerUser } = service.get(Environment);
    const affected = new ModePlanRepository(service.get(DataSource));
    const other = appMode === 'b2c' ? 'b2b' : 'b2c';
    console.log(
      `SVC_APP_MODE is ${appMode}; these are the people whom switching it to ${other} would affect.`,
    );

    if (other === 'b2b') await planB2B(affected);
    else await planB2C(affected);
    await planCap(orgsPerUser, affected);
  });
}

/** Without signup there is no way on for users who belong to no organization, and no signup can be completed. */
async function planB2B(affected: ModePlanRepository): Promise<void> {
  const { usersWithoutOrg, signups } = await affected.countStranded();
  console.log(`Users without an organization: ${usersWithoutOrg}. Pending signups: ${signups}.`);

  for await (const { email, since } of affected.usersWithoutOrg())
    console.log(`  ${email} belongs to no organization, account since ${since.toISOString()}`);
  for await (const { email, since } of affected.signups())
    console.log(`  ${email} has not confirmed the address, signed up at ${since.toISOString()}`);
  console.log(
    usersWithoutOrg + signups === 0
      ? 'No user would be stranded.'
      : `Would be stranded: ${usersWithoutOrg + signups}. Invite them to an organization before the switch.`,
  );
}

/** Signup opens and nothing closes. */
async function planB2C(affected: ModePlanRepository): Promise<void> {
  console.log(`Pending invitations: ${await affected.countInvitations()}.`);

  for await (const { email, since } of affected.invitations())
    console.log(`  ${email} is invited, since ${since.toISOString()}`);
  console.log('No user would be stranded: every login goes on working, and so do the pending invitations.');
}

/** These users stay in all of their organizations: a lower cap only keeps them from joining others. */
async function planCap(orgsPerUser: number, affected: ModePlanRepository): Promise<void> {
  const count = await affected.countAbove(orgsPerUser);
  if (count === 0) return;
  console.log(
    `Users in more than ${orgsPerUser} organizations (SVC_ORGS_PER_USER): ${count}. They stay in all of them, and can join no other.`,
  );
  for await (const { email } of affected.usersAbove(orgsPerUser)) console.log(`  ${email}`);
}
