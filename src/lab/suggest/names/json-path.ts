/** Field names, labels and indexes -> segments of a JSONPath (RFC 9535). */

/** The segment for a field: `.name`, or `["any name"]`. */
export function nameSegment(name: string): string {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? `.${name}` : `[${quote(name, '"')}]`;
}

export function indexSegment(index: number): string {
  return `[${index}]`;
}

/** A filter for the entries that have these labels where these segments lead. */
export function labelFilter(segments: readonly string[], labels: readonly string[]): string {
  return `[?${segments.map((each, index) => `@${each} == ${quote(labels[index] ?? '', "'")}`).join(' && ')}]`;
}

/** The last name of a JSONPath: that of a field, or the one in the filter of an entry. */
export function lastName(jsonPath: string): string | undefined {
  const [, name, quoted, label] =
    /(?:\.([A-Za-z_]\w*)|\["((?:[^"\\]|\\.)*)"\]|== '((?:[^'\\]|\\.)*)'\])$/.exec(jsonPath) ?? [];
  return name ?? quoted ?? label;
}

/** A JSONPath as people write it in a mapping: without a leading `$.`. */
export function withoutRoot(jsonPath: string): string {
  return jsonPath.startsWith('$.') ? jsonPath.slice(2) : jsonPath;
}

/** Whether a JSONPath can hold this name: a lone surrogate has no UTF-8, and json-p3 rejects control characters. */
export function isNameable(text: string): boolean {
  const isControl = (one: string) => one < ' ' && !'\b\f\n\r\t'.includes(one);
  return text !== '' && text.isWellFormed() && ![...text].some(isControl);
}

/** Whether a key is personal data or an identifier: a phone number, an email address, an IP address, a UUID, a hash. */
export function isPersonalKey(key: string): boolean {
  return (
    /@.+\./.test(key) ||
    /^\+?[\d\s().-]{7,}$/.test(key) ||
    /^(?:\d{1,3}\.){3}\d{1,3}$/.test(key) ||
    /^[\da-f]{0,4}(?::[\da-f]{0,4}){2,}$/i.test(key) ||
    /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(key) ||
    /^(?=.*\d)[\da-f]{16,}$/i.test(key)
  );
}

function quote(text: string, mark: '"' | "'"): string {
  const inside = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"');
  return mark + inside.replaceAll(mark, `\\${mark}`) + mark;
}
