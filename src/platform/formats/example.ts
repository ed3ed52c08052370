/** A format -> values of it; a part of a text -> a value that has the part, or the part as values have it. */

import { type Format, readFormat } from './format.ts';

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];

/** Countries with many telephone numbers, so that examples are familiar. */
const LARGE_COUNTRIES =
  'us gb in br de jp fr it es mx id tr kr pl ca ng za au nl eg ke ar co ro be se pt gr cz at ch ie nz'.split(' ');

/** Different values of a format that are easy to recognise as examples; as many as there are. */
export function* examplesOf(format: Format): Generator<string> {
  if (format === 'country') {
    yield* LARGE_COUNTRIES;
    const codes = LETTERS.flatMap((first) => LETTERS.map((second) => first + second));
    for (const code of codes) if (!LARGE_COUNTRIES.includes(code) && 'value' in readFormat(format, code)) yield code;
    return;
  }
  for (let n = 0; n < 1_000_000; n++) yield EXAMPLES[format](n);
}

const EXAMPLES: Readonly<Record<Exclude<Format, 'country'>, (n: number) => string>> = {
  // Numbers from 1-202-555-0100 on are kept free for fiction.
  phone: (n) => String(12025550100 + n),
  email: (n) => `other${n === 0 ? '' : n}@mail.example`,
  domain: (n) => `other${n === 0 ? '' : n}.example`,
  ip: (n) => `203.0.${113 + (n >> 8)}.${n & 255}`,
};

/** Where a part is expected in a text. */
export type Placement = 'startsWith' | 'endsWith' | 'contains';

/**
 * A value of the format that has a folded text in a place. Without an `example`, no value has it; `corrected` is then
 * the part as values have it, if it is known.
 */
export interface PartReading {
  readonly example?: string;
  readonly corrected?: string;
}

/** The texts before and after a part that complete most parts to a value. */
const SURROUNDINGS: Readonly<
  Record<Format, { readonly before: readonly string[]; readonly after: readonly string[] }>
> = {
  phone: { before: ['', '9', '999', '1202555'], after: ['', '5', '555', '555555', '5555555'] },
  email: { before: ['', 'a', 'a@', 'a@a', 'a@a.'], after: ['', 'a', '@a', 'a@a', '.a', '.a@a'] },
  domain: { before: ['', 'a', 'a.'], after: ['', 'a', '.a'] },
  ip: {
    before: ['', '1', '1.', '1.1', '1.1.', '1.1.1', '1.1.1.'],
    after: ['', '1', '.1', '1.1', '.1.1', '1.1.1', '.1.1.1'],
  },
  country: { before: ['', ...LETTERS], after: ['', ...LETTERS] },
};

/** Looks for a value that has a part. */
export function readPart(format: Format, part: string, placement: Placement): PartReading {
  let corrected: string | undefined;
  for (const [before, after] of surroundings(format, placement)) {
    // A value cannot be found by trial if only some letters make a label valid: any punycode is assumed to be valid.
    const text = before + part.replace(/(?<=^|[@.])xn--[a-z0-9-]*/g, 'a') + after;
    const read = readFormat(format, text);
    if (!('value' in read)) continue;
    if (read.value === text) return { example: before + part + after };
    const isFramed = read.value.startsWith(before) && read.value.endsWith(after);
    const inner = read.value.slice(before.length, read.value.length - after.length);
    if (isFramed && inner !== '') corrected ??= inner;
  }
  return corrected === undefined ? withoutWildcard(format, part, placement) : { corrected };
}

/** Reads a part without its wildcard: values end with `.ru`, not `*.ru`. */
function withoutWildcard(format: Format, part: string, placement: Placement): PartReading {
  const bare = part.replaceAll('*', '');
  if (bare === part || bare === '') return {};
  const { example, corrected } = readPart(format, bare, placement);
  return example !== undefined ? { corrected: bare } : corrected === undefined ? {} : { corrected };
}

/** The texts before and after a part in a place, the shortest first. */
function surroundings(format: Format, placement: Placement): readonly (readonly [string, string])[] {
  const { before, after } = SURROUNDINGS[format];
  const starts = placement === 'startsWith' ? [''] : before;
  const ends = placement === 'endsWith' ? [''] : after;
  return starts.flatMap((start) => ends.map((end) => [start, end] as const));
}
