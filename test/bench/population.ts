/** The fact catalog -> a distribution of values for each fact of the benchmark's applicants. */

import { CATALOG_TABLE, type FactDefinition, LEVELS } from '../../src/facts/catalog.ts';
import type { FactValue } from '../../src/facts/fact.ts';

/** Values with their weights, which add up to 1. */
export type Choices = readonly (readonly [value: FactValue, weight: number])[];

/** Maps a quantile (0 to 1) to a number, or to the age of a date in days. */
export type Quantile = (at: number) => number;

/** The distribution of a fact's values. */
type Spread =
  | { readonly kind: 'choice'; readonly values: Choices }
  | { readonly kind: 'number'; readonly quantile: Quantile }
  | { readonly kind: 'date'; readonly quantile: Quantile };

/** A fact and its distribution. */
export type BenchFact = Spread & { readonly path: string };

/** Ages that people write into rules, in days. */
export const ROUND_AGES: readonly number[] = [
  1, 2, 3, 5, 7, 10, 14, 21, 30, 45, 60, 90, 120, 180, 270, 365, 540, 730, 1095, 1460, 1825, 2555, 3650,
];

const OPERATORS = [
  'Alder Mobile',
  'Birch Telecom',
  'Cedar Wireless',
  'Dune Mobile',
  'Elm Networks',
  'Fjord Tel',
  'Gorse Mobile',
  'Heath Telecom',
  'Inlet Wireless',
  'Juniper Mobile',
  'Knoll Tel',
  'Lagoon Mobile',
];
const COUNTRIES = 'GB US DE FR ES IT NL PL SE IE PT BR IN NG KE ZA AU CA MX JP'.split(' ');
const PROVIDERS = Array.from({ length: 24 }, (_, i) => `Provider ${i + 1}`);
const DOMAINS = Array.from({ length: 40 }, (_, i) => `mail-${i + 1}.example`);

/** Values for facts of type string, for which the catalog lists none. */
const TEXTS: Readonly<Record<string, readonly string[]>> = {
  'applicant.emailDomain': DOMAINS,
  'phone.operator.current': OPERATORS,
  'phone.operator.original': OPERATORS,
  'phone.country': COUNTRIES,
  'ip.country': COUNTRIES,
  'ip.isp': PROVIDERS,
};

/** The chance of true, if it is not one half. */
const MOSTLY: Readonly<Record<string, number>> = {
  'phone.valid': 0.9,
  'phone.operator.changed': 0.2,
  'ip.matchesPhoneCountry': 0.8,
  'identity.verified': 0.8,
};

/** Most risks are low. */
const LEVEL_WEIGHTS = [0.3, 0.3, 0.2, 0.13, 0.07];

/** The oldest date, in days. */
const OLDEST = 4000;
/** The mean of integer facts, which are counts. */
const MEAN_COUNT = 3;

/**
 * Every fact of the catalog except the phone number, email and IP address themselves, which useful rules do not
 * test.
 */
export const BENCH_FACTS: readonly BenchFact[] = [...CATALOG_TABLE].flatMap(([path, definition]) => {
  const spread = spreadOf(path, definition);
  return spread ? { path, ...spread } : [];
});

function spreadOf(path: string, { type, values = [], range }: FactDefinition): Spread | undefined {
  switch (type) {
    case 'number': {
      const [least, most] = range ?? [0, 1];
      return { kind: 'number', quantile: (at) => Math.round((least + at * (most - least)) * 10) / 10 };
    }
    case 'integer':
      // Geometric: zero is the most likely count.
      return { kind: 'number', quantile: (at) => Math.floor(Math.log(1 - at) / Math.log(1 - 1 / (MEAN_COUNT + 1))) };
    case 'date':
      // As many between 10 and 100 days as between 100 and 1,000.
      return { kind: 'date', quantile: (at) => Math.floor(OLDEST ** at) - 1 };
    case 'boolean': {
      const chance = MOSTLY[path] ?? 0.5;
      return {
        kind: 'choice',
        values: [
          [true, chance],
          [false, 1 - chance],
        ],
      };
    }
    case 'level':
      return { kind: 'choice', values: LEVELS.map((level, i) => [level, LEVEL_WEIGHTS[i] ?? 0]) };
    case 'enum':
      return { kind: 'choice', values: weighted(values) };
    case 'string': {
      const texts = TEXTS[path];
      return texts && { kind: 'choice', values: weighted(texts) };
    }
  }
}

/** A softened Zipf's law: the n-th text has the weight 1 / sqrt(n). */
function weighted(texts: readonly string[]): Choices {
  const sum = texts.reduce((total, _, i) => total + 1 / Math.sqrt(i + 1), 0);
  return texts.map((text, i) => [text, 1 / Math.sqrt(i + 1) / sum]);
}
