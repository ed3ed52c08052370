/** A page, a heading and a generated table -> the page with the current table in the section of the heading. */

/** Replaces the table of a section that has the same first column, or adds it below the heading if there is none. */
export function withTableBelow(page: string, heading: string, table: string): string {
  const start = page.indexOf(`# ${heading}\n`);
  if (start < 0) throw new Error(`the page has no heading ${heading}`);
  const body = start + `# ${heading}\n`.length;
  const next = page.slice(body).search(/^#/m);
  const end = next < 0 ? page.length : body + next;
  const section = page.slice(body, end);
  const [, column] = /^\| (\w+) /.exec(table) ?? [];
  const former = new RegExp(`^\\| ${column} .*\n(?:\\|.*\n)*`, 'm');
  const written = former.test(section) ? section.replace(former, () => table) : `\n${table}${section}`;
  return page.slice(0, body) + written + page.slice(end);
}
