/** Sample answers -> exactly their facts, by the mapping beside each, and by the shipped mapping if that reads it. */

import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { formatDiagnostic } from '../../../src/diagnostics.ts';
import { CATALOG_TABLE } from '../../../src/facts/catalog.ts';
import { isMissing, shownValue } from '../../../src/facts/fact.ts';
import { loadMapping, readMapping } from '../../../src/facts/mapping/mapping.ts';
import { ASKED, factsOf, readSample } from '../../support/facts/shape-1.ts';

const WIRE = join(import.meta.dirname, '../../fixtures/wire');

const SHAPES = [
  ['shape-1', 'shape-1'],
  ['shape-1-failed', 'shape-1'],
  ['shape-3', 'shape-3'],
  ['shape-4', 'shape-4'],
  ['shape-7', 'shape-7'],
] as const;

describe.each(SHAPES)('%s by %s.yaml', (answer, file) => {
  const mapping = loadMapping(join(WIRE, `${file}.yaml`));
  const facts = factsOf(readSample(answer), mapping);

  test('gives exactly its facts', () => {
    const wire = [...facts].filter(
      ([path]) => CATALOG_TABLE.get(path)?.origin === 'service' && path !== 'identity.verified',
    );
    const shown = wire.map(([path, fact]) => [path, isMissing(fact) ? fact : shownValue(fact)]);
    expect(Object.fromEntries(shown)).toEqual(readSample(`${answer}.facts`));
  });

  test('has the identity match as not requested', () => {
    expect(facts.get('identity.verified')).toEqual({ missing: 'notRequested' });
  });

  test("to another caller's request gives no facts", () => {
    const others = factsOf(readSample(answer), mapping, { ...ASKED, clientReference: 'ONB-1' });
    const given = [...others].filter(([path]) => CATALOG_TABLE.get(path)?.origin === 'service');
    expect(given.filter(([, fact]) => !isMissing(fact) || fact.missing === 'unmapped')).toEqual([]);
  });
});

test.each(['shape-1', 'shape-3', 'shape-4', 'shape-7'])('%s.yaml is valid', (name) => {
  expect(readMapping(join(WIRE, `${name}.yaml`)).diagnostics.map(formatDiagnostic)).toEqual([]);
});
