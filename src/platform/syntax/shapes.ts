/** A node of another kind than the one expected -> how it is written as that kind, if that is clear. */

import type { DiagnosticDetails, Replacement, Span } from '../files/source.ts';
import type { MapEntry, MapNode, Yaml } from '../yaml.ts';

/** What to say of a mistake beside the message. */
type Answer = Pick<DiagnosticDetails, 'hint' | 'fix'>;

/** What is written for a node, if it is on one line. */
function writtenIn({ source, start, end }: Span): string | undefined {
  const text = source.text.slice(start, end).trimEnd();
  return text.includes('\n') || text.length > 200 ? undefined : text;
}

function write(text: string, { start, end }: Span): Answer {
  return { hint: `write \`${text}\``, fix: [{ start, end, text }] };
}

function isFlow({ source, start }: Span): boolean {
  return /[{[]/.test(source.text[start] ?? '');
}

/** Names with blanks between them. */
const WORDS = /^[\w.-]+(?:\s+[\w.-]+)+$/;

/** A text or a map where a list is expected: a list of its parts, or of it alone. */
export function listMeantBy(node: Yaml): Answer | undefined {
  const written = writtenIn(node);
  if (node.kind === 'scalar') {
    const isPlain = written !== undefined && !/[[\]{}"'#]|:(\s|$)/.test(written);
    if (isPlain && node.value !== null) {
      if (WORDS.test(written)) {
        return { hint: `write \`[${written.split(/\s+/).join(', ')}]\`, or \`[${written}]\` if it is one` };
      }
      return write(`[${written.replaceAll(/\s*[|;]\s*/g, ', ')}]`, node);
    }
    const words = /^[A-Za-z][\w ]*([,;|] *[A-Za-z][\w ]*)+$/.test(node.written) ? node.written : undefined;
    return words === undefined ? undefined : write(`[${words.split(/[,;|] */).join(', ')}]`, node);
  }
  if (node.kind === 'list') return undefined;
  if (isFlow(node)) return written === undefined ? undefined : write(`[${written}]`, node);
  const first = firstLine(node);
  return first === undefined ? undefined : { hint: `begin each entry with a hyphen: \`- ${first}\`` };
}

/** A map where a list of maps with one entry each is expected. */
export function listOfEntriesMeantBy(node: Yaml): Answer | undefined {
  if (node.kind !== 'map') return undefined;
  const entries = [...node.entries.values()].map(({ key, value }) => writtenIn({ ...key, end: value.end }));
  if (!isFlow(node)) return listMeantBy(node);
  return entries.includes(undefined) ? undefined : write(`[${entries.map((each) => `{ ${each} }`).join(', ')}]`, node);
}

/** A list where a map of names is expected: each entry under its name. */
export function mapMeantBy(node: Yaml): Answer | undefined {
  const [first] = node.kind === 'list' ? node.items : [];
  if (first?.kind !== 'map') return undefined;
  const name = (first.entries.get('id') ?? first.entries.get('name'))?.value;
  if (name?.kind === 'scalar') return { hint: `write each under its name: \`${name.written}: …\`` };
  const [key, ...others] = first.entries.keys();
  if (others.length > 0) return undefined;
  return { hint: `leave the ${isFlow(node) ? 'brackets' : 'hyphens'} out: \`${key}: …\`` };
}

/** A map of names where a list is expected, in which each entry has its name under a key. */
export function listOfNamedMeantBy(node: Yaml, nameKey = 'id'): Answer | undefined {
  const [[name, first] = []] = node.kind === 'map' ? node.entries : [];
  const isNamed = first?.value.kind === 'map' && !first.value.entries.has(nameKey);
  const item = `\`- ${nameKey}: ${name}\``;
  return isNamed ? { hint: `write a list, in which each entry begins with its name: ${item}` } : undefined;
}

/** A map of names where a list of their values is expected: `first: [phoneNo]`. Undefined for any other node. */
export function listOfValuesMeantBy(node: Yaml): Answer | undefined {
  const [first] = node.kind === 'map' ? node.entries.values() : [];
  const value = first && writtenIn(first.value);
  return value === undefined ? undefined : { hint: `write the values alone, each with a hyphen: \`- ${value}\`` };
}

/** Texts in one list where a list of lists is expected: `[voip, review]`. */
export function listOfListsMeantBy(node: Yaml): Answer | undefined {
  if (node.kind !== 'list' || !isFlow(node)) return undefined;
  const written = node.items.every(({ kind }) => kind === 'scalar') ? writtenIn(node) : undefined;
  return written === undefined || node.items.length === 0 ? undefined : write(`[${written}]`, node);
}

/** `[voip review]`, `[voip; review]`: a row with as many words in one cell as there are columns. */
export function cellsMeantBy([cell, ...others]: readonly Yaml[], width: number): Answer | undefined {
  if (cell?.kind !== 'scalar' || others.length > 0) return undefined;
  const words = cell.written.split(/[;|\s]+/);
  const text = words.join(', ');
  const { start, end } = cell;
  return words.length === width ? { hint: `write \`[${text}]\``, fix: [{ start, end, text }] } : undefined;
}

/** Entries of a block that belong to a key above them without a value: the same, indented further. */
export function indentedBelow(entries: readonly MapEntry[]): Answer {
  const [first] = entries;
  const last = entries.at(-1);
  if (!first || !last) return {};
  const { text } = first.key.source;
  const start = text.lastIndexOf('\n', first.key.start) + 1;
  const lines = text.slice(start, last.value.end).trimEnd();
  const fix = [...lines.matchAll(/^(?=.*\S)/gm)].map(({ index }): Replacement => {
    return { start: start + index, end: start + index, text: '  ' };
  });
  return { hint: 'indent what belongs to it further than the key', fix };
}

/** A map or a list where a text is expected: several texts as one, or a text that begins with a bracket. */
export function textMeantBy(node: Yaml): Answer | undefined {
  const written = node.kind !== 'scalar' && isFlow(node) ? writtenIn(node) : undefined;
  if (written === undefined || /["\\:]/.test(written)) return undefined;
  if (node.kind === 'map') return write(`"${written}"`, node);
  // Whether one of the texts is meant, or all of them, only their writer knows.
  return { hint: `write one text, such as \`"${written.slice(1, -1).trim()}"\`` };
}

/** The first entry of a map, up to the end of its line. */
function firstLine({ entries, source }: MapNode): string | undefined {
  const [first]: readonly (MapEntry | undefined)[] = [...entries.values()];
  return first && source.text.slice(first.key.start).split('\n', 1)[0]?.trimEnd();
}

/** What to say of a key without a value. */
export function nothingMeant({ source, end }: Span): Answer {
  const [rest = ''] = source.text.slice(end).split('\n', 1);
  const [, comment] = /^["']?:\s+(#\S.*)$/.exec(rest) ?? [];
  return comment === undefined ? {} : { hint: 'a # begins a comment: put a text that begins with # in quotes' };
}
