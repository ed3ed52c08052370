/** A text, and what is written in its place -> the text as YAML or CSV writes it there. */

/** Texts without quotes that are texts in every place of a YAML file: words, paths, days, durations. */
const PLAIN = /^([A-Za-z_][\w./-]*|\d{4}-\d\d-\d\d|\d+ [a-z]+( ago)?)$/;
/** Those that YAML 1.1 or 1.2 reads as something else. */
const OTHER_TYPES = /^(true|false|yes|no|on|off|y|n|null)$/i;

/** A text as a scalar of YAML, in the quotes of the scalar that it replaces. */
export function quoteYaml(text: string, written: string): string {
  if (written.startsWith("'") && !/[\n\r]/.test(text)) return `'${text.replaceAll("'", "''")}'`;
  const isPlain = !written.startsWith('"') && PLAIN.test(text) && !OTHER_TYPES.test(text);
  // JSON is YAML.
  return isPlain ? text : JSON.stringify(text);
}

/** A text as a value of CSV (RFC 4180). */
export function quoteCsv(text: string, written: string): string {
  return written.startsWith('"') || /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
