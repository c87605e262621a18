import { createHash, createHmac } from 'node:crypto';

/** What the peers sign their cookies with. */
export const SECRET = 'a secret that only the bench knows, of 32 and more';

export const USER_AGENT =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

/** What the seeds call the n-th user and session. The tokens are as long as real ones, and known on both sides. */
export const NAMES = `
  CREATE FUNCTION bench_user_id(n int) RETURNS uuid LANGUAGE sql IMMUTABLE AS
    $$ SELECT md5('user ' || n)::uuid $$;
  CREATE FUNCTION bench_email(n int) RETURNS text LANGUAGE sql IMMUTABLE AS
    $$ SELECT 'user' || n || '@example.com' $$;
  CREATE FUNCTION bench_token(n int) RETURNS text LANGUAGE sql IMMUTABLE AS
    $$ SELECT rtrim(translate(encode(sha256(('session ' || n)::bytea), 'base64'), '+/', '-_'), '=') $$;
`;

export function email(n) {
  return `user${n}@example.com`;
}

export function token(n) {
  return createHash('sha256').update(`session ${n}`).digest('base64url');
}

/** A value and its signature, as cookie-signature writes them. */
export function signed(value) {
  return `${value}.${signature(value).replace(/=+$/, '')}`;
}

export function signature(value) {
  return createHmac('sha256', SECRET).update(value).digest('base64');
}
