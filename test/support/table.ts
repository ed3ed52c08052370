/** Rows of cells -> lines of text with aligned columns. The first row has the titles. */
export function formatTable(lines: readonly (readonly string[])[]): string {
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const format = (line: readonly string[]) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  return lines.map((line) => `${format(line).trimEnd()}\n`).join('');
}
