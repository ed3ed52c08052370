/** A seed and an answer -> the answer with parts removed, added, swapped or replaced by hostile values. */

/** Returns a number in [0, 1). */
export type Random = () => number;

/** Always the same numbers for the same seed (mulberry32). */
export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function pick<Item>(items: readonly Item[], random: Random): Item {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
}

/** The steps to a value in an answer. */
export type Path = readonly (string | number)[];

/** The steps to every value within a JSON value, except the value itself. */
export function pathsIn(value: unknown, path: Path = []): Path[] {
  const here = path.length > 0 ? [path] : [];
  if (typeof value !== 'object' || value === null) return here;
  const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  return [...here, ...keys.flatMap((key) => pathsIn((value as Container)[key], [...path, key]))];
}

type Container = Record<string | number, unknown>;

/** Means that the value is removed. */
export const GONE = Symbol('gone');

/** A copy with another value at a path, or without it; unchanged if the path no longer exists. */
export function change(body: unknown, [key, ...rest]: Path, value: unknown): unknown {
  if (typeof body !== 'object' || body === null || key === undefined || !Object.hasOwn(body, key)) return body;
  const copy = (Array.isArray(body) ? [...body] : { ...body }) as Container;
  if (rest.length > 0) copy[key] = change(copy[key], rest, value);
  else if (value !== GONE) copy[key] = value;
  else if (Array.isArray(copy)) copy.splice(Number(key), 1);
  else delete copy[key];
  return copy;
}

/** The value at a path. */
export function at(body: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, key) => (value as Container | undefined)?.[key], body);
}

/** A mutated answer: its JSON value, or a text to parse. */
export type Mutant = { readonly body: unknown } | { readonly text: string };

/** Mutates an answer; `paths` are the steps to all its values. */
type Mutation = (body: unknown, paths: readonly Path[], random: Random) => Mutant;

const someTimes = (random: Random) => 1 + Math.floor(random() * 3);

/** Changes one to three values. */
function changing(value: (found: unknown, random: Random) => unknown): Mutation {
  return (body, paths, random) => {
    let changed = body;
    for (let i = someTimes(random); i > 0; i--) {
      const path = pick(paths, random);
      changed = change(changed, path, value(at(changed, path), random));
    }
    return { body: changed };
  };
}

const NEST = [2, 20, 99, 1000, 20_000] as const;
const SIZES = [201, 10_000, 300_000] as const;
const HUGE = 5_000_000;
const FILL = ['x', ' ', '1', 'é', '\u{1F600}', '\uD800', 'a ', '[', '1;', ' of '] as const;

/** Hostile texts and numbers. */
const TEXTS: readonly unknown[] = [
  ...['', ' ', '\u00a0', '\ufeff', 'N/A', '-', 'never', 'null', 'true', 'undefined', '[object Object]', '\uD800', '\0'],
  ...[
    'NaN',
    'Infinity',
    '-Infinity',
    '1e400',
    '-1e400',
    '1,234.5',
    '1e1',
    '0x1f',
    '+',
    '--1',
    '١٢',
    '9007199254740993',
  ],
  ...['-0', '62/0', '0/0', '1/2/3', '101%', '-1%', '91 N', '36 S S', '1'.repeat(101), '0.'.padEnd(150, '1')],
  ...['constructor', '__proto__', 'toString', 'hasOwnProperty', 'length', 'prototype'],
  ...[
    Number.NaN,
    Number.POSITIVE_INFINITY,
    -0,
    0,
    -1,
    0.1,
    1e308,
    2 ** 53,
    -(2 ** 53),
    Number.MIN_VALUE,
    101,
    20_240_230,
  ],
];

const DAYS: readonly unknown[] = [
  ...[
    '2024-02-30',
    '2023-02-29',
    '2100-02-29',
    '0000-00-00',
    '2019-13-01',
    '2019-00-10',
    '2019-3-4',
    '2019-03',
    '2019',
  ],
  ...['9999-12-31', '10000-01-01', '2025-11-21', '2025-11-22', '2025-11-20', '30/02/2024', '31/04/2019', '00/01/2019'],
  ...['31 Apr 2019', '4 Foo 2019', '2024-02-30T00:00:00Z', '2019-03-14T25:00:00Z', '1970-01-01T00:00:00Z', 0, -1],
];

const OTHER_TYPES: readonly unknown[] = [
  true,
  false,
  0,
  1,
  -1,
  'zzz',
  '',
  [],
  {},
  [[]],
  [null],
  { value: 'low' },
  null,
];

/** Keys that a careless reader looks up on a prototype. */
const PROTO = [
  '{"__proto__":{"riskLevel":"low","value":0,"missing":"x","length":3}}',
  '{"constructor":{"prototype":{"x":1}},"length":-1,"toString":null}',
  '{"hasOwnProperty":1,"valueOf":2,"toJSON":3,"0":"a","length":1}',
].map((text): unknown => JSON.parse(text));

/** The mutations by name. */
export const MUTATIONS = {
  delete: changing(() => GONE),
  null: changing(() => null),
  mistype: changing((_, random) => pick(OTHER_TYPES, random)),
  wrap: changing((found, random) => (random() < 0.5 ? [found] : { value: found })),
  text: changing((_, random) => pick(TEXTS, random)),
  day: changing((_, random) => pick(DAYS, random)),
  nest: changing((found, random) => nested(found, pick(NEST, random))),
  fill: changing((_, random) => filled(pick(FILL, random), pick(SIZES, random))),
  huge: (body, paths, random) => ({ body: change(body, pick(paths, random), filled(pick(FILL, random), HUGE)) }),
  proto: changing((found, random) => {
    const own = pick(PROTO, random);
    if (random() < 0.5 || typeof found !== 'object' || found === null) return own;
    return Object.defineProperties(
      {},
      { ...Object.getOwnPropertyDescriptors(found), ...Object.getOwnPropertyDescriptors(own) },
    );
  }),
  duplicate: (body, paths, random) => {
    const lists = paths.filter((path) => Array.isArray(at(body, path)));
    const path = lists.length > 0 ? pick(lists, random) : pick(paths, random);
    const found = at(body, path);
    const entries = Array.isArray(found) ? found : [found];
    return {
      body: change(
        body,
        path,
        entries.toSpliced(Math.floor(random() * entries.length), 0, pick([...entries, 0], random)),
      ),
    };
  },
  swap: (body, paths, random) => {
    const [one, other] = [pick(paths, random), pick(paths, random)];
    const [a, b] = [at(body, one), at(body, other)];
    return { body: change(change(body, one, b), other, a) };
  },
  duplicateKey: (body, paths, random) => {
    const keys = paths.filter((path) => typeof path.at(-1) === 'string');
    const key = JSON.stringify(pick(keys, random).at(-1));
    const text = JSON.stringify(body);
    const places = [...text.matchAll(/[{,](?=")/g)].map(({ index }) => index + 1);
    const place = pick(places, random);
    const value = pick(['null', '"low"', '0', '{}', '[]', '"2019-03-14"'], random);
    return { text: `${text.slice(0, place)}${key}:${value},${text.slice(place)}` };
  },
  number: (body, _paths, random) => {
    const text = JSON.stringify(body);
    const numbers = [...text.matchAll(/(?<=[:[,])-?\d[\d.]*(?=[,}\]])/g)];
    const { index, 0: found } = numbers.length > 0 ? pick(numbers, random) : { index: 0, 0: '' };
    const other = pick(
      ['1e400', '-1e400', '1E2', '-0', '0.1e1', '1e-400', '123456789012345678901234567890', '01', 'NaN'],
      random,
    );
    return { text: `${text.slice(0, index)}${other}${text.slice(index + found.length)}` };
  },
  cut: (body, _paths, random) => {
    const text = JSON.stringify(body);
    return { text: text.slice(0, Math.floor(random() * text.length)) };
  },
} as const satisfies Readonly<Record<string, Mutation>>;

export type MutationName = keyof typeof MUTATIONS;

const ORDINARY = (Object.keys(MUTATIONS) as MutationName[]).filter((name) => name !== 'huge');

/** Few mutations are huge, because five megabytes take long. */
const HUGE_EVERY = 2000;

/** A random mutation and the mutated answer. */
export function mutate(
  body: unknown,
  paths: readonly Path[],
  random: Random,
): Mutant & { readonly name: MutationName } {
  const name = random() < 1 / HUGE_EVERY ? 'huge' : pick(ORDINARY, random);
  return { name, ...MUTATIONS[name](body, paths, random) };
}

function nested(value: unknown, depth: number): unknown {
  let whole = value;
  for (let i = 0; i < depth; i++) whole = i % 2 === 0 ? [whole] : { value: whole };
  return whole;
}

const fills = new Map<string, string>();

/** Cached, because they are always the same. */
function filled(part: string, length: number): string {
  const key = `${length} ${part}`;
  const text = fills.get(key) ?? part.repeat(Math.ceil(length / part.length));
  fills.set(key, text);
  return text;
}
