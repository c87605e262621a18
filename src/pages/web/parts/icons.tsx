// Lines of 1.5 on a square of 20. Each stands alone, so that a page has only those that it shows.
export const BUILDING = 'M4 17V3.5h8V17m0-9h4v9M2.5 17h15M7 7h2M7 10h2M7 13h2';
export const CARD = 'M2.5 5h15v10h-15zm0 3.5h15';
export const CHECK = 'M4 10.5l4 4 8-9';
export const CLOCK = 'M10 2.5a7.5 7.5 0 1 0 0 15 7.5 7.5 0 0 0 0-15zM10 6v4.2l2.8 1.8';
export const CLOSE = 'M5 5l10 10M15 5L5 15';
export const LEAVE = 'M8 3H3.5v14H8M13 6.5l3.5 3.5-3.5 3.5M16.5 10H8';
export const LOCK = 'M5 9h10v8H5zm2 0V6.5a3 3 0 0 1 6 0V9m-3 3v2';
export const MAIL = 'M2.5 5h15v10h-15zm0 .5L10 11l7.5-5.5';
export const PERSON =
  'M10 10a3.25 3.25 0 1 0 0-6.5 3.25 3.25 0 0 0 0 6.5zm-6.5 7c.8-3 3.3-4.5 6.5-4.5s5.7 1.5 6.5 4.5';
export const WARNING = 'M10 3l7.5 13.5h-15zm0 5v4m0 2.2v.3';

/** A picture beside words that say the same. */
export function Icon({ lines, ...look }: { lines: string; class?: string }) {
  return (
    <svg
      {...look}
      aria-hidden="true"
      width="1.25rem"
      height="1.25rem"
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
    >
      <path d={lines} stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" />
    </svg>
  );
}

/** Our mark, for a product without a logo of its own: a keyhole in a rounded square. */
export function Mark() {
  return (
    <svg aria-hidden="true" width="1.75rem" height="1.75rem" viewBox="0 0 32 32" fill="currentColor">
      <path
        fill-rule="evenodd"
        d="M8 0h16a8 8 0 0 1 8 8v16a8 8 0 0 1-8 8H8a8 8 0 0 1-8-8V8a8 8 0 0 1 8-8Zm8 7a5.5 5.5 0 0 0-2.6 10.35L12 25h8l-1.4-7.65A5.5 5.5 0 0 0 16 7Z"
      />
    </svg>
  );
}
