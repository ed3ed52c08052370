import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isMissing, shownValue } from '../../../src/facts/fact.ts';
import { suggestMapping } from '../../../src/lab/suggest/suggest.ts';
import { mappingOf, readYaml } from '../../support/facts/mapping-file.ts';
import { ASKED, factsOf, readSample } from '../../support/facts/shape-1.ts';
import { sampled } from '../../support/sampled.ts';

/** The facts of the first answer by the mapping suggested from all of them, unedited. */
function suggested(...answers: readonly unknown[]): Record<string, unknown> {
  const { clientReference: _, ...asked } = ASKED;
  const text = suggestMapping(answers);
  if (text.includes('signals: {}')) return {};
  const facts = factsOf(answers[0], mappingOf(text), asked);
  return Object.fromEntries(
    [...facts].flatMap(([path, fact]) => (isMissing(fact) || isDerived(path) ? [] : [[path, shownValue(fact)]])),
  );
}

function isDerived(path: string): boolean {
  return path === 'ip.country' || path === 'phone.operator.changed';
}

/** The signal of a fact with its comment, as text. */
function signalTextOf(path: string, ...answers: readonly unknown[]): string {
  const blocks = suggestMapping(answers).split('\n\n');
  return (
    blocks.find((block) => block.split('\n').some((line) => line.replace(/^[ #]+/, '').startsWith(`${path}:`))) ?? ''
  );
}

describe('a name is recognised by its words and its position', () => {
  test.each<[string, unknown]>([
    ['camelCase', { phone: { operatorCurrent: 'Tern Mobile' } }],
    ['snake_case', { phone: { current_operator: 'Tern Mobile' } }],
    ['kebab-case', { phone: { 'current-operator': 'Tern Mobile' } }],
    ['a label', { Phone: { 'Mobile Network Operator': { Current: 'Tern Mobile' } } }],
    ['a label with parentheses', { Phone: { 'Network Operator (Current)': 'Tern Mobile' } }],
    ['abbreviations', { ph_mno_curr: 'Tern Mobile' }],
    ['words written together', { PHONECURRENTOPERATOR: 'Tern Mobile' }],
    ['a dotted name', { 'phone.carrier.current': 'Tern Mobile' }],
    ['a wrapped value', { phone: { currentCarrier: { value: 'Tern Mobile', confidence: 0.9 } } }],
    ['an entry by its labels', { r: [{ group: 'Phone', name: 'Current Operator', value: 'Tern Mobile' }] }],
    [
      'an entry by labels in a map',
      {
        r: [
          { is: { area: 'Phone', name: 'Current Operator' }, has: { value: 'Tern Mobile' } },
          { is: { area: 'IP', name: 'Proxy' }, has: { value: 'no' } },
        ],
      },
    ],
    [
      'a section of a list',
      {
        s: [
          { type: 'email', data: {} },
          { type: 'phone', data: { currentOperator: 'Tern Mobile' } },
        ],
      },
    ],
    ['a pair', { r: [['phone: current operator', 'Tern Mobile']] }],
    ['an entry by id', { checks: { '447700900461': { phone: { currentOperator: 'Tern Mobile' } } } }],
  ])('%s', (_, answer) => {
    expect(suggested(answer)).toEqual({ 'phone.operator.current': 'Tern Mobile' });
  });

  test("the domain's first day is not the address's first day", () => {
    const email = { domain: { firstSeen: '2012-11-05' }, address: { firstSeen: '2024-02-09' } };
    expect(suggested({ email })).toEqual({
      'email.domain.firstSeen': '2012-11-05',
      'email.address.firstSeen': '2024-02-09',
    });
    expect(suggested({ email: { domainFirstSeen: '2012-11-05', firstSeen: '2024-02-09' } })).toEqual({
      'email.domain.firstSeen': '2012-11-05',
      'email.address.firstSeen': '2024-02-09',
    });
  });

  test('the risk of another subject is not the risk of the phone number', () => {
    const phone = {
      simSwap: { riskLevel: 'high' },
      roaming: { status: 'active' },
      previousRiskLevel: 'low',
      ipRisk: { level: 'low' },
    };
    expect(
      suggested({ request: { phone: { type: 'landline' } }, riskLevel: 'high', device: { score: 88 }, phone }),
    ).toEqual({});
  });

  test('a field is a guess if another fits as well and has another value', () => {
    const answer = { a: { phone: { riskLevel: 'low' } }, b: { phone: { riskLevel: 'high' } } };
    expect(suggested(answer)).toEqual({});
    expect(signalTextOf('phone.riskLevel', answer)).toMatch(/# guess: .*another field fits as well/);
  });
});

describe('names that are in another part of the answer', () => {
  const columns = ['current_operator', 'phone_risk_level', 'email_risk_level'];
  const other = ['current_operator', 'email_risk_level', 'phone_risk_level'];
  const facts = {
    'phone.operator.current': 'Tern Mobile',
    'phone.riskLevel': 'low',
    'email.address.riskLevel': 'high',
  };

  test('columns are named by a list next to the rows', () => {
    const answer = { columns, rows: [['Tern Mobile', 'low', 'high']] };
    expect(suggested(answer)).toEqual(facts);
    expect(signalTextOf('phone.riskLevel', answer)).toMatch(/# likely: .*does the order of the columns ever change/);
  });

  test('columns whose order differs between answers are not used', () => {
    const answer = { columns, rows: [['Tern Mobile', 'low', 'high']] };
    expect(suggested(answer, { columns: other, rows: [['Tern Mobile', 'high', 'low']] })).toEqual({});
  });

  test('short names are explained by a legend', () => {
    const legend = { a: 'Current operator', b: 'Phone risk level', c: 'Email risk level' };
    expect(suggested({ r: { a: 'Tern Mobile', b: 'low', c: 'high' }, legend })).toEqual(facts);
    const changed = { a: 'Current operator', b: 'Email risk level', c: 'Phone risk level' };
    const r = { a: 'Tern Mobile', b: 'low', c: 'high' };
    expect(suggested({ r, legend }, { r, legend: changed })).toEqual({});
  });

  test('an XML prefix is ignored, unless it is a known word', () => {
    expect(suggested({ 'ns2:phone': { 'ns2:currentOperator': { $: 'Tern Mobile' } } })).toEqual({
      'phone.operator.current': 'Tern Mobile',
    });
    expect(suggested({ 'device:phone': { 'sim:riskLevel': 'high' } })).toEqual({});
  });
});

describe('the fields next to a value', () => {
  test('the severity of a rule is not the risk level', () => {
    const rule = { label: 'Phone risk level', severity: 'high' };
    expect(suggested({ signals: [{ ...rule, triggered: false }] })).toEqual({});
    expect(suggested({ signals: [rule] })).toEqual({ 'phone.riskLevel': 'high' });
  });

  test('GeoJSON has the longitude first; the order of two bare numbers is unknown', () => {
    const coordinates = [-4.2518, 55.8642];
    expect(suggested({ ip: { location: { type: 'Point', coordinates } } })).toEqual({
      'ip.location.latitude': 55.8642,
      'ip.location.longitude': -4.2518,
    });
    expect(suggested({ ip: { location: { coordinates } } })).toEqual({});
  });

  test('coordinates are those of the IP address only if the answer has anything else about one', () => {
    const location = { latitude: 51.75, longitude: -1.25 };
    expect(suggested({ phoneType: 'mobile', location })).toEqual({ 'phone.type': 'mobile' });
    expect(suggested({ isp: 'Tern Net', location })).toEqual({
      'ip.isp': 'Tern Net',
      'ip.location.latitude': 51.75,
      'ip.location.longitude': -1.25,
    });
  });

  test('an operator without a qualifier is the current one, unless the name or values mean something else', () => {
    expect(suggested({ phone: { carrier: 'Tern Mobile' } })).toEqual({ 'phone.operator.current': 'Tern Mobile' });
    expect(suggested({ phone: { operatorNetwork: 'LTE Advanced' } })).toEqual({});
    expect(suggested({ carrierBilling: { operator: 'Tern Pay' } })).toEqual({});
  });

  test('a list that mixes several kinds of ports is not counted', () => {
    const ports = [
      { kind: 'in', date: '2018-05-05' },
      { kind: 'in', date: '2020-05-05' },
    ];
    expect(suggested({ phone: { ports } })).toEqual({
      'phone.porting.portedDate': '2020-05-05',
      'phone.porting.portCount': 2,
      'phone.porting.previousPort': '2018-05-05',
    });
    expect(suggested({ phone: { ports: [...ports, { kind: 'cancelled', date: '2021-05-05' }] } })).toEqual({});
  });

  test('an error with a path affects only the part that the path leads to', () => {
    const data = { phone: { riskLevel: 'low' }, email: { riskLevel: 'high' } };
    const error = { message: 'timeout', path: ['data', 'email'] };
    expect(suggested({ data, errors: [error] })).toEqual({ 'phone.riskLevel': 'low' });
    expect(suggested({ data, errors: [error, { message: 'timeout' }] })).toEqual({});
  });

  test('a flag for one plan says nothing if it is false', () => {
    expect(suggested({ phone: { isPrepaid: true } })).toEqual({ 'phone.serviceType': 'prepaid' });
    expect(suggested({ phone: { isPrepaid: false } })).toEqual({});
    expect(signalTextOf('phone.serviceType', { phone: { isPrepaid: false } })).toContain('placeholders: [false]');
  });
});

describe('values are matched by the types of the facts', () => {
  test.each<[string, unknown, Record<string, unknown>]>([
    ['levels with an extra word', { phone: { riskLevel: 'MEDIUM RISK' } }, { 'phone.riskLevel': 'medium' }],
    ['initials of levels', { phone: { riskLevel: 'VH' } }, { 'phone.riskLevel': 'veryHigh' }],
    [
      'synonyms of an enum',
      { phone: { lineType: 'CELL', billingType: 'PREPAY' } },
      { 'phone.type': 'mobile', 'phone.serviceType': 'prepaid' },
    ],
    ['fractions', { email: { activityScore: '7/10' } }, { 'email.behaviour.activityScore': 70 }],
    ['percent', { phone: { score: '62%' } }, { 'phone.score': 62 }],
    ['parts of a whole', { phone: { score: '61 of 100' } }, { 'phone.score': 61 }],
    [
      'a scale in a sibling field',
      { email: { activity: { score: 3, max: 5 } } },
      { 'email.behaviour.activityScore': 60 },
    ],
    ['a scale in the name', { Email: { 'Activity Score (0-10)': '7' } }, { 'email.behaviour.activityScore': 70 }],
    [
      'hemispheres',
      { ip: { lat: '36.8 S', lng: '174.7 E' } },
      { 'ip.location.latitude': -36.8, 'ip.location.longitude': 174.7 },
    ],
    [
      'both coordinates in one text',
      { ip: { geo: '-36.8,174.7' } },
      { 'ip.location.latitude': -36.8, 'ip.location.longitude': 174.7 },
    ],
    [
      'both coordinates in a list',
      { ip: { coordinates: [174.7, -36.8] } },
      { 'ip.location.latitude': -36.8, 'ip.location.longitude': 174.7 },
    ],
    ['seconds since 1970', { email: { firstSeen: 1707436800 } }, { 'email.address.firstSeen': '2024-02-09' }],
    ['milliseconds since 1970', { email: { firstSeenMs: 1707436800000 } }, { 'email.address.firstSeen': '2024-02-09' }],
    ['days ago', { email: { firstSeenDaysAgo: 3 } }, { 'email.address.firstSeen': '2025-11-17' }],
    ['a word for never', { darkWeb: { lastHit: 'never' } }, { 'email.darkWeb.lastHit': 'never' }],
    ['placeholders', { phone: { status: 'Not Available', type: 'N/A' }, darkWeb: { lastHit: '0000-00-00' } }, {}],
  ])('%s', (_, answer, expected) => {
    expect(suggested(answer)).toEqual(expected);
  });

  test('a boolean is not a level', () => {
    expect(signalTextOf('email.behaviour.tumblingRisk', { email: { tumblingRisk: true } })).toBe('');
  });
});

describe('what the answers cannot show is a guess, so the fact stays unmapped', () => {
  test.each<[string, string, unknown, RegExp]>([
    ['a score of 7, of 10 or of 100', 'email.behaviour.activityScore', { email: { activityScore: 7 } }, /what scale/],
    ['a score above 100', 'phone.score', { phone: { score: 620 } }, /what scale/],
    ['a bare number for a level', 'phone.riskLevel', { phone: { riskLevel: 3 } }, /how many steps/],
    [
      'a date with the day or the month first',
      'phone.porting.portedDate',
      { phone: { portedDate: '05/06/2019' } },
      /the day or the month/,
    ],
    [
      'a score that falls while the levels rise',
      'phone.score',
      { phone: { riskLevel: 'high', score: 12 } },
      /do not rise/,
    ],
    ['a trust score', 'phone.score', { phone: { trustScore: 82 } }, /its name says trust/],
    [
      'the order of two coordinates',
      'ip.location.latitude',
      { ip: { coordinates: [12.4, 41.9] } },
      /the latitude or the longitude come first/,
    ],
    [
      'an error without a status',
      'phone.riskLevel',
      { phone: { error: { code: 504 }, riskLevel: 'low' } },
      /an error next to it/,
    ],
    ['a score without values', 'phone.score', { phone: { score: null } }, /what scale/],
  ])('%s', (_, path, answer, asked) => {
    expect(suggested(answer)).not.toHaveProperty([path]);
    expect(signalTextOf(path, answer)).toMatch(/# guess: /);
    expect(signalTextOf(path, answer)).toMatch(asked);
  });

  test('an age without a unit is not a date', () => {
    expect(signalTextOf('email.address.firstSeen', { email: { firstSeenAge: 3 } })).toBe('');
  });

  test('no score is ever sure, because no answer says which end is the riskiest', () => {
    for (const name of ['shape-1', 'shape-3', 'shape-4', 'shape-7']) {
      for (const path of ['phone.score', 'email.domain.score', 'email.address.score']) {
        expect(signalTextOf(path, readSample(name))).toMatch(
          /# (?:likely|guess): .*Ask the vendor: .*is 100 the riskiest\?/,
        );
      }
    }
  });

  test('another date in the answers shows whether the day comes first', () => {
    const answer = { phone: { portedDate: '05/06/2019' }, created: '14/03/2019' };
    expect(suggested(answer)).toEqual({ 'phone.porting.portedDate': '2019-06-05' });
    expect(suggested({ ...answer, created: '03/14/2019' })).toEqual({ 'phone.porting.portedDate': '2019-05-06' });
    expect(signalTextOf('phone.porting.portedDate', answer)).toContain('# likely: ');
  });
});

describe('histories', () => {
  test.each<[string, unknown]>([
    [
      'maps',
      [
        { date: '2015-06-02', to: 'A' },
        { date: '2019-03-14', to: 'B' },
      ],
    ],
    ['wrapped maps', [{ date: { value: '2015-06-02' } }, { date: { value: '2019-03-14' } }]],
    ['days', ['2019-03-14', '2015-06-02']],
    ['one text', '2015-06-02; 2019-03-14'],
  ])('a list of %s gives its count, its latest day and the day before that', (_, portingHistory) => {
    expect(suggested({ phone: { portingHistory } })).toEqual({
      'phone.porting.portedDate': '2019-03-14',
      'phone.porting.portCount': 2,
      'phone.porting.previousPort': '2015-06-02',
    });
  });

  test('a list that contradicts the fields next to it is a guess', () => {
    const porting = { portedDate: '2019-03-14', history: [{ date: '2015-06-02' }] };
    expect(suggested({ phone: { porting } })).toEqual({ 'phone.porting.portedDate': '2019-03-14' });
  });

  test('an empty list in one of several answers means never', () => {
    const full = { phone: { portedDate: '2019-03-14', portingHistory: [{ date: '2019-03-14' }] } };
    const empty = { phone: { portedDate: null, portingHistory: [] } };
    expect(suggested(empty, full)).toMatchObject({ 'phone.porting.portedDate': 'never', 'phone.porting.portCount': 0 });
    expect(suggestMapping([full])).not.toContain('never:');
  });

  test('a count of 0 next to a missing date means never', () => {
    expect(suggested({ darkWeb: { hitCount: 0, lastHit: null } })).toEqual({
      'email.darkWeb.hitCount': 0,
      'email.darkWeb.lastHit': 'never',
    });
  });
});

describe('failed sources', () => {
  const good = {
    status: 'COMPLETE',
    phone: { status: 'ok', data: { riskLevel: 'low' } },
    email: { status: 'ok', data: { riskLevel: 'high', score: 81 } },
  };
  const bad = {
    status: 'PARTIAL',
    phone: { status: 'ok', data: { riskLevel: 'low' } },
    email: { status: 'timeout', data: { riskLevel: 'low', score: 0 } },
  };

  test('the values of a failed source are not used, those of other sources are', () => {
    expect(suggested(bad)).toEqual({ 'phone.riskLevel': 'low' });
    expect(suggested(bad, good)).toEqual({ 'phone.riskLevel': 'low' });
    expect(suggested(good, bad)).toEqual({
      'phone.riskLevel': 'low',
      'email.address.riskLevel': 'high',
      'email.address.score': 81,
    });
  });

  test('the values of a failed source do not show scales or formats', () => {
    expect(signalTextOf('email.address.score', bad)).toContain('no answer has a value here');
  });

  test('an answer with the reference of another request is not believed', () => {
    const answer = { clientReference: 'ONB-2', phone: { riskLevel: 'low' } };
    const facts = factsOf(answer, mappingOf(suggestMapping([answer])));
    expect(facts.get('phone.riskLevel')).toEqual({ missing: 'sourceFailed' });
  });
});

describe('several answers show more', () => {
  test('they show more words of an enum and the scale of a score', () => {
    const first = { phone: { type: 'CELL', score: 7 }, email: { score: 4 } };
    const second = { phone: { type: 'FIXED LINE', score: 81 }, email: { score: 62 } };
    expect(suggested(first)).toEqual({ 'phone.type': 'mobile' });
    expect(suggested(first, second)).toEqual({ 'phone.type': 'mobile', 'phone.score': 7, 'email.address.score': 4 });
    expect(signalTextOf('phone.type', first, second)).toContain('{ CELL: mobile, FIXED LINE: landline }');
  });
});

describe('the text of the mapping', () => {
  test('each signal has a comment with its sureness and reason, and only guesses are commented out', () => {
    const blocks =
      suggestMapping([readSample('shape-1')])
        .split(/^signals:\n/m)[1]
        ?.split('\n\n') ?? [];
    const signals = blocks.filter((block) => /# (?:sure|likely|guess): /.test(block));
    expect(signals.length).toBeGreaterThan(25);
    for (const block of signals) {
      const [comment = '', ...lines] = block.split('\n').filter((line) => line !== '');
      expect(comment).toMatch(/^ {2}# (?:sure|likely|guess): \S/);
      expect(lines.length).toBeGreaterThan(0);
      expect(lines.every((line) => line.startsWith('  # '))).toBe(comment.startsWith('  # guess'));
    }
  });

  test('it has no personal data', () => {
    for (const name of ['shape-1', 'shape-3', 'shape-4', 'shape-7']) {
      const text = suggestMapping([readSample(name), { lookup: { '447700900461': { phone: { riskLevel: 'low' } } } }]);
      expect(text).not.toMatch(/Harbour|Northlink|Tasman|36\.8485|174\.7633|2019|2015|2012-11|2024|2025|ONB-7731|4477/);
    }
  });

  test('it is the same for the same answers', () => {
    const answers = [readSample('shape-4'), readSample('shape-1')];
    expect(suggestMapping(answers)).toBe(suggestMapping(structuredClone(answers)));
  });

  test('it has an empty map of signals if the answers have none', () => {
    for (const answer of [null, 1, 'x', [], {}, [[]], true])
      expect(suggestMapping([answer])).toContain('\nsignals: {}\n');
    expect(suggestMapping([])).toContain('\nsignals: {}\n');
  });
});

describe('unusual answers', () => {
  test('paths with quotes, line ends and other scripts load and find their field', () => {
    const answer = {
      'a "b"\n: #c': { "it's": { phone: { 'risk\u2028level': 'low' } } },
      日本: { ip: { isp: 'Tern Net' } },
    };
    expect(suggested(answer)).toEqual({ 'phone.riskLevel': 'low', 'ip.isp': 'Tern Net' });
    const label = {
      r: [
        { name: 'Phone\'s "Risk" \\ Level', value: 'low' },
        { name: 'Phone Type', value: 'voip' },
      ],
    };
    expect(suggested(label)).toEqual({ 'phone.riskLevel': 'low', 'phone.type': 'voip' });
  });

  test('deep nesting, long texts and many entries are no problem', () => {
    let deep: unknown = 1;
    for (let depth = 0; depth < 20_000; depth++) deep = depth % 2 ? [deep] : { phone: deep };
    const many = Array.from({ length: 20_000 }, (_, i) => ({ name: `Phone Risk Level ${i}`, value: 'low' }));
    const long = {
      ['x'.repeat(1e6)]: 'low',
      phone: { operatorCurrent: 'y'.repeat(1e6), portingHistory: '1;'.repeat(1e5) },
    };
    for (const answer of [deep, many, long]) expect(suggestMapping([answer]).length).toBeLessThan(100_000);
  });

  test('the mapping has no errors, whatever the answers are', () => {
    const words = (
      'phone email ip domain risk Level score porting history date first seen status sources operator current lat ' +
      'lon name value group type darkWeb hits count __proto__ success error max columns rows legend errors path'
    ).split(' ');
    const key = fc.oneof(
      {
        weight: 6,
        arbitrary: fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 3 }).map((parts) => parts.join('_')),
      },
      { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
    );
    const texts = [
      'low',
      'MEDIUM RISK',
      'L',
      'mobile',
      'active',
      'ok',
      'timeout',
      '14/03/2019',
      '2/6/2015; 14/3/2019',
      '-36.8,174.7',
      '62/100',
      '70%',
      '36.8 S',
      'N/A',
      '-1',
      'never',
      "O'Neil: x #y",
      '',
    ];
    const leaf = fc.oneof(
      fc.constantFrom(...texts),
      fc.integer({ min: -1, max: 200 }),
      fc.double(),
      fc.boolean(),
      fc.constant(null),
      fc.string({ unit: 'binary' }),
    );
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { depthSize: 'medium' },
        leaf,
        fc.array(tie('tree'), { maxLength: 4 }),
        fc.dictionary(key, tie('tree'), { maxKeys: 5 }),
      ),
    }));
    fc.assert(
      fc.property(fc.array(tree, { minLength: 1, maxLength: 3 }), (answers) => {
        const text = suggestMapping(JSON.parse(JSON.stringify(answers)) as unknown[]);
        if (!text.includes('\nsignals: {}\n')) expect(readYaml(text).diagnostics).toEqual([]);
      }),
      { numRuns: sampled(34, 300) },
    );
  });
});
