import { withAdmin } from '../../../client/admin.js';
import { isProblem, LatchkeyProblem, unreachable } from '../../../client/problem.js';
import { latchkey as client, fetchWithWords } from '../parts/service.js';

/** The API with the operations of admins, as the console of a product would call it. */
export const latchkey = withAdmin(client);

/** A file that the service makes for one organization, with the name that it gives it. Throws a problem. */
export async function fileIn(orgId: string, address: string): Promise<File> {
  try {
    const answer = await fetchWithWords(address, { headers: { 'latchkey-org': orgId } });
    if (answer.ok) {
      const [, name = ''] = /"(.+)"/.exec(answer.headers.get('content-disposition') ?? '') ?? [];
      return new File([await answer.blob()], name);
    }
    const retry_after_seconds = Number(answer.headers.get('retry-after'));
    throw new LatchkeyProblem({ ...(await answer.json()), retry_after_seconds });
  } catch (error) {
    throw isProblem(error) ? error : unreachable(0, error);
  }
}
