/** Small policies over facts with few values -> the outcome of every possible applicant, by the reference. */

import * as fc from 'fast-check';
import type { FactValue } from '../../../src/facts/fact.ts';
import { OUTCOMES, type Outcome } from '../../../src/policy/language.ts';
import { oneOf } from '../runners/literals.ts';
import type {
  PlainCondition,
  PlainDefinition,
  PlainFact,
  PlainFacts,
  PlainPolicy,
  PlainRule,
} from '../runners/plain.ts';
import { referenceVerdict } from '../runners/reference.ts';

/** The day of all decisions. */
export const DAY = '2026-11-20';

const LEVELS = ['veryLow', 'low', 'medium', 'high', 'veryHigh'];
const DAYS = ['2026-11-14', '2026-11-15', '2026-11-16', '2026-11-17', '2026-11-18', '2026-11-19', DAY, '2026-11-21'];
const SINCE = ['2021-11-20', '2021-11-21', '2023-11-20', '2024-09-10', '2024-09-11', '2024-11-20', '2024-11-21'].concat(
  ['2025-10-16', '2026-11-19', DAY, '2026-11-21'],
);
const TEXTS = ['ab', 'abc', 'b', 'zz', 'zz2', 'x.b', 'x.ab'];
/** Every combination of: starts with ab, contains c, ends with b, is ab. */
const PATTERN_TEXTS = ['ab', 'abcb', 'abc', 'abb', 'abz', 'cab', 'c', 'b', 'zz'];

/** A fact: its declaration, its values, and the tests that policies may have of it. */
interface SmallFact {
  readonly definition: PlainDefinition;
  readonly values: readonly FactValue[];
  readonly asked: fc.Arbitrary<unknown>;
}

const aNumber = fc.integer({ min: 1, max: 4 });
const comparisons = (other: string, operators: readonly string[]) =>
  oneOf(operators).map((operator) => ({ [operator]: { fact: other } }));
const ordered = (literal: fc.Arbitrary<unknown>) =>
  oneOf(['is', 'isNot', 'above', 'atLeast', 'below', 'atMost']).chain((name) =>
    literal.map((value) => ({ [name]: value })),
  );
const ORDERED = ['is', 'isNot', 'above', 'atLeast', 'below', 'atMost'];
const known = fc.boolean().map((value) => ({ known: value }));

/** All values that the policies below can tell apart; numbers extend beyond the literals on both sides. */
const SMALL_FACTS: Readonly<Record<string, SmallFact>> = {
  'context.count': {
    definition: { type: 'integer' },
    values: [-2, -1, 0, 1, 2, 3, 4, 5, 6, 7],
    asked: fc.oneof(
      { weight: 4, arbitrary: ordered(aNumber) },
      fc.tuple(aNumber, aNumber).map((ends) => ({ between: ends.sort() })),
      comparisons('context.number', ORDERED),
      known,
    ),
  },
  'context.number': {
    definition: { type: 'number' },
    values: [-1.5, -1, 0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 5, 5.5, 7, 8],
    asked: fc.oneof({ weight: 3, arbitrary: ordered(aNumber) }, comparisons('context.count', ORDERED), known),
  },
  'context.level': {
    definition: { type: 'level' },
    values: LEVELS,
    asked: fc.oneof(ordered(oneOf(LEVELS)), comparisons('context.other', ORDERED)),
  },
  'context.other': { definition: { type: 'level' }, values: LEVELS, asked: ordered(oneOf(LEVELS)) },
  'context.flag': { definition: { type: 'boolean' }, values: [true, false], asked: fc.oneof(fc.boolean(), known) },
  'context.kind': {
    definition: { type: 'enum', values: ['p', 'q', 'r', 's'] },
    values: ['p', 'q', 'r', 's'],
    asked: fc.oneof(
      oneOf(['p', 'q', 'r']),
      fc.subarray(['p', 'q', 'r'], { minLength: 1 }).map((values) => ({ notIn: values })),
    ),
  },
  'context.day': {
    definition: { type: 'date' },
    values: [...DAYS, 'never'],
    asked: fc.oneof(
      fc.integer({ min: 0, max: 4 }).map((days) => ({ withinLast: `${days} days` })),
      fc.integer({ min: 0, max: 4 }).map((days) => ({ olderThan: `${days} days` })),
      oneOf(['before', 'after', 'is']).chain((name) => oneOf(DAYS.slice(1, 7)).map((day) => ({ [name]: day }))),
      fc.boolean().map((value) => ({ never: value })),
    ),
  },
  // Computed: its operands are the facts that change.
  'context.gap': {
    definition: { type: 'number', compute: { difference: ['context.number', 'context.count'] } },
    values: [],
    asked: ordered(fc.integer({ min: -2, max: 2 })),
  },
  // Ages in years, ages in days and one calendar day cut it; of each cell one day.
  'context.since': {
    definition: { type: 'date' },
    values: [...SINCE, 'never'],
    asked: fc.oneof(
      ordered(aNumber).map((tests) => ({ yearsSince: tests })),
      fc.tuple(aNumber, aNumber).map(([least, not]) => ({ yearsSince: { atLeast: least - 1, isNot: not } })),
      oneOf(['before', 'after']).map((name) => ({ [name]: '2024-11-20' })),
      oneOf([0, 400, 800]).map((days) => ({ withinLast: `${days} days` })),
    ),
  },
  'context.text': {
    definition: { type: 'string' },
    values: TEXTS,
    asked: fc.oneof(
      oneOf(['ab', 'b']),
      oneOf(['first', 'second']).map((list) => ({ inList: list })),
      oneOf(['first', 'second']).map((list) => ({ notInList: list })),
      fc.constant({ inDomainList: 'first' }),
    ),
  },
  'context.pattern': {
    definition: { type: 'string' },
    values: PATTERN_TEXTS,
    asked: oneOf<unknown>([{ startsWith: 'ab' }, { contains: 'c' }, { endsWith: 'b' }, 'ab']),
  },
};

/** Many facts of two values, so that it takes several to change an outcome. */
const FLAGS: Readonly<Record<string, SmallFact>> = Object.fromEntries(
  Array.from({ length: 6 }, (_, i) => [
    `context.flag${i + 1}`,
    {
      definition: { type: 'boolean' as const },
      values: [true, false],
      asked: fc.oneof({ weight: 5, arbitrary: fc.boolean() }, { weight: 1, arbitrary: known }),
    },
  ]),
);

const KINDS = ['p', 'q', 'r', 's'];

/** Facts of four values, of which a test may accept any. */
const MANY_KINDS: Readonly<Record<string, SmallFact>> = Object.fromEntries(
  Array.from({ length: 5 }, (_, i) => [
    `context.kind${i + 1}`,
    {
      definition: { type: 'enum' as const, values: KINDS },
      values: KINDS,
      asked: fc.subarray(KINDS, { minLength: 1, maxLength: 3 }).map((values) => ({ in: values })),
    },
  ]),
);

/** A computed fact, and another that it is compared with. Not all values are here that policies can tell apart. */
const COMPUTED: Readonly<Record<string, SmallFact>> = {
  'context.span': {
    definition: { type: 'number', compute: { difference: ['context.number', 'context.count'] } },
    values: [],
    asked: comparisons('context.bound', ORDERED),
  },
  'context.bound': {
    definition: { type: 'number' },
    values: [-12, -1, 0, 1.5, 3, 12],
    asked: comparisons('context.span', ORDERED),
  },
};

/** Every fact of the small policies, by path. */
export const ALL_FACTS: Readonly<Record<string, SmallFact>> = { ...SMALL_FACTS, ...FLAGS, ...MANY_KINDS, ...COMPUTED };

const LISTS = {
  first: ['b', 'abc'],
  second: ['abc', { value: 'ab', until: '2026-11-01' }, { value: 'zz2', until: DAY }],
};

function aCondition(paths: readonly string[], depth: number): fc.Arbitrary<PlainCondition> {
  const tests = paths.map((path) => (ALL_FACTS[path] as SmallFact).asked.map((asked) => ({ [path]: asked })));
  const leaf: fc.Arbitrary<PlainCondition> = fc.oneof(...tests);
  if (depth === 0) return leaf;
  const parts = fc.array(aCondition(paths, depth - 1), { minLength: 1, maxLength: 3 });
  return fc.oneof(
    { weight: 3, arbitrary: leaf },
    { weight: 3, arbitrary: parts.map((all) => ({ all })) },
    { weight: 2, arbitrary: parts.map((any) => ({ any })) },
    { weight: 1, arbitrary: aCondition(paths, depth - 1).map((not) => ({ not })) },
    { weight: 1, arbitrary: parts.map((of) => ({ atLeastOf: { count: Math.ceil((of.length + 1) / 2), of } })) },
    { weight: depth > 1 ? 1 : 0, arbitrary: aWideCondition(leaf) },
  );
}

/** A condition whose disjunctive form is too large, so that it is evaluated as a whole. */
function aWideCondition(leaf: fc.Arbitrary<PlainCondition>): fc.Arbitrary<PlainCondition> {
  const choice = fc.array(leaf, { minLength: 2, maxLength: 3 }).map((any) => ({ any }));
  return fc.array(choice, { minLength: 7, maxLength: 7 }).map((all) => ({ all }));
}

function aRule(paths: readonly string[]): fc.Arbitrary<Omit<PlainRule, 'id'>> {
  return fc
    .record({
      when: aCondition(paths, 2),
      outcome: oneOf(['accept', 'review', 'review', 'reject', undefined] as const),
      points: oneOf([undefined, undefined, 1, 2, -1]),
      final: oneOf([true, false, false]),
      whenUnknown: oneOf([undefined, undefined, 'ignore'] as const),
      mode: oneOf([undefined, undefined, undefined, 'shadow'] as const),
      days: oneOf([{}, {}, {}, { until: '2026-11-01' }, { from: DAY }]),
    })
    .map(({ when, outcome: then, points, final, whenUnknown, mode, days }) => {
      const adds = then === undefined ? (points ?? 1) : then === 'accept' ? points : points && Math.abs(points);
      return {
        when,
        ...(then ? { then } : {}),
        ...(adds === undefined ? {} : { points: adds }),
        ...(then && final ? { final } : {}),
        ...(whenUnknown ? { whenUnknown } : {}),
        ...(mode ? { mode } : {}),
        ...days,
      };
    });
}

/** A policy, and applicants. */
export interface SmallCase {
  readonly policy: PlainPolicy;
  readonly paths: readonly string[];
  readonly applicants: readonly PlainFacts[];
}

/** The most applicants in one table. */
const MOST_APPLICANTS = 6000;

const somePaths = fc.oneof(
  fc.shuffledSubarray(Object.keys(SMALL_FACTS), { minLength: 2, maxLength: 5 }).map(withinBounds),
  fc.shuffledSubarray(Object.keys(FLAGS), { minLength: 4, maxLength: 6 }),
  fc.shuffledSubarray(Object.keys(MANY_KINDS), { minLength: 3, maxLength: 5 }),
);

const aCaseOf = (paths: readonly string[]): fc.Arbitrary<SmallCase> =>
  fc.record({
    policy: fc
      .record({
        default: oneOf(['accept', 'accept', 'review', 'reject'] as const),
        rules: fc.array(aRule(paths), { minLength: 1, maxLength: 8 }),
        score: oneOf([undefined, { review: 1 }, { review: 1, reject: 3 }, { reject: 2 }]),
      })
      .map(({ rules, score, ...rest }) => ({
        ...rest,
        ...(score ? { score } : {}),
        lists: LISTS,
        facts: Object.fromEntries(Object.entries(ALL_FACTS).map(([path, { definition }]) => [path, definition])),
        rules: rules.map((rule, i) => ({ id: `rule-${i}`, ...rule })),
      })),
    paths: fc.constant(givenOf(paths)),
    applicants: fc.array(anApplicant(givenOf(paths)), { minLength: 4, maxLength: 4 }),
  });

export const aSmallCase = somePaths.chain(aCaseOf);

/** A computed fact is compared with another, of which the table does not have all values. */
export const aComparedCase = aCaseOf(['context.span', 'context.bound']);

/** By fact, another that it may be compared with, which then belongs to the case too. */
const COMPARED: Readonly<Record<string, string>> = {
  'context.count': 'context.number',
  'context.number': 'context.count',
  'context.level': 'context.other',
};

/** Many rules over four facts of four values: most ask for something, so that it takes several facts to be accepted. */
export const aDenseCase: fc.Arbitrary<SmallCase> = fc.constant(Object.keys(MANY_KINDS).slice(0, 4)).chain((paths) => {
  const asked = (path: string) => (MANY_KINDS[path] as SmallFact).asked.map((values) => ({ [path]: values }));
  const when = fc
    .shuffledSubarray(paths, { minLength: 1, maxLength: 3 })
    .chain((some) => fc.tuple(...some.map(asked)))
    .map((all) => ({ all }));
  const effect = fc.oneof(
    {
      weight: 8,
      arbitrary: oneOf(['review', 'review', 'review', 'reject', 'accept'] as const).map((then) => ({ then })),
    },
    { weight: 3, arbitrary: oneOf([1, 2, -1]).map((points) => ({ points })) },
    { weight: 1, arbitrary: oneOf(['accept'] as const).map((then) => ({ then, final: true })) },
  );
  const rules = fc.array(fc.tuple(when, effect), { minLength: 4, maxLength: 12 });
  return fc.record({
    policy: fc.tuple(rules, oneOf(['accept', 'accept', 'review'] as const)).map(([all, fallback]) => ({
      default: fallback,
      score: { review: 1, reject: 4 },
      facts: Object.fromEntries(paths.map((path) => [path, (MANY_KINDS[path] as SmallFact).definition])),
      rules: all.map(([condition, does], i) => ({ id: `rule-${i}`, when: condition, ...does })),
    })),
    paths: fc.constant(paths),
    applicants: fc.array(anApplicant(paths), { minLength: 4, maxLength: 4 }),
  });
});

/** The facts that are given, for facts that are asked about. */
function givenOf(paths: readonly string[]): string[] {
  return [
    ...new Set(
      paths.flatMap((path) => (ALL_FACTS[path]?.definition.compute ? ['context.number', 'context.count'] : path)),
    ),
  ];
}

/** As many of the facts as fit into one table. */
function withinBounds(paths: readonly string[]): string[] {
  const kept = new Set<string>();
  for (const path of paths) {
    const together = new Set([...kept, path, COMPARED[path] ?? path]);
    const size = givenOf([...together]).reduce(
      (product, each) => product * ((ALL_FACTS[each]?.values.length ?? 0) + 1),
      1,
    );
    if (size <= MOST_APPLICANTS) for (const each of together) kept.add(each);
  }
  return [...kept];
}

function anApplicant(paths: readonly string[]): fc.Arbitrary<PlainFacts> {
  const inner = (path: string) => {
    const { values, definition } = ALL_FACTS[path] as SmallFact;
    return definition.type === 'integer' || definition.type === 'number'
      ? values.filter((value) => Number(value) >= 0 && Number(value) <= 5)
      : values;
  };
  return fc.record(
    Object.fromEntries(
      paths.map((path) => [
        path,
        fc.oneof(
          { weight: 4, arbitrary: oneOf(inner(path)).map((value): PlainFact => ({ value })) },
          { weight: 1, arbitrary: fc.constant<PlainFact>({ missing: 'sourceFailed' }) },
        ),
      ]),
    ),
  );
}

/** The outcomes of every combination of values and missing facts. */
export class Table {
  readonly #paths: readonly string[];
  readonly #options: readonly (readonly PlainFact[])[];
  readonly #outcomes: readonly Outcome[];

  constructor({ policy, paths }: SmallCase) {
    this.#paths = paths;
    this.#options = paths.map((path): PlainFact[] => [
      ...(ALL_FACTS[path] as SmallFact).values.map((value) => ({ value })),
      { missing: 'sourceFailed' },
    ]);
    const outcomes: Outcome[] = [];
    const fill = (chosen: readonly PlainFact[]): void => {
      const options = this.#options[chosen.length];
      if (options) for (const option of options) fill([...chosen, option]);
      else {
        const facts = Object.fromEntries(paths.map((path, i) => [path, chosen[i] as PlainFact]));
        outcomes.push(referenceVerdict(policy, facts, DAY).outcome);
      }
    };
    fill([]);
    this.#outcomes = outcomes;
  }

  #outcome(at: readonly number[]): Outcome {
    const index = at.reduce((sum, option, i) => sum * (this.#options[i]?.length ?? 0) + option, 0);
    return this.#outcomes[index] as Outcome;
  }

  #optionsOf(facts: PlainFacts): number[] {
    return this.#paths.map((path, i) =>
      (this.#options[i] ?? []).findIndex((option) => JSON.stringify(option) === JSON.stringify(facts[path])),
    );
  }

  outcomeOf(facts: PlainFacts): Outcome {
    return this.#outcome(this.#optionsOf(facts));
  }

  /**
   * The smallest sets of up to three changes that lead to an outcome with other values; empty if there are none. Each
   * set lists its facts. `together` are facts that change at once, to any values.
   */
  smallestChanges(facts: PlainFacts, to: Outcome, together: readonly string[] = []): string[][] {
    const now = this.#optionsOf(facts);
    const alone = this.#paths.flatMap((path, i) => (together.includes(path) ? [] : [[i]]));
    const units = together.length === 0 ? alone : [...alone, together.map((path) => this.#paths.indexOf(path))];
    for (let size = 1; size <= 3; size++) {
      const sets = combinations(units.length, size)
        .map((chosen) => chosen.flatMap((unit) => units[unit] as number[]))
        .filter((indexes) => this.#someReach(now, indexes, to));
      if (sets.length > 0) return sets.map((indexes) => indexes.map((index) => this.#paths[index] as string).sort());
    }
    return [];
  }

  /** The outcomes that some values of facts lead to, all of them known. */
  outcomesWith(facts: PlainFacts, paths: readonly string[]): Outcome[] {
    const now = this.#optionsOf(facts);
    const indexes = paths.map((path) => this.#paths.indexOf(path));
    return OUTCOMES.filter((outcome) => this.#someReach(now, indexes, outcome));
  }

  #someReach(now: readonly number[], indexes: readonly number[], to: Outcome): boolean {
    const [first, ...rest] = indexes;
    if (first === undefined) return this.#outcome(now) === to;
    // The last option is missing, which is not a value.
    const values = (this.#options[first]?.length ?? 1) - 1;
    return Array.from({ length: values }, (_, i) => i)
      .filter((option) => option !== now[first])
      .some((option) => this.#someReach(now.with(first, option), rest, to));
  }

  /** Whether any values lead to an outcome. */
  isReachable(facts: PlainFacts, to: Outcome): boolean {
    const now = this.#optionsOf(facts);
    const all = this.#paths.map((_, index) => index);
    return Array.from({ length: all.length + 1 }, (_, size) => size).some((size) =>
      combinations(all.length, size).some((indexes) => this.#someReach(now, indexes, to)),
    );
  }

  /** Whether some facts force the outcome of an applicant whatever the others are. */
  isForcedBy(facts: PlainFacts, paths: readonly string[]): boolean {
    const now = this.#optionsOf(facts);
    const outcome = this.#outcome(now);
    const free = this.#paths.flatMap((path, index) => (paths.includes(path) ? [] : [index]));
    const holds = (at: readonly number[], open: readonly number[]): boolean => {
      const [first, ...rest] = open;
      if (first === undefined) return this.#outcome(at) === outcome;
      return (this.#options[first] ?? []).every((_, option) => holds(at.with(first, option), rest));
    };
    return holds(now, free);
  }
}

/** Every choice of `size` of the numbers below `count`. */
function combinations(count: number, size: number, from = 0): number[][] {
  if (size === 0) return [[]];
  return Array.from({ length: Math.max(0, count - from) }, (_, i) => from + i).flatMap((first) =>
    combinations(count, size - 1, first + 1).map((rest) => [first, ...rest]),
  );
}
