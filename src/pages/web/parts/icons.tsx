/** Lines of 1.5 on a square of 20. */
const ICONS = {
  building: 'M4 17V3.5h8V17m0-9h4v9M2.5 17h15M7 7h2M7 10h2M7 13h2',
  card: 'M2.5 5h15v10h-15zm0 3.5h15',
  check: 'M4 10.5l4 4 8-9',
  clock: 'M10 2.5a7.5 7.5 0 1 0 0 15 7.5 7.5 0 0 0 0-15zM10 6v4.2l2.8 1.8',
  close: 'M5 5l10 10M15 5L5 15',
  code: 'M4 4h3v3H4zm9 0h3v3h-3zM4 13h3v3H4zm9 0h3v3h-3zM10 4v4m0 4v4M4 10h4m4 0h4',
  device: 'M4 4.5h12v8H4zm-2 11h16',
  key: 'M7 13.5a3.5 3.5 0 1 1 3.2-5H18v3h-2v2h-2.5v-2h-3.3A3.5 3.5 0 0 1 7 13.5zM6.5 10h.01',
  leave: 'M8 3H3.5v14H8M13 6.5l3.5 3.5-3.5 3.5M16.5 10H8',
  lock: 'M5 9h10v8H5zm2 0V6.5a3 3 0 0 1 6 0V9m-3 3v2',
  mail: 'M2.5 5h15v10h-15zm0 .5L10 11l7.5-5.5',
  person: 'M10 10a3.25 3.25 0 1 0 0-6.5 3.25 3.25 0 0 0 0 6.5zm-6.5 7c.8-3 3.3-4.5 6.5-4.5s5.7 1.5 6.5 4.5',
  phone: 'M6 2.5h8v15H6zM9 15h2',
  warning: 'M10 3l7.5 13.5h-15zm0 5v4m0 2.2v.3',
};

export type IconName = keyof typeof ICONS;

/** It points on, which is the other way in a language that is read from right to left. */
const TURNING: IconName = 'leave';

/** A picture beside words that say the same. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg
      class={name === TURNING ? 'turns' : undefined}
      aria-hidden="true"
      width="1.25rem"
      height="1.25rem"
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
    >
      <path d={ICONS[name]} stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" />
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
