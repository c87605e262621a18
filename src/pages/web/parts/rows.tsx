import type { ComponentChildren } from 'preact';
import { Icon } from './icons.js';

/** A list of what there is, in a card. */
export function Rows({ children }: { children: ComponentChildren }) {
  return <ul class="card rows">{children}</ul>;
}

/** One thing: what it is called, what more there is to know, and what can be done with it. */
export function Row({
  label,
  icon,
  children,
  note,
  acts,
}: {
  label?: string;
  /** The lines of a picture. */
  icon?: string;
  children: ComponentChildren;
  note?: ComponentChildren;
  acts?: ComponentChildren;
}) {
  return (
    <li>
      <div class="what">
        {icon && <Icon lines={icon} />}
        <div>
          {label && <p class="label">{label}</p>}
          <div>{children}</div>
          {note && <p class="note">{note}</p>}
        </div>
      </div>
      {acts && <div class="buttons">{acts}</div>}
    </li>
  );
}
