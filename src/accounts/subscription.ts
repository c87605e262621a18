/**
 * Whether the subscription of a customer `c` admits: one that is active, on trial, or past due for no longer than so many
 * days. Here, and not with the customers, because the check of a session asks it too.
 */
export const admits = (graceDays: number) => `
  (c.status IN ('active', 'trialing')
   OR c.status = 'past_due' AND c.past_due_since > now() - make_interval(days => ${graceDays}))`;
