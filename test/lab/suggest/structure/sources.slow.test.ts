/** A proposed mapping never believes a source that failed, wherever an answer keeps the statuses of its sources. */

import { describe, expect, test } from 'vitest';
import { compile } from '../../../../src/decision/matcher/matcher.ts';
import { isMissing } from '../../../../src/facts/fact.ts';
import type { Mapping } from '../../../../src/facts/mapping/mapping.ts';
import { tryMapping } from '../../../../src/facts/mapping/try-mapping.ts';
import { suggestMapping } from '../../../../src/lab/suggest/suggest.ts';
import { mappingOf } from '../../../support/facts/mapping-file.ts';
import {
  FACTS_OF,
  type ForeignAnswer,
  foreignAnswer,
  LEFTOVER_NAMES,
  LOOKS,
  SHAPE_NAMES,
  SOURCE_NAMES,
  type SourceName,
} from '../../../support/lab/suggest/foreign-shapes.ts';
import { policyOf } from '../../../support/policy/policy.ts';
import { sampled } from '../../../support/sampled.ts';

const DAY = '2025-11-20';

const FAILURES = SOURCE_NAMES.flatMap((failed) => LEFTOVER_NAMES.map((leftover) => ({ failed, leftover })));
/** Each source, with one of the leftovers in turn. */
const SOME_FAILURES = FAILURES.filter((_, index) => (index - 1 - Math.floor(index / 3)) % sampled(3, 1) === 0);

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
  return SOME_FAILURES.flatMap(({ failed, leftover }) => {
    const answer = foreignAnswer({ ...look, failed, leftover });
    const known = knownFacts(answer, mapping);
    const groups = FACTS_OF[failed].map((path) => path.split('.').slice(0, 2).join('.'));
    const isOwn = (path: string) => path === 'ip.country' || groups.some((group) => path.startsWith(group));
    const lost = good.filter((path) => !known.includes(path) && !isOwn(path));
    return [
      ...believed(answer, failed, mapping).map((path) => `${failed}, ${leftover}: ${path} is believed`),
      ...lost.map((path) => `${failed}, ${leftover}: ${path} is lost`),
    ];
  });
}

test.each(LOOKS.filter((_, index) => index % sampled(7, 1) === 0))(
  '$shape, with $status: a source that failed takes its facts with it, and no others',
  (look) => {
    const good = foreignAnswer(look);
    const mapping = mappingOf(suggestMapping([good]));
    expect(knownFacts(good, mapping).length).toBeGreaterThanOrEqual(11);
    expect(mistakesOf(look, mapping)).toEqual([]);
  },
);

const POLICY = `policy: sources
version: '1'
default: accept
rules:
  - { id: risky-phone, when: { phone.riskLevel: { atLeast: high } }, then: reject }
  - { id: often-ported, when: { phone.porting.portCount: { above: 3 } }, then: reject }
  - { id: risky-email, when: { email.address.riskLevel: { atLeast: high } }, then: reject }
  - { id: leaked, when: { email.darkWeb.hitCount: { above: 5 } }, then: reject }
  - { id: far-away, when: { ip.location.latitude: { below: -60 } }, then: reject }
`;

test('an applicant whom an answer clears is never accepted if a source of that answer failed', () => {
  const matcher = compile(policyOf(POLICY));
  for (const shape of SHAPE_NAMES) {
    const mapping = mappingOf(suggestMapping([foreignAnswer({ shape, status: 'status' })]));
    const outcomeOf = (answer: unknown) =>
      matcher.outcome(tryMapping(answer, mapping, { day: DAY }).facts, DAY).outcome;
    expect({ shape, outcome: outcomeOf(foreignAnswer({ shape, status: 'status' })) }).toEqual({
      shape,
      outcome: 'accept',
    });
    for (const failure of SOME_FAILURES) {
      const outcome = outcomeOf(foreignAnswer({ shape, status: 'status', ...failure }));
      expect({ shape, ...failure, outcome }).toEqual({ shape, ...failure, outcome: 'review' });
    }
  }
});

test('a source that failed is not believed either if the mapping was proposed from that answer', () => {
  const cases = LOOKS.flatMap((look) => FAILURES.map((failure) => ({ ...look, ...failure })));
  // 1,100 cases; 97 has no divisor in common with them, so that the sample has most shapes, statuses and sources.
  const step = sampled(97, 1);
  for (let index = 0; index < cases.length; index += step) {
    const look = cases[index] as (typeof cases)[number];
    const bad = foreignAnswer(look);
    const both = mappingOf(suggestMapping([foreignAnswer({ shape: look.shape, status: look.status }), bad]));
    const found = [both, mappingOf(suggestMapping([bad]))].map((mapping) => believed(bad, look.failed, mapping));
    expect({ look, found }).toEqual({ look, found: [[], []] });
  }
});

describe('an answer that shows failures alone', () => {
  const PHONE = { phoneType: 'mobile', phoneScore: 12 };
  const DARK_WEB = { hitCount: 1, lastHit: '2020-01-02' };
  const FAILED = { error: { code: 504 }, hitCount: 0, lastHit: null };
  const facts = (answer: unknown, mapping: Mapping) => knownFacts(answer, mapping).join(' ');
  const HITS = 'email.darkWeb.hitCount email.darkWeb.lastHit';
  const ALL = `phone.type phone.score ${HITS}`;

  test('its sources are those of the error, also where no part has shown one yet', () => {
    const [good, bad] = [
      { phone: PHONE, darkWeb: DARK_WEB },
      { phone: PHONE, darkWeb: FAILED },
    ];
    for (const answers of [[good, bad], [bad]]) {
      const mapping = mappingOf(suggestMapping(answers));
      expect(facts(bad, mapping)).toBe('phone.type phone.score');
      expect(facts({ phone: { ...PHONE, error: 'timeout' }, darkWeb: DARK_WEB }, mapping)).toBe(HITS);
      expect(facts(good, mapping)).toBe(ALL);
    }
  });

  test('it is believed in no part if its error is that of the whole answer, or its status says nothing of it', () => {
    const good = { status: 'OK', phone: PHONE, darkWeb: DARK_WEB };
    for (const bad of [
      { ...good, error: { code: 504 }, darkWeb: { hitCount: 0, lastHit: null } },
      { ...good, errors: { darkWeb: 'timeout' }, darkWeb: { hitCount: 0, lastHit: null } },
    ]) {
      const mapping = mappingOf(suggestMapping([good, bad]));
      expect(facts(good, mapping)).toBe(ALL);
      expect(facts(bad, mapping)).toBe('');
    }
  });

  test('an error beside the success of the same part counts', () => {
    const good = { phone: { status: 'ok', ...PHONE }, darkWeb: { status: 'ok', ...DARK_WEB } };
    const bad = { ...good, darkWeb: { status: 'ok', ...FAILED } };
    const mapping = mappingOf(suggestMapping([good, bad]));
    expect(facts(good, mapping)).toBe(ALL);
    expect(facts(bad, mapping)).toBe('phone.type phone.score');
  });

  test('a false inside an error does not say that there is none', () => {
    const good = { phone: PHONE, darkWeb: DARK_WEB };
    const bad = { phone: PHONE, darkWeb: { ...DARK_WEB, error: { retryable: false, code: 504 } } };
    const both = mappingOf(suggestMapping([good, bad]));
    expect([facts(good, both), facts(bad, both)]).toEqual([ALL, 'phone.type phone.score']);
    expect(facts(bad, mappingOf(suggestMapping([bad])))).toBe('phone.type phone.score');
    const coded = (code: number) => ({ phone: PHONE, darkWeb: { ...DARK_WEB, error: { code, text: '' } } });
    const mapping = mappingOf(suggestMapping([coded(0), coded(504)]));
    expect([facts(coded(0), mapping), facts(coded(504), mapping)]).toEqual([ALL, 'phone.type phone.score']);
  });

  test('an error in an event, or in what is about somebody else, is no source', () => {
    const porting = { portCount: 1, portingHistory: [{ date: '2019-03-14', error: null }] };
    const mapping = suggestMapping([{ phone: PHONE, porting, device: { error: null }, darkWeb: DARK_WEB }]);
    expect(mapping).not.toContain('\nsources:');
  });
});
