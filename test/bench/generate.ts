/** A seed -> policies with any number of rules over the catalog, and applicants for whom few of these rules fire. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { formatDiagnostic } from '../../src/diagnostics.ts';
import { CATALOG_TABLE, LEVELS } from '../../src/facts/catalog.ts';
import { dayNumber, dayOfNumber } from '../../src/facts/day.ts';
import type { Facts, FactValue, GivenFact } from '../../src/facts/fact.ts';
import { markRead, newFacts } from '../../src/facts/fact-reader.ts';
import { readFacts } from '../../src/facts/read.ts';
import type { Outcome, Policy } from '../../src/policy/language.ts';
import { readPolicy } from '../../src/policy/load.ts';
import type { PlainCondition, PlainPolicy, PlainRule } from '../support/runners/plain.ts';
import { type Die, dice, pick, shuffle } from './dice.ts';
import { BENCH_FACTS, type BenchFact, type Choices, type Quantile, ROUND_AGES } from './population.ts';

/** The day of all decisions. */
export const DAY = '2026-11-20';

/** The share of rules with some tests under `any` or `not`. */
const NESTED = 0.3;
/** The chance that a test of a flat rule holds: with three to six tests, about one rule in a hundred fires. */
const USUAL: Odds = [0.1, 0.5];
/** The chance for tests next to an `any` or `not`, which holds more often than a single test. */
const BESIDE: Odds = [0.05, 0.35];
/** The chance for the parts of an `any` or `not`. */
export const ONE_OF_SEVERAL: Odds = [0.05, 0.3];

/** The reader refuses larger files. */
const MOST_RULES_A_FILE = 2000;

/** The least and the greatest chance that a test holds. */
export type Odds = readonly [least: number, most: number];

/** A policy as plain data. */
export function generatePolicy(rules: number, seed: number): PlainPolicy {
  const die = dice(seed);
  return {
    default: 'accept',
    score: { review: 40, reject: 200 },
    rules: Array.from({ length: rules }, (_, i) => generateRule(i + 1, die)),
  };
}

/** Writes a policy as YAML and reads it with the project's own reader. Throws if it has errors. */
export function readGenerated(plain: PlainPolicy): Policy {
  const folder = mkdtempSync(join(tmpdir(), 'verdict-bench-'));
  try {
    const { policy, diagnostics } = readPolicy(writeGenerated(plain, folder));
    if (!policy) throw new Error(diagnostics.map(formatDiagnostic).join('\n'));
    return policy;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Writes a policy into a folder, with its rules in rule sets; gives its path. */
export function writeGenerated({ rules = [], ...rest }: PlainPolicy, folder: string): string {
  const sets = Array.from({ length: Math.ceil(rules.length / MOST_RULES_A_FILE) }, (_, i) => ({
    name: `rules-${i + 1}.yaml`,
    rules: rules.slice(i * MOST_RULES_A_FILE, (i + 1) * MOST_RULES_A_FILE),
  }));
  const write = (name: string, data: unknown) =>
    writeFileSync(join(folder, name), stringify(data, { aliasDuplicateObjects: false }));
  for (const set of sets) write(set.name, { rules: set.rules });
  write('policy.yaml', { policy: 'generated', version: '1', ...rest, ruleSets: sets.map(({ name }) => name) });
  return join(folder, 'policy.yaml');
}

/** Applicants with this share of their facts missing. The same seed gives the same people, whatever that share is. */
export function generateApplicants(count: number, missing: number, seed: number): readonly Facts[] {
  const die = dice(seed);
  return Array.from({ length: count }, () => {
    const given = BENCH_FACTS.map((fact): [string, GivenFact] => {
      const value = draw(fact, die());
      return [fact.path, die() < missing ? { missing: 'notReturned' } : { value }];
    });
    // Facts arrive as JSON. The copy also ensures that no text is the same object as a text of the policy.
    const read = JSON.parse(JSON.stringify(given)) as [string, GivenFact][];
    const facts = readFacts(new Map(read), CATALOG_TABLE, DAY);
    const kept = newFacts(new Map([...facts].filter(([path]) => BENCH_FACTS.some((fact) => fact.path === path))));
    // As `readFacts` marks its own, or each value would be read again at each decision.
    return markRead(kept, CATALOG_TABLE, DAY);
  });
}

/** A fact's value at a quantile (0 to 1) of its distribution. */
export function draw(fact: BenchFact, at: number): FactValue {
  switch (fact.kind) {
    case 'choice': {
      let rest = at;
      for (const [value, weight] of fact.values) {
        rest -= weight;
        if (rest < 0) return value;
      }
      return fact.values[0]?.[0] ?? '';
    }
    case 'number':
      return fact.quantile(at);
    case 'date':
      return dayOfNumber(dayNumber(DAY) - fact.quantile(at));
  }
}

function generateRule(number: number, die: Die): PlainRule {
  const count = 3 + Math.floor(die() * 4);
  const facts = shuffle(BENCH_FACTS, die).slice(0, count);
  const shown = facts.find(({ path }) => !path.startsWith('applicant.'));
  const chance = die();
  // Six in ten ask for review, a quarter for reject; the others only add points.
  const then: Outcome | undefined = chance < 0.6 ? 'review' : chance < 0.85 ? 'reject' : undefined;
  return {
    id: `rule-${number}`,
    when: { all: die() < NESTED ? nest(facts, die) : facts.map((fact) => generateTest(fact, USUAL, die)) },
    ...(then === undefined ? {} : { then }),
    ...(then === 'reject' ? {} : { points: then === undefined ? 10 : 5 }),
    ...(shown ? { message: `Seen: {${shown.path}}.` } : {}),
  };
}

/** The last two or three facts under `any` or `not`. */
function nest(facts: readonly BenchFact[], die: Die): PlainCondition[] {
  const inner = facts.slice(facts.length - (facts.length > 4 ? 3 : 2));
  const outer = facts.slice(0, facts.length - inner.length).map((fact) => generateTest(fact, BESIDE, die));
  const tests = inner.map((fact) => generateTest(fact, ONE_OF_SEVERAL, die));
  const [one, ...others] = tests;
  const forms: readonly PlainCondition[][] = [
    [{ any: tests }],
    [{ any: others }, ...(one ? [{ not: one }] : [])],
    [{ any: [...(one ? [one] : []), { all: others }] }],
    [{ not: { any: tests } }],
  ];
  return [...outer, ...pick(forms, die)];
}

/** A test of a fact that holds with a chance between the odds, as far as its values allow. */
export function generateTest(fact: BenchFact, [least, most]: Odds, die: Die): PlainCondition {
  const chance = least + die() * (most - least);
  return { [fact.path]: askedOf(fact, chance, die) };
}

function askedOf(fact: BenchFact, chance: number, die: Die): unknown {
  if (fact.kind === 'date') return askedOfDate(fact.quantile, chance, die);
  if (fact.kind === 'number') return askedOfNumber(fact.quantile, chance, die);
  const isLevel = CATALOG_TABLE.get(fact.path)?.type === 'level';
  return (isLevel ? askedOfLevel : askedOfChoice)(fact.values, chance, die);
}

function askedOfDate(quantile: Quantile, chance: number, die: Die): unknown {
  if (die() < 0.5) return { withinLast: `${roundAge(quantile(chance))} days` };
  return { olderThan: `${roundAge(quantile(1 - chance))} days` };
}

function askedOfNumber(quantile: Quantile, chance: number, die: Die): unknown {
  // Whole limits, as people write them.
  const limit = (at: number) => Math.round(quantile(at));
  const from = die() * (1 - chance);
  const forms = [
    { above: limit(1 - chance) },
    { atLeast: limit(1 - chance) },
    { below: limit(chance) },
    { atMost: limit(chance) },
    { between: [limit(from), limit(from + chance)] },
  ];
  return pick(forms, die);
}

function askedOfChoice(values: Choices, chance: number, die: Die): unknown {
  // Take values until their weights add up to the chance, but never all values.
  const taken: FactValue[] = [];
  let weight = 0;
  for (const [value, more] of shuffle(values, die)) {
    if (taken.length > 0 && (weight + more > chance || taken.length === values.length - 1)) break;
    taken.push(value);
    weight += more;
  }
  if (taken.length === 1) return { is: taken[0] };
  const rest = values.map(([value]) => value).filter((value) => !taken.includes(value));
  if (die() < 0.8 || rest.length > 4) return { in: taken };
  return rest.length === 1 ? { isNot: rest[0] } : { notIn: rest };
}

function askedOfLevel(values: Choices, chance: number, die: Die): unknown {
  const weightOf = (from: number, to: number) =>
    values.slice(from, to + 1).reduce((sum, [, weight]) => sum + weight, 0);
  const ranges = LEVELS.flatMap((_, from) => LEVELS.slice(from).map((_, more) => [from, from + more] as const));
  const proper = ranges.filter(([from, to]) => to - from < LEVELS.length - 1);
  const distance = ([from, to]: readonly [number, number]) => Math.abs(weightOf(from, to) - chance);
  // One of the three ranges whose weight is nearest to the chance.
  const [from, to] = pick(proper.toSorted((a, b) => distance(a) - distance(b)).slice(0, 3), die);
  if (to === LEVELS.length - 1) return die() < 0.5 ? { atLeast: LEVELS[from] } : { above: LEVELS[from - 1] };
  if (from === 0) return die() < 0.5 ? { atMost: LEVELS[to] } : { below: LEVELS[to + 1] };
  return from === to ? { is: LEVELS[from] } : { between: [LEVELS[from], LEVELS[to]] };
}

function roundAge(days: number): number {
  return ROUND_AGES.find((age) => age >= days) ?? ROUND_AGES.at(-1) ?? days;
}
