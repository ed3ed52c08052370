/** Data -> its text in JSON or YAML, in an unusual or a damaged spelling. */

import { stringify } from 'yaml';
import { at, change, mutate, type Path, pathsIn, pick, type Random } from '../facts/mutate.ts';
import { hostileText, times, withPiece } from './texts.ts';

/** A text, and whether every reader has to refuse it. */
export interface Spelt {
  readonly how: string;
  readonly bytes: Buffer;
  readonly isRefused: boolean;
}

/** The data with some values replaced by hostile ones. */
export function mutateData(data: unknown, random: Random): { readonly how: string; readonly data: unknown } {
  const paths = pathsIn(data);
  if (paths.length === 0 || random() < 0.2) return { how: 'as it is', data };
  if (random() < 0.4) {
    const path = pick(paths, random);
    const found = at(data, path);
    const text = typeof found === 'string' && random() < 0.6 ? withPiece(found, random) : hostileText(random);
    return { how: 'text', data: change(data, path, text) };
  }
  const { name, ...mutant } = mutate(data, paths, random);
  return 'body' in mutant ? { how: name, data: mutant.body } : { how: 'as it is', data };
}

/** The paths to the values of objects; none in data nested deeper than the stack. */
function namesIn(data: unknown): Path[] {
  try {
    return pathsIn(data).filter((path) => typeof path.at(-1) === 'string');
  } catch {
    return [];
  }
}

const whole = (text: string | Buffer): Omit<Spelt, 'how'> => ({ bytes: Buffer.from(text as string), isRefused: false });
const refused = (text: string | Buffer): Omit<Spelt, 'how'> => ({ ...whole(text), isRefused: true });

type Respell = (text: string, random: Random) => Omit<Spelt, 'how'>;

/** A name that no data has. */
const MARK = 'the second of two names';

/** Spellings of JSON by name. */
const JSON_SPELLINGS: Readonly<Record<string, Respell>> = {
  plain: (text) => whole(text),
  spaced: (text) => whole(` ${text}\t `),
  escaped: (text) => whole(text.replaceAll(/[a-z]/g, (c) => (c === 'e' || c === 'i' ? escaped(c) : c))),
  duplicateName: (text, random) => {
    const data: unknown = JSON.parse(text);
    const names = namesIn(data);
    if (names.length === 0) return whole(text);
    const path = pick(names, random);
    const [name, holder] = [String(path.at(-1)), path.slice(0, -1)];
    const value = pick(['low', 'veryHigh', null, 0, {}, [], true, 'never'], random);
    const object = { [MARK]: value, ...(at(data, holder) as object) };
    const marked = jsonOf(holder.length === 0 ? object : change(data, holder, object));
    const spelt = random() < 0.5 ? JSON.stringify(name) : `"${[...name].map(escapedText).join('')}"`;
    return refused(marked.replace(JSON.stringify(MARK), () => spelt));
  },
  cut: (text, random) => refused(text.slice(0, Math.floor(random() * text.length))),
  twice: (text) => refused(`${text}${text}`),
  comma: (text) => refused(text.replace(/}\s*$/, ',}')),
  comment: (text) => refused(`/* */${text}`),
  singleQuotes: (text) => refused(text.replaceAll('"', "'")),
  noNumber: (text, random) => refused(text.replace(/}\s*$/, `,"x":${pick(['NaN', '01', '+1', '.5', '0x1'], random)}}`)),
  notUtf8: (text, random) => {
    const bytes = Buffer.from(text);
    const place = Math.floor(random() * (bytes.length + 1));
    return refused(Buffer.concat([bytes.subarray(0, place), Buffer.of(0xff), bytes.subarray(place)]));
  },
  utf16: (text) => refused(Buffer.from(`\ufeff${text}`, 'utf16le')),
  deep: (text, random) => refused(nest(text, 101 + times(random, 100_000))),
};

/** The JSON of an object; `only` a spelling, by its name. */
export function spellJson(data: unknown, random: Random, only?: keyof typeof JSON_SPELLINGS): Spelt {
  const how = only ?? (random() < 0.4 ? 'plain' : pick(Object.keys(JSON_SPELLINGS), random));
  const text = jsonOf(data);
  return { how, ...(JSON_SPELLINGS[how] ?? whole)(text, random) };
}

function jsonOf(data: unknown): string {
  try {
    return JSON.stringify(data) ?? 'null';
  } catch {
    // Nested deeper than the stack.
    return nest('0', 20_000);
  }
}

const nest = (text: string, levels: number) => `${'['.repeat(levels)}${text}${']'.repeat(levels)}`;
const escaped = (c: string) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`;
const escapedText = (character: string) =>
  Array.from({ length: character.length }, (_, i) => escaped(character.charAt(i))).join('');

/** Changes to a text of lines by name. */
const LINE_CHANGES: Readonly<Record<string, (lines: string[], place: number, random: Random) => void>> = {
  repeat: (lines, place, random) =>
    lines.splice(place, 0, ...Array<string>(1 + times(random)).fill(lines[place] ?? '')),
  delete: (lines, place) => lines.splice(place, 1),
  move: (lines, place, random) => lines.splice(place, 0, ...lines.splice(Math.floor(random() * lines.length), 1)),
  indent: (lines, place, random) => {
    lines[place] = `${pick([' ', '  ', '\t', '- ', '? '], random)}${lines[place]}`;
  },
  piece: (lines, place, random) => {
    lines[place] = withPiece(lines[place] ?? '', random);
  },
  feature: (lines, place, random) => {
    const feature = pick(['&a', '*a', '!!str', '!!js/function', '!x', '<<: *a', '|', '>-', '%YAML 1.1', '---'], random);
    lines[place] = (lines[place] ?? '').replace(/(?<=: |^\s*- |^)/, `${feature} `);
  },
  cut: (lines, place) => lines.splice(place),
  byteOrderMark: (lines, place) => {
    lines[place] = `\ufeff${lines[place]}`;
  },
  brackets: (lines, place, random) => {
    lines[place] =
      `${lines[place]}${pick(['[', '{a: ', '- ', '? ', '(', '{{'], random).repeat(1 + times(random, 20_000))}`;
  },
};

/** A text of lines with up to three changes. */
export function changeLines(text: string, random: Random): { readonly how: string; readonly text: string } {
  const lines = text.split('\n');
  const hows: string[] = [];
  for (let i = Math.floor(random() * 4); i > 0; i--) {
    const how = pick(Object.keys(LINE_CHANGES), random);
    LINE_CHANGES[how]?.(lines, Math.floor(random() * lines.length), random);
    hows.push(how);
  }
  return { how: hows.join(', ') || 'plain', text: lines.join('\n') };
}

/** YAML of data, in its block style, its flow style or as JSON. */
export function yamlOf(data: unknown, random: Random): string {
  try {
    return random() < 0.2 ? JSON.stringify(data, null, 2) : stringify(data, { lineWidth: 0 });
  } catch {
    return jsonOf(data);
  }
}
