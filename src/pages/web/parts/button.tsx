import type { ComponentChildren } from 'preact';

/** How loud a button is. A page has one main act. */
export type Weight = 'main' | 'plain' | 'words' | 'danger' | 'words danger';

/** The button that sends its form. */
export function Submit({
  children,
  weight = 'main',
  ...more
}: {
  children: ComponentChildren;
  weight?: Weight;
  name?: string;
  value?: string;
  autofocus?: boolean;
  'aria-label'?: string;
}) {
  return (
    <button type="submit" class={classOf(weight)} {...more}>
      {children}
    </button>
  );
}

/** A button that does something on the page at once. */
export function Button({
  children,
  weight = 'plain',
  onClick,
  ...more
}: {
  children: ComponentChildren;
  weight?: Weight;
  onClick: () => void;
  'aria-label'?: string;
  'aria-expanded'?: boolean;
}) {
  return (
    <button type="button" class={classOf(weight)} onClick={onClick} {...more}>
      {children}
    </button>
  );
}

/** A link that looks like a button, because it is the way on. */
export function ButtonLink({
  href,
  children,
  weight = 'main',
  ...more
}: {
  href: string;
  children: ComponentChildren;
  weight?: Weight;
  'aria-label'?: string;
}) {
  return (
    <a class={classOf(weight)} href={href} {...more}>
      {children}
    </a>
  );
}

function classOf(weight: Weight): string {
  return weight === 'main' ? 'button' : `button ${weight}`;
}
