/** Names, labels and indexes of an answer -> steps of a JSONPath (RFC 9535). */

/** The step to a field: `.name`, or `["any name"]`. */
export function nameStep(name: string): string {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? `.${name}` : `[${quote(name, '"')}]`;
}

export function indexStep(index: number): string {
  return `[${index}]`;
}

/** The entries that have these labels under these keys. */
export function labelFilter(keys: readonly (readonly string[])[], labels: readonly string[]): string {
  const tests = keys.map((path, index) => `@${path.map(nameStep).join('')} == ${quote(labels[index] ?? '', "'")}`);
  return `[?${tests.join(' && ')}]`;
}

/** The lists that begin with these labels. */
export function pairFilter(labels: readonly string[]): string {
  return `[?${labels.map((label, index) => `@[${index}] == ${quote(label, "'")}`).join(' && ')}]`;
}

/** A place as people write it: without `$.` in front where it can do without. */
export function shownPlace(place: string): string {
  return place.startsWith('$.') ? place.slice(2) : place;
}

/** Whether a place can have this name: half a character has no UTF-8, and json-p3 reads no \u0000 and its like. */
export function isNameable(text: string): boolean {
  const isControl = (one: string) => one < ' ' && !'\b\f\n\r\t'.includes(one);
  return text !== '' && text.isWellFormed() && ![...text].some(isControl);
}

/** What an applicant is asked about by, or an identifier: 447700900461, +44 …, an email address, an IP address, a UUID. */
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
