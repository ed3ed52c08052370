/** Rows of cells -> lines of text, each column as wide as its widest cell. */

/** A cell that is wider goes on in the next line. */
const CELL_WIDTH = 46;

/** The lines; a column with nothing in it is left out. */
export function tableLines(rows: readonly (readonly string[])[]): readonly string[] {
  const lines = rows.flatMap((row): string[][] => {
    const cells = row.map((cell) => wrapWords(cell, CELL_WIDTH));
    const height = Math.max(...cells.map((cell) => cell.length));
    return Array.from({ length: height }, (_, i) => cells.map((cell) => cell[i] ?? ''));
  });
  const columns = Math.max(...lines.map((line) => line.length));
  const widths = Array.from({ length: columns }, (_, i) => Math.max(...lines.map((line) => line[i]?.length ?? 0)));
  const shown = widths.map((width, i) => ({ width, i })).filter(({ width }) => width > 0);
  return lines.map((line) => `  ${shown.map(({ width, i }) => (line[i] ?? '').padEnd(width)).join('  ')}`.trimEnd());
}

/** A text in lines, broken between words; all but the first are moved in. */
export function wrapWords(text: string, width: number, indent = '  '): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(lines.length === 0 ? word : `${indent}${word}`);
  }
  return lines;
}
