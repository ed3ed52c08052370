/** Scores suggested mappings on answers of invented vendors and on the service's sample shapes. */

import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CATALOG_TABLE } from '../../../src/facts/catalog.ts';
import { isMissing } from '../../../src/facts/fact.ts';
import { readFact } from '../../../src/facts/fact-reader.ts';
import {
  caseNames,
  DAY,
  formatScores,
  formatWrong,
  rightValue,
  type Score,
  scoreCase,
  type Truth,
  totalOf,
} from '../../support/lab/suggest/score.ts';

/** By folder, the least share of wanted facts that must be right: slightly below what is reached. */
const MIN_SHARE: Readonly<Record<string, number>> = { '.': 0.97, traps: 0.9 };

/** The least number of right facts for the service's sample shapes, `previousPort` not counted. */
const MIN_FACTS: Readonly<Record<string, number>> = {
  ...{ 'shape-1': 22, 'shape-1-failed': 0, 'shape-3': 22, 'shape-4': 20, 'shape-7': 0 },
};

/** Personal data of the cases, all from ranges reserved for examples. None may be in a mapping. */
const PERSONAL = /203\.0\.113\.|[\w.]@[\w-]+\.example|\b\+?(447700900|120255501|61491570)\d+/;

const SERVICE_PATHS = [...CATALOG_TABLE]
  .filter(([path, { origin }]) => origin === 'service' && path !== 'identity.verified')
  .map(([path]) => path);

const folderOf = (name: string) => resolve(import.meta.dirname, '../../fixtures/suggest', name);

function testMapping(name: string, score: () => Score): void {
  test(`${name} gives a mapping that loads without a warning, with no wrong value and no personal data`, () => {
    const { diagnostics, loads, wrong, text } = score();
    expect({ diagnostics, loads, wrong: wrong.map(formatWrong) }).toEqual({ diagnostics: [], loads: true, wrong: [] });
    expect(text).not.toMatch(PERSONAL);
  });
}

/** Scores each case once, on first use. */
function scoresOf(folder: string): { names: readonly string[]; score: (name: string) => Score } {
  const scores = new Map<string, Score>();
  const score = (name: string) => {
    const known = scores.get(name) ?? scoreCase(folder, name);
    scores.set(name, known);
    return known;
  };
  return { names: caseNames(folder), score };
}

describe.each(Object.entries(MIN_SHARE))('answers of invented vendors in %s', (folder, minShare) => {
  const { names, score } = scoresOf(folderOf(folder));

  for (const name of names) testMapping(name, () => score(name));

  test(`at least ${100 * minShare} % of the wanted facts are right`, () => {
    const scores = names.map(score);
    expect(totalOf(scores), formatScores(scores, { withMissed: true })).toBeGreaterThanOrEqual(minShare);
  });
});

describe('the sample shapes of the service', () => {
  const { score } = scoresOf(folderOf('../wire'));

  for (const [name, min] of Object.entries(MIN_FACTS)) {
    testMapping(name, () => score(name));

    test(`${name} gives at least ${min} right facts`, () => {
      const right = score(name).right.filter((path) => path !== 'phone.porting.previousPort');
      expect(right.length, formatScores([score(name)], { withMissed: true })).toBeGreaterThanOrEqual(min);
    });
  }
});

describe('the truth about each case', () => {
  const files = Object.keys(MIN_SHARE).flatMap((folder) => {
    return readdirSync(folderOf(folder)).flatMap((file) => (file.endsWith('.facts.json') ? [`${folder}/${file}`] : []));
  });

  test.each(files)('%s has every signal of the service, with values that can be facts', (file) => {
    const truths = Object.entries(JSON.parse(readFileSync(folderOf(file), 'utf8')) as Record<string, Truth>);
    expect(truths.map(([path]) => path)).toEqual(SERVICE_PATHS);
    const impossible = truths.filter(([path, truth]) => {
      const definition = CATALOG_TABLE.get(path);
      const value = rightValue(truth);
      return definition && value !== undefined && isMissing(readFact(definition, { value }, DAY));
    });
    expect(impossible).toEqual([]);
  });
});
