import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Button, Submit } from '../parts/button.js';
import { type PlainWord, say, Word } from '../parts/say.js';
import { asked, clearedAddress, isFiltered, NO_OTHERS, OF_DOCUMENT } from './address-query.js';

/** The filters of a list: what they are set to is in the address, so that a colleague can be sent it. */
export function Filters({
  others = NO_OTHERS,
  children,
}: {
  /** The filters of the other lists of the document, which stay as they are. */
  others?: string[];
  children: ComponentChildren;
}) {
  // Where there is little room, the filters fold behind a button.
  const [isOpen, setOpen] = useState(isFiltered(others));
  return (
    <search>
      <div class="fold">
        <Button aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {say(Word['filters.fold'])}
        </Button>
      </div>
      <form class={isOpen ? 'filters' : 'filters folded'} onFormData={leaveOutEmpty}>
        {[...OF_DOCUMENT, ...others].map(
          (name) => asked(name) && <input key={name} type="hidden" name={name} value={asked<string>(name)} />,
        )}
        {children}
        <Submit weight="plain">{say(Word['filters.filter'])}</Submit>
        {isFiltered(others) && (
          <a class="button words" href={clearedAddress(others)}>
            {say(Word['filters.clear'])}
          </a>
        )}
      </form>
    </search>
  );
}

/** A filter to type. */
export function TextFilter({
  label,
  name,
  type = 'search',
  example = '',
}: {
  label: string;
  name: string;
  type?: 'search' | 'email';
  /** What may be typed, where the label does not say it. */
  example?: string;
}) {
  return (
    <label>
      {label}
      <input
        class="control"
        type={type as 'search'}
        dir={type === 'email' ? 'ltr' : 'auto'}
        name={name}
        placeholder={example}
        defaultValue={asked<string>(name) ?? ''}
      />
    </label>
  );
}

/** A day to choose. */
export function DayFilter({ label, name, day }: { label: string; name: string; day: string }) {
  return (
    <label>
      {label}
      <input class="control" type="date" name={name} defaultValue={day} />
    </label>
  );
}

/** Options in words, by their values; a group has options of its own, by its words. */
type Options = Record<string, string | Record<string, string>>;

/** A filter to choose. Without a choice it lets everything through. */
export function ChoiceFilter({
  label,
  name,
  options,
  none = say(Word['filters.all']),
}: {
  label: string;
  name: string;
  options: Options;
  /** What no choice is called. */
  none?: string;
}) {
  return (
    <label>
      {label}
      <select class="control" name={name}>
        <option value="">{none}</option>
        {optionsOf(options, asked(name))}
      </select>
    </label>
  );
}

/** The orders that most lists have, beside newest first, in the names of the service. */
export const ORDERS = {
  created_at: Word['filters.oldestFirst'],
  name: Word['filters.nameUp'],
  '-name': Word['filters.nameDown'],
} as const;

export const PEOPLE_ORDERS = {
  ...ORDERS,
  email: Word['filters.emailUp'],
  '-email': Word['filters.emailDown'],
  '-role': Word['filters.highestRole'],
  role: Word['filters.lowestRole'],
} as const;

export function OrderFilter({ orders }: { orders: Record<string, PlainWord> }) {
  const options = Object.entries(orders).map(([sort, word]) => [sort, say(word)]);
  return (
    <ChoiceFilter
      label={say(Word['filters.order'])}
      name="sort"
      options={Object.fromEntries(options)}
      none={say(Word['filters.newestFirst'])}
    />
  );
}

function optionsOf(options: Options, chosen: string | undefined): ComponentChildren {
  return Object.entries(options).map(([value, words]) =>
    typeof words === 'string' ? (
      <option key={value} value={value} selected={value === chosen}>
        {words}
      </option>
    ) : (
      <optgroup key={value} label={value}>
        {optionsOf(words, chosen)}
      </optgroup>
    ),
  );
}

function leaveOutEmpty(event: Event): void {
  const { formData } = event as FormDataEvent;
  for (const [name, value] of [...formData]) if (value === '') formData.delete(name);
}
