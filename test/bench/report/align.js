/** Rows of cells as the lines of a table: the first column to the left, the others, which are figures, to the right. */
export function align(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const pad = (cell, column) => (column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]));
  return rows.map((row) => row.map(pad).join('  '));
}
