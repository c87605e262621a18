import type { ComponentChildren } from 'preact';
import { say, Word } from './say.js';

/** As many columns as what can be done with a row takes the place of. */
const ACTS = 2;

/**
 * A table whose rows become cards on a phone, with the names of the columns. The roles are said once more because the
 * layout of the phone takes them from the elements.
 */
export function Table({
  caption,
  columns,
  rows,
}: {
  /** For screen readers: the heading above says the same to the others. */
  caption: string;
  columns: string[];
  /** The first cell names the row. */
  rows: { key: string; cells: ComponentChildren[]; acts?: ComponentChildren }[];
}) {
  const hasActs = rows.some(({ acts }) => acts);
  return (
    <div class="fits" style={{ '--columns': columns.length + (hasActs ? ACTS : 0) }}>
      <table role="table">
        <caption class="unseen">{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((column) => (
              <th key={column} scope="col" role="columnheader">
                {column}
              </th>
            ))}
            {hasActs && (
              <th scope="col" role="columnheader">
                <span class="unseen">{say(Word['parts.actions'])}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map(({ key, cells: [name, ...cells], acts }) => (
            <tr key={key} role="row">
              <th scope="row" role="rowheader" data-column={columns[0]}>
                {name}
              </th>
              {cells.map((cell, index) => (
                <td key={columns[index + 1]} role="cell" data-column={columns[index + 1]}>
                  {cell}
                </td>
              ))}
              {hasActs && (
                <td role="cell" class="acts">
                  {acts}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
