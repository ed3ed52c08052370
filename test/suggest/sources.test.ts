/** A proposed mapping never believes a source that failed, wherever an answer keeps the statuses of its sources. */

import { expect, test } from 'vitest';
import { isMissing } from '../../src/facts/fact.ts';
import type { Mapping } from '../../src/facts/mapping/mapping.ts';
import { tryMapping } from '../../src/facts/mapping/try-mapping.ts';
import { suggestMapping } from '../../src/suggest/suggest.ts';
import { mappingOf } from '../support/facts/mapping-file.ts';
import { sampled } from '../support/sampled.ts';
import {
  FACTS_OF,
  type ForeignAnswer,
  foreignAnswer,
  LEFTOVER_NAMES,
  SHAPE_NAMES,
  SOURCE_NAMES,
  type SourceName,
  STATUS_NAMES,
} from '../support/suggest/foreign-shapes.ts';

const DAY = '2025-11-20';

function knownFacts(answer: unknown, mapping: Mapping): readonly string[] {
  return [...tryMapping(answer, mapping, { day: DAY }).facts].flatMap(([path, fact]) =>
    isMissing(fact) ? [] : [path],
  );
}

function believed(answer: unknown, failed: SourceName, mapping: Mapping): readonly string[] {
  const known = knownFacts(answer, mapping);
  return FACTS_OF[failed].filter((path) => known.includes(path));
}

/** The facts of a failed source that are believed, or those of another that are not, for each source in turn. */
function mistakesOf(look: ForeignAnswer, mapping: Mapping): readonly string[] {
  const good = knownFacts(foreignAnswer({ shape: look.shape, status: look.status }), mapping);
  return SOURCE_NAMES.flatMap((failed) =>
    LEFTOVER_NAMES.flatMap((leftover) => {
      const known = knownFacts(foreignAnswer({ ...look, failed, leftover }), mapping);
      const believed = FACTS_OF[failed].filter((path) => known.includes(path));
      const own = (path: string) =>
        FACTS_OF[failed].some((one) => one.startsWith(path.split('.').slice(0, 2).join('.')));
      const lost = good.filter((path) => !known.includes(path) && !own(path) && path !== 'ip.country');
      return [
        ...believed.map((path) => `${failed}, ${leftover}: ${path} is believed`),
        ...lost.map((path) => `${failed}, ${leftover}: ${path} is lost`),
      ];
    }),
  );
}

const LOOKS = SHAPE_NAMES.flatMap((shape) => STATUS_NAMES.map((status) => ({ shape, status })));
const FAILURES = SOURCE_NAMES.flatMap((failed) => LEFTOVER_NAMES.map((leftover) => ({ failed, leftover })));

test.each(LOOKS)('$shape, with $status: a source that failed takes its facts with it, and no others', (look) => {
  const good = foreignAnswer(look);
  const mapping = mappingOf(suggestMapping([good]));
  expect(knownFacts(good, mapping).length).toBeGreaterThanOrEqual(11);
  expect(mistakesOf(look, mapping)).toEqual([]);
});

test('a source that failed is not believed either if the mapping was proposed from that answer', () => {
  const cases = LOOKS.flatMap((look) => FAILURES.map((failure) => ({ ...look, ...failure })));
  // 600 cases; 37 has no divisor in common with them, so that the sample has each shape, status and source.
  const step = sampled(37, 1);
  for (let index = 0; index < cases.length; index += step) {
    const look = cases[index] as (typeof cases)[number];
    const bad = foreignAnswer(look);
    const both = mappingOf(suggestMapping([foreignAnswer({ shape: look.shape, status: look.status }), bad]));
    const found = [both, mappingOf(suggestMapping([bad]))].map((mapping) => believed(bad, look.failed, mapping));
    expect({ look, found }).toEqual({ look, found: [[], []] });
  }
});
