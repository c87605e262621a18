import { withAdmin } from '../../../client/admin.js';
import { latchkey as client } from '../parts/service.js';

/** The API with the operations of admins, as the console of a product would call it. */
export const latchkey = withAdmin(client);
