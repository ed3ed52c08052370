import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CATALOG_TABLE } from '../../../src/facts/catalog.ts';
import { compilePath, formatSteps } from '../../../src/facts/mapping/path.ts';
import { tryMapping } from '../../../src/facts/mapping/try-mapping.ts';
import { mappingOf } from '../../support/facts/mapping-file.ts';
import { factsOf, readSample, SHIPPED, TODAY } from '../../support/facts/shape-1.ts';

/** The paths of the leaves that a mapping does not use. */
function unusedOf(yaml: string, body: unknown): readonly string[] {
  return tryMapping(body, mappingOf(yaml), { day: TODAY }).unused.map(({ path }) => path);
}

describe('the facts of a trial', () => {
  it('are those of a decision on the same answer, without facts that need the applicant', () => {
    for (const name of ['shape-1', 'shape-1-failed']) {
      const body = readSample(name);
      const { facts } = tryMapping(body, SHIPPED, { day: TODAY });
      const expected = factsOf(body);
      for (const [path, fact] of facts) expect({ path, fact }).toEqual({ path, fact: expected.get(path) });
      const left = [...CATALOG_TABLE.keys()].filter((path) => !facts.has(path));
      expect(left).toEqual([
        'applicant.phoneNo',
        'applicant.email',
        'applicant.ip',
        'applicant.emailDomain',
        'applicant.mailbox',
        'phone.country',
        'phone.valid',
        'ip.matchesPhoneCountry',
      ]);
    }
  });

  it('include those that the mapping declares', () => {
    const mapping = mappingOf(`facts:
  identity.nameScore: { type: number, description: How well the name matches. }
signals:
  identity.nameScore: kyc.name
`);
    const { facts } = tryMapping({ kyc: { name: 12 } }, mapping, { day: TODAY });
    expect(facts.get('identity.nameScore')).toEqual({ value: 12 });
  });

  it('are read on the given day: later dates are invalid', () => {
    const mapping = mappingOf('signals: { phone.porting.portedDate: ported }');
    const ported = (day: string) =>
      tryMapping({ ported: '2025-11-25' }, mapping, { day }).facts.get('phone.porting.portedDate');
    expect(ported('2025-11-20')).toEqual({ missing: 'invalid', raw: '2025-11-25' });
    expect(ported('2025-11-25')).toEqual({ value: '2025-11-25' });
  });

  it('are read whatever reference the answer repeats', () => {
    const body = { ...(readSample('shape-1') as object), clientReference: 'another' };
    expect(tryMapping(body, SHIPPED, { day: TODAY }).facts.get('phone.score')).toEqual({ value: 62 });
  });
});

describe('another service counts as requested', () => {
  const MAPPING = `sources:
  kyc: { at: kyc.status, answered: [ok], signals: [identity.*] }
signals:
  identity.verified: kyc.matched
`;
  const verified = (body: unknown, yaml = MAPPING, composite?: boolean) => {
    const options = { day: TODAY, ...(composite === undefined ? {} : { composite }) };
    return tryMapping(body, mappingOf(yaml), options).facts.get('identity.verified');
  };

  it('if its result or its status is in the answer', () => {
    expect(verified({ kyc: { status: 'ok', matched: false } })).toEqual({ value: false });
    expect(verified({ kyc: { status: 'failed' } })).toEqual({ missing: 'sourceFailed' });
    expect(verified({ phone: {} })).toEqual({ missing: 'notRequested' });
    expect(verified(readSample('shape-1'))).toEqual({ missing: 'notRequested' });
  });

  it('not for a status that covers other facts too', () => {
    const shared = MAPPING.replace('[identity.*]', '[phone.*, identity.*]');
    expect(verified({ kyc: { status: 'ok' } }, shared)).toEqual({ missing: 'notRequested' });
  });

  it('if the caller says so', () => {
    expect(verified({ kyc: {} }, MAPPING, true)).toEqual({ missing: 'sourceFailed' });
    expect(verified({ kyc: { status: 'ok', matched: true } }, MAPPING, false)).toEqual({ missing: 'notRequested' });
  });
});

describe('a used leaf is', () => {
  it('only one that a signal, a status or the reference reads', () => {
    const { unused } = tryMapping(readSample('shape-1'), SHIPPED, { day: TODAY });
    expect(unused).toContainEqual({ path: 'matchStatus', value: 'No Match' });
    expect(unused).toContainEqual({
      path: 'serviceResponses["Core Intelligence Service"].nameMatchScore',
      value: 'N/A',
    });
    const places = unused.map(({ path }) => path);
    for (const place of places) expect(place).not.toMatch(/returnedData|searchStatus|clientReference|sourceStatus/);
    const more = readSample('shape-1') as Record<string, unknown>;
    expect(unusedOf('signals: { phone.score: a }', { ...more, a: 1 })).toEqual(expect.arrayContaining(places));
  });

  it('one of a failed source, though its value is not used', () => {
    const { facts, unused } = tryMapping(readSample('shape-1-failed'), SHIPPED, { day: TODAY });
    expect(facts.get('email.address.score')).toEqual({ missing: 'sourceFailed' });
    expect(unused.filter(({ path: place }) => place.includes('emailScore'))).toEqual([]);
  });

  it('anywhere in the error of a source', () => {
    const yaml = 'sources: { x: { error: a.error, signals: [phone.*] } }\nsignals: { phone.score: a.score }';
    expect(unusedOf(yaml, { a: { score: 1, error: { code: 504, more: { ms: 2 } } }, b: 1 })).toEqual(['b']);
  });

  it('of several paths the one that counts, even if its value is null', () => {
    const yaml = 'signals: { phone.score: { at: [a, b, c] } }';
    expect(unusedOf(yaml, { b: null, c: 3 })).toEqual(['c']);
  });

  it('one that says that something never happened', () => {
    const yaml = 'signals: { phone.porting.portedDate: { at: ported, never: { at: history, is: [[]] } } }';
    expect(unusedOf(yaml, { history: [], other: [] })).toEqual(['other']);
  });

  it('each entry of a list, and everything within the entries of a list that is counted', () => {
    const body = { ports: [{ day: '2019-03-14', to: 'x' }], days: ['2019-03-14', '2015-06-02'], more: { a: [1] } };
    const latest = 'signals: { phone.porting.portedDate: { at: days, take: latest } }';
    expect(unusedOf(latest, body)).toEqual(['ports[0].day', 'ports[0].to', 'more.a[0]']);
    const counted = 'signals: { phone.porting.portCount: { at: ports, take: count } }';
    expect(unusedOf(counted, body)).toEqual(['days[0]', 'days[1]', 'more.a[0]']);
  });

  it('none within an object where a value is expected: its path needs correction', () => {
    const yaml = 'signals: { phone.score: phone }';
    expect(unusedOf(yaml, { phone: { score: 12 } })).toEqual(['phone.score']);
  });

  const RESULTS = [
    { group: 'Phone', name: 'Risk', value: 'low', note: 'x' },
    { group: 'Email', name: 'Risk', value: 'high', note: null },
  ];

  it('one that a filter tests in the entry that it selects', () => {
    const yaml = `signals: { phone.riskLevel: "$.results[?@.group == 'Phone' && !(@.name != 'Risk')].value" }`;
    expect(unusedOf(yaml, { results: RESULTS })).toEqual([
      'results[0].note',
      'results[1].group',
      'results[1].name',
      'results[1].value',
      'results[1].note',
    ]);
  });

  it('one that a filter finds elsewhere, by a function or within another filter', () => {
    const body = { wanted: 'Phone', results: RESULTS, lists: [[{ k: 'a' }], [{ k: 'b' }]] };
    const chosen = (path: string) => unusedOf(`signals: { phone.riskLevel: "${path}" }`, body);
    expect(chosen('$.results[?@.group == $.wanted].value')).not.toContain('wanted');
    expect(chosen('$.results[?length(@.note) == 1].value')).not.toContain('results[0].note');
    expect(chosen("$.lists[?@[?@.k == 'a']]")).not.toContain('lists[0][0].k');
    expect(chosen("$.lists[?@[?@.k == 'a']]")).toContain('lists[1][0].k');
  });

  it('the whole answer if it is one value', () => {
    expect(unusedOf('signals: { phone.score: $ }', 12)).toEqual([]);
    expect(unusedOf('signals: { phone.score: a }', 12)).toEqual(['$']);
    expect(unusedOf('signals: { phone.score: a }', {})).toEqual(['$']);
  });
});

describe('the path of a leaf', () => {
  it('is written in the short form if possible', () => {
    expect(formatSteps(['a', 'b_1', 0, 'Overall Score', 'x.y', '1'])).toBe('a.b_1[0]["Overall Score"]["x.y"]["1"]');
    expect(formatSteps([0, 'a'])).toBe('[0].a');
    expect(formatSteps(['x y', 'a'])).toBe('["x y"].a');
  });

  it('leads a mapping to that leaf and no other', () => {
    const mapping = mappingOf('signals: { phone.score: notThere }');
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4, stringUnit: 'grapheme' }), (body) => {
        const { unused } = tryMapping(body, mapping, { day: TODAY });
        for (const { path: place, value } of unused) {
          const compiled = compilePath(place);
          if ('problem' in compiled) throw new Error(`${place}: ${compiled.problem}`);
          expect(compiled.find(body)).toEqual([value]);
          expect(compiled.locate(body).matches.map(({ steps }) => formatSteps(steps))).toEqual([place]);
        }
      }),
    );
  });

  it('finds the same as it locates', () => {
    const body = readSample('shape-1');
    for (const text of ['$..date', '$..*', '$.serviceResponses.*.status', '$..[?@.date].to', 'nowhere', '$']) {
      const place = compilePath(text);
      if ('problem' in place) throw new Error(place.problem);
      expect(place.locate(body).matches.map(({ value }) => value)).toEqual(place.find(body));
    }
  });
});

it('an answer that nests very deep, or has very many values, can be tried too', () => {
  let deep: unknown = 1;
  for (let i = 0; i < 5_000; i++) deep = [deep];
  expect(() => tryMapping(deep, SHIPPED, { day: TODAY })).not.toThrow();
  const many = { days: Array.from({ length: 300_000 }, () => 0) };
  expect(tryMapping(many, SHIPPED, { day: TODAY }).unused).toHaveLength(300_000);
});
