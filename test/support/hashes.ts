/** Hashes of `imported long ago`, as the libraries themselves made them. */
export const MADE_ELSEWHERE = {
  Django: 'pbkdf2_sha256$260000$seasalt2Xy$ccwygwO/i1DMRLdNkTbUOoFj7L6vspwAgHvI/S2zxlo=',
  passlib: '$scrypt$ln=14,r=8,p=1$nFPKGeM8B6AUImRsLeWccw$LDFjkaEx6ntEjQ1rySOJ+RaB6OZt/I0QiYkUevztkrM',
  'argon2-cffi': '$argon2id$v=19$m=102400,t=2,p=8$gizuGXLN5YuutrFzrbXnYg$lMErgysSTfM/oG9GOYic7g',
  'Better Auth':
    '3b75ac4d3aff3e071458d544fdd53871:f27f2898962316a3eef84c602ccf5ee5b8247634df47ceb310d3d835f08b5d132c4a21d89e30df7b0e2de5740969f61906ca044e910691f3077347143c5b89dd',
  Lucia:
    '0c166b6aaa15a870bb81b505cce7cdb7:9a619db2c582b83113f06c723eba595e92044e764b29a4de5e768341a0d865a1ec903948a4d88c63a8671b59014fc30cb5ee50a093c40317cb9c2ecd6428527c',
};

/** The hash of `user1password` that Firebase published, in the form in which Supabase takes it. */
export const OF_FIREBASE =
  '$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==$42xEC+ixf3L2lw==$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==';

/** Hashes that the libraries themselves have made, or have among their tests, with their passwords. */
export const HASHES: Record<string, { hash: string; password: string }> = {
  ...Object.fromEntries(
    Object.entries(MADE_ELSEWHERE).map(([library, hash]) => [
      library,
      { hash, password: 'imported long ago' },
    ]),
  ),
  Firebase: { hash: OF_FIREBASE, password: 'user1password' },
  // Of the tests of crypt_blowfish; Auth0, Clerk, Supabase and Rails have hashes of this form.
  'bcrypt in C': { hash: '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW', password: 'U*U' },
  // Of the manual of PHP, whose function Laravel calls.
  'bcrypt in PHP': {
    hash: '$2y$12$4Umg0rCJwMswRw/l.SwHvuQV01coP0eWmGzd61QH2RvAOMANUBGC.',
    password: 'rasmuslerdorf',
  },
};
