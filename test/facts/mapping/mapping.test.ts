import { describe, expect, test } from 'vitest';
import { DiagnosticsError } from '../../../src/diagnostics.ts';
import { CATALOG_TABLE } from '../../../src/facts/catalog.ts';
import { loadMapping, readMapping } from '../../../src/facts/mapping/mapping.ts';
import { mappingOf, readYaml } from '../../support/facts/mapping-file.ts';
import { ASKED, factsOf } from '../../support/facts/shape-1.ts';

describe('the shipped mapping', () => {
  test('loads without a warning and maps every fact of the service', () => {
    const service = [...CATALOG_TABLE].filter(([, { origin }]) => origin === 'service').map(([path]) => path);
    expect([...loadMapping().signals.keys()].toSorted()).toEqual(service.toSorted());
    expect(readMapping(new URL('../../../rules/signals.yaml', import.meta.url).pathname).diagnostics).toEqual([]);
  });

  test('names every fact of the service as a fact of a source', () => {
    const { sources, signals } = loadMapping();
    for (const path of signals.keys()) {
      expect(
        sources.some(({ facts }) => facts.has(path)),
        path,
      ).toBe(true);
    }
  });
});

test('nobody can change a mapping that was read: the shipped one is the same for all', () => {
  const { signals, sources } = loadMapping();
  const mapOf = (map: unknown) => map as Map<string, object>;
  const changes = [
    () => mapOf(signals).clear(),
    () => Object.assign(mapOf(signals).get('phone.score') ?? {}, { at: [] }),
    () => mapOf(sources[0]?.facts).clear(),
    () => mapOf(loadMapping().facts).delete('phone.score'),
    () => Object.assign(mappingOf('signals: { ip.isp: a }'), { digest: '' }),
  ];
  for (const change of changes) expect(change).toThrow(TypeError);
});

describe('the digest', () => {
  test('depends on the data, not on comments or the order of keys', () => {
    const one = mappingOf('signals: { ip.isp: a, phone.score: b }');
    const same = mappingOf('# isp\nsignals:\n  phone.score: "b"\n  ip.isp: a\n');
    expect(one.digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(same.digest).toBe(one.digest);
    expect(mappingOf('signals: { ip.isp: a, phone.score: c }').digest).not.toBe(one.digest);
  });
});

test('a pattern names the facts of a source: one path, or all paths with the same beginning', () => {
  const { sources } = mappingOf(`
signals: { ip.isp: a }
sources:
  phone: { at: s, answered: [ok], signals: [phone.porting.*, phone.score] }
`);
  expect([...(sources[0]?.facts ?? [])].toSorted()).toEqual([
    'phone.porting.portCount',
    'phone.porting.portedDate',
    'phone.porting.previousPort',
    'phone.porting.riskLevel',
    'phone.score',
  ]);
});

test('a mapping without signals loads: every fact of the service is unmapped', () => {
  const { mapping, diagnostics } = readYaml('signals: {}');
  expect(diagnostics).toEqual([]);
  expect(mapping?.signals.size).toBe(0);
});

describe('a mistake is reported with its code, its line and a hint', () => {
  test.each([
    ['signals: { ip.ips: a }', 'unknown-fact', '1:12', 'did you mean "ip.isp"?'],
    ['signals: { __proto__: a }', 'unknown-fact', '1:12'],
    ['signals: { phone.country: a }', 'wrong-value', '1:12'],
    ['signals: { applicant.email: a }', 'wrong-value', '1:12'],
    ['signal: { ip.isp: a }\nsignals: { ip.isp: a }', 'unknown-key', '1:1', 'did you mean "signals"?'],
    ['placeholders: [x]', 'missing-key', '1:1'],
    ['signals: [a]', 'wrong-type', '1:10'],
    ['[a]', 'wrong-type', '1:1'],
    ['signals: { ip.isp: }', 'null-value', '1:20'],
    ['signals: { ip.isp: 7 }', 'wrong-type', '1:20', 'put it in quotes: "7"'],
    ['signals: { ip.isp: [] }', 'empty', '1:20'],
    ['signals: { ip.isp: "$.a[" }', 'malformed', '1:20'],
    ['signals: { ip.isp: [a, "b..[", c] }', 'malformed', '1:24'],
    [`signals: { ip.isp: "$.a[?match(@.b, 'x')]" }`, 'malformed', '1:20'],
    [`signals: { ip.isp: "$.a[?search(@.b, 'x')]" }`, 'malformed', '1:20'],
    ['signals: { ip.isp: { take: first } }', 'missing-key', '1:22'],
    ['signals: { ip.isp: { at: a, tke: first } }', 'unknown-key', '1:29', 'did you mean "take"?'],
    ['signals: { ip.isp: { at: a, take: last } }', 'wrong-value', '1:35'],
    ['signals: { ip.isp: { at: a, take: latest } }', 'wrong-value', '1:35', 'use first'],
    ['signals: { phone.score: { at: a, take: count } }', 'wrong-value', '1:40', 'use first or max or min'],
    ['signals: { ip.isp: { at: a, range: [0, 1] } }', 'wrong-value', '1:29'],
    ['signals: { ip.isp: { at: a, never: { at: b, is: [1] } } }', 'wrong-value', '1:29'],
    ['signals: { ip.isp: { at: a, formats: [yyyy-MM-dd] } }', 'wrong-value', '1:29'],
    ['signals: { phone.score: { at: a, range: [0] } }', 'wrong-value', '1:41'],
    ['signals: { phone.score: { at: a, range: [10, 0] } }', 'wrong-value', '1:41'],
    ['signals: { phone.score: { at: a, range: [0, ten] } }', 'wrong-type', '1:45'],
    ['signals: { phone.score: { at: a, values: { none: 101 } } }', 'wrong-value', '1:50'],
    ['signals: { phone.score: { at: a, range: [0, 10], values: { none: 11 } } }', 'wrong-value', '1:66'],
    ['signals: { phone.riskLevel: { at: a, values: { 1: hihg } } }', 'wrong-value', '1:51', 'did you mean "high"?'],
    ['signals: { phone.type: { at: a, values: { m: MOBILE } } }', 'wrong-value', '1:46', 'did you mean "mobile"?'],
    ['signals: { identity.verified: { at: a, values: { Y: "true" } } }', 'wrong-value', '1:53', 'did you mean "true"?'],
    ['signals: { phone.type: { at: a, values: { cell: mobile, CELL: voip } } }', 'duplicate-key', '1:57'],
    ['signals: { phone.porting.portCount: { at: a, take: count, values: { x: 1 } } }', 'wrong-value', '1:59'],
    ['signals: { email.domain.firstSeen: { at: a, never: { at: b } } }', 'missing-key', '1:54'],
    ['signals: { email.domain.firstSeen: { at: a, never: { at: b, is: [] } } }', 'empty', '1:65'],
    [
      'signals: { email.domain.firstSeen: { at: a, formats: [yyy-MM-dd] } }',
      'wrong-value',
      '1:55',
      'did you mean "yyyy-MM-dd"?',
    ],
    ['signals: { ip.isp: a }\nplaceholders: [[a]]', 'wrong-type', '2:16'],
    ['signals: { ip.isp: a }\nplaceholders: none', 'wrong-type', '2:15'],
    ['signals: { ip.isp: a }\nanswer: { at: s }', 'missing-key', '2:1'],
    ['signals: { ip.isp: a }\nanswer: { at: s, answerd: [ok] }', 'unknown-key', '2:18', 'did you mean "answered"?'],
    ['signals: { ip.isp: a }\nanswer: { at: s, answered: }', 'null-value', '2:18'],
    ['signals: { ip.isp: a }\nanswer: { answered: [ok] }', 'missing-key', '2:1'],
    [
      'signals: { ip.isp: a }\nanswer: { at: s, answered: [ok, ""] }\nsources: { x: { signals: [ip.isp] } }',
      'missing-key',
      '3:12',
    ],
    ['signals: { ip.isp: a }\nanswer:\n  at: s\n  answered:\n    - ', 'null-value', '5:7'],
    ['signals: { ip.isp: a }\nanswer: { at: s, answered: [[ok]] }', 'wrong-type', '2:29'],
    ['signals: { ip.isp: a }\nanswer: { at: s, error: e }', 'wrong-value', '2:1'],
    ['signals: { ip.isp: a }\nanswer: { answered: [null], error: e }', 'wrong-value', '2:1'],
    ['signals: { ip.isp: a }\nanswer: { error: }', 'null-value', '2:11'],
    ['signals: { ip.isp: a }\nanswer: { at: s, answered: [] }', 'empty', '2:28'],
    ['signals: { ip.isp: a }\nanswer: { reference: "$[" }', 'malformed', '2:22'],
    ['signals: { ip.isp: a }\nsources: { x: { at: s, answered: [ok] } }', 'missing-key', '2:12'],
    ['signals: { ip.isp: a }\nsources: { x: { answered: [ok], signals: [ip.isp] } }', 'missing-key', '2:12'],
    [
      'signals: { ip.isp: a }\nsources: { x: { at: s, answered: [ok], signals: [fone.*] } }',
      'unknown-fact',
      '2:50',
      'did you mean "phone.*"?',
    ],
    [
      'signals: { ip.isp: a }\nsources: { x: { at: s, answered: [ok], signals: [phone.country] } }',
      'unknown-fact',
      '2:50',
    ],
    ['signals: { ip.isp: a }\nsources: { x: { at: s, answered: [ok], signals: [domain.*] } }', 'unknown-fact', '2:50'],
    ['signals: { ip.isp: a }\nsources: { x: { at: s, answered: [ok], signals: [phone*] } }', 'unknown-fact', '2:50'],
    ['signals: { ip.isp: a }\nsources: { x: { at: s, answered: [ok], signals: [1] } }', 'wrong-type', '2:50'],
    ['signals: &a { ip.isp: a }', 'yaml-feature', '1:10'],
    ['signals: { ip.isp: a, ip.isp: b }', 'duplicate-key', '1:23'],
  ])('%s: %s', (yaml, code, at, hint?: string) => {
    const { mapping, diagnostics } = readYaml(yaml);
    expect(mapping).toBeUndefined();
    expect(diagnostics.map((one) => [one.code, `${one.position?.line}:${one.position?.column}`])).toEqual([[code, at]]);
    if (hint !== undefined) expect(diagnostics[0]?.hint).toBe(hint);
  });

  test('all mistakes at once, in the order of the file', () => {
    const { diagnostics } = readYaml(`
placeholders: { a: b }
signals:
  ip.ips: a
  phone.score: { at: "$.a[", rnage: [0, 1] }
  phone.riskLevel: { at: a, values: { x: extreme } }
sources: { x: { at: s, answered: [ok], signals: [nothing] } }
`);
    expect(diagnostics.map(({ code, position }) => [position?.line, code])).toEqual([
      [2, 'wrong-type'],
      [4, 'unknown-fact'],
      [5, 'malformed'],
      [5, 'unknown-key'],
      [6, 'wrong-value'],
      [7, 'unknown-fact'],
    ]);
  });

  test('a name that is also a placeholder is a warning', () => {
    const { mapping, diagnostics } = readYaml(
      'placeholders: [Unknown]\nsignals: { phone.type: { at: a, values: { UNKNOWN: other } } }',
    );
    expect(mapping).toBeDefined();
    expect(diagnostics.map(({ code, severity }) => [code, severity])).toEqual([['wrong-value', 'warning']]);
  });
});

describe('keys without effect, or that contradict another key, are reported at their position', () => {
  const DAY = 'email.domain.firstSeen';
  const COUNT = 'phone.porting.portCount';
  test.each([
    ['split without part or take', 'phone.score', '‹split: ";"', 'missing-key'],
    ['split at nothing', 'phone.score', 'split: ‹"", part: 1', 'empty'],
    ['split at a number', 'phone.score', 'split: ‹1, part: 1', 'wrong-type'],
    ['split at a list', 'phone.score', 'split: ‹[";"], take: max', 'wrong-type'],
    ['part without split', 'phone.score', '‹part: 2', 'missing-key'],
    ['part 0', 'phone.score', 'split: ";", part: ‹0', 'wrong-value'],
    ['part -1', 'phone.score', 'split: ";", part: ‹-1', 'wrong-value'],
    ['part 1.5', 'phone.score', 'split: ";", part: ‹1.5', 'wrong-type'],
    ['part with count', COUNT, 'take: count, split: ";", ‹part: 1', 'wrong-value'],
    ['values with count', COUNT, 'take: count, ‹values: { a: 1 }', 'wrong-value'],
    ['an unknown form', 'phone.score', 'form: ‹percentage', 'wrong-value'],
    ['a form of a count', COUNT, '‹form: fraction', 'wrong-value'],
    ['a form of a level', 'phone.riskLevel', '‹form: fraction', 'wrong-value'],
    ['a hemisphere of a score', 'phone.score', 'form: ‹hemisphere', 'wrong-value'],
    ['a fraction of a latitude', 'ip.location.latitude', 'form: ‹fraction', 'wrong-value'],
    ['a percentage of a longitude', 'ip.location.longitude', 'form: ‹percent', 'wrong-value'],
    ['range with fraction', 'phone.score', 'form: fraction, ‹range: [0, 10]', 'wrong-value'],
    ['range with percent', 'phone.score', '‹range: [0, 50], form: percent', 'wrong-value'],
    ['range with hemisphere', 'ip.location.latitude', 'form: hemisphere, ‹range: [0, 180]', 'wrong-value'],
    ['invert of a level', 'phone.riskLevel', '‹invert: true', 'wrong-value'],
    ['invert of a latitude', 'ip.location.latitude', '‹invert: true', 'wrong-value'],
    ['invert that is a text', 'phone.score', 'invert: ‹"yes"', 'wrong-type'],
    ['partial of a number', 'phone.score', '‹partial: latest', 'wrong-value'],
    ['an unknown partial', DAY, 'partial: ‹first', 'wrong-value'],
    ['partial without a format for it', DAY, 'formats: [epochMillis, isoDateTime], ‹partial: latest', 'wrong-value'],
    ['partial with daysAgo', DAY, 'formats: [yyyy-MM-dd, daysAgo], ‹partial: latest', 'wrong-value'],
    ['a format twice', DAY, 'formats: [dd/MM/yyyy, ‹dd/MM/yyyy]', 'duplicate-name'],
    ['day and month first', DAY, 'formats: [dd/MM/yyyy, yyyyMMdd, ‹M/d/yyyy]', 'wrong-value'],
    ['month and day first', DAY, 'formats: [MM/dd/yyyy, ‹d/M/yyyy]', 'wrong-value'],
    ['an unknown format', DAY, 'formats: [‹dd/MM/yy]', 'wrong-value'],
  ])('%s', (_, path, keys, code) => {
    const marked = `signals: { ${path}: { at: a, ${keys} } }`;
    const { mapping, diagnostics } = readYaml(marked.replace('‹', ''));
    expect(mapping).toBeUndefined();
    expect(diagnostics.map((one) => [one.code, one.position?.column])).toEqual([[code, marked.indexOf('‹') + 1]]);
  });

  test.each([
    ['invert alone', 'phone.score', 'invert: true'],
    ['a fraction that is inverted', 'phone.score', 'form: fraction, invert: true'],
    ['invert of a latitude that has a range', 'ip.location.latitude', 'range: [0, 180], invert: true'],
    ['take with a path to one value, which may be a list', 'phone.score', 'take: max'],
    ['several parts of which one is taken', 'phone.score', 'split: ",", part: 2, take: max'],
    ['two formats of one order', DAY, 'formats: [dd/MM/yyyy, d/M/yyyy]'],
    ['partial with the usual formats', DAY, 'partial: earliest'],
  ])('but not %s, which means something', (_, path, keys) => {
    expect(readYaml(`signals: { ${path}: { at: a, ${keys} } }`).diagnostics).toEqual([]);
  });
});

describe('facts that a mapping declares', () => {
  const declared = `
facts:
  identity.nameScore: { type: number, unit: percent, description: How well the name matched. }
  identity.document.kind: { type: enum, values: [passport, idCard] }
  identity.birthday: { type: date, past: true }
signals:
  identity.nameScore: { at: name, form: percent }
  identity.document.kind: { at: kind, values: { P: passport } }
  identity.birthday: { at: born, formats: [dd/MM/yyyy] }
sources: { kyc: { at: status, answered: [ok], signals: [identity.*] } }
`;
  const asked = { ...ASKED, composite: true };
  const answer = { name: '85.5%', kind: 'p', born: '01/02/1999', status: 'ok' };
  const identity = (given: ReadonlyMap<string, unknown>) =>
    Object.fromEntries([...given].filter(([path]) => path.startsWith('identity.') && path !== 'identity.verified'));

  test('are read like any other', () => {
    const mapping = mappingOf(declared);
    expect(identity(factsOf(answer, mapping, asked))).toEqual({
      'identity.nameScore': { value: 85.5 },
      'identity.document.kind': { value: 'passport' },
      'identity.birthday': { value: '1999-02-01' },
    });
    expect(mapping.facts.get('identity.nameScore')).toMatchObject({ origin: 'service', composite: true });
  });

  test('are missing with the same causes as any other', () => {
    const mapping = mappingOf(declared);
    const causes = (facts: ReadonlyMap<string, unknown>) => Object.values(identity(facts));
    const all = (missing: string) => [{ missing }, { missing }, { missing }];
    expect(causes(factsOf(answer, mapping))).toEqual(all('notRequested'));
    expect(causes(factsOf({ ...answer, status: 'timeout' }, mapping, asked))).toEqual(all('sourceFailed'));
    expect(causes(factsOf({ status: 'ok' }, mapping, asked))).toEqual(all('notReturned'));
    const unmapped = mappingOf('signals: { ip.isp: a }\nfacts: { identity.a: { type: boolean } }');
    expect(factsOf({}, unmapped, asked).get('identity.a')).toEqual({ missing: 'unmapped' });
  });

  test.each([
    ['facts: { ‹context.branch: { type: string } }', 'malformed'],
    ['facts: { ‹identity: { type: string } }', 'malformed'],
    ['facts: { ‹phone.mine: { type: string } }', 'malformed'],
    ['facts: { ‹__proto__: { type: string } }', 'malformed'],
    ['facts: { ‹identity.verified: { type: boolean } }', 'duplicate-name'],
    ['facts: { identity.a: { type: ‹text } }', 'wrong-value'],
    ['facts: { identity.a: { ‹type: enum } }', 'missing-key'],
    ['facts: { identity.a: { type: number, ‹range: [0, 1] } }', 'unknown-key'],
    ['facts: { identity.a: { type: number, ‹past: true } }', 'unknown-key'],
    ['facts: ‹{}', 'empty'],
    ['‹facts:', 'null-value'],
  ])('%s: %s', (marked, code) => {
    const { mapping, diagnostics } = readYaml(`signals: { ip.isp: a }\n${marked.replace('‹', '')}`);
    expect(mapping).toBeUndefined();
    expect(diagnostics.map((one) => [one.code, one.position?.column])).toEqual([[code, marked.indexOf('‹') + 1]]);
  });

  test('that cannot be read are not reported as unknown as well', () => {
    const use = 'signals: { identity.a: x }\nsources: { s: { at: y, answered: [ok], signals: [identity.a] } }';
    const codes = (yaml: string) => readYaml(yaml).diagnostics.map(({ code }) => code);
    expect(codes(`${use}\nfacts: { identity.a: { type: text } }`)).toEqual(['wrong-value']);
    expect(codes(`${use}\nfacts: [identity.a]`)).toEqual(['wrong-type']);
    expect(codes(use)).toEqual(['unknown-fact', 'unknown-fact']);
    expect(readYaml('signals: { identity.nameScore: x }').diagnostics[0]?.hint).toBe('declare it under `facts`');
  });

  test.each([
    ['range: [0, 1]', 'number'],
    ['invert: true', 'number'],
    ['form: fraction', 'number'],
    ['form: percent', 'integer'],
    ['take: latest', 'number'],
  ])('without a range of their own have no %s as a %s', (key, type) => {
    const { mapping, diagnostics } = readYaml(
      `facts: { identity.a: { type: ${type} } }\nsignals: { identity.a: { at: x, ${key} } }`,
    );
    expect(mapping).toBeUndefined();
    expect(diagnostics.map(({ code }) => code)).toEqual(['wrong-value']);
  });
});

describe('a file that cannot be loaded', () => {
  test('throws all its diagnostics', () => {
    expect(() => loadMapping('no-such-mapping.yaml')).toThrow(DiagnosticsError);
    try {
      loadMapping('no-such-mapping.yaml');
    } catch (error) {
      expect(error).toMatchObject({ code: 'MAPPING_INVALID', diagnostics: [{ code: 'file-unreadable' }] });
    }
  });

  test.each([
    '',
    '# nothing',
    ': :',
    '\0',
    '- [',
    '{ signals: { ip.isp: "\\ud800" } }',
    'signals: { phone.score: { at: a, range: [0, .inf] } }',
  ])('is never an exception: %j', (yaml) => {
    const { mapping, diagnostics } = readYaml(yaml);
    expect(mapping).toBeUndefined();
    expect(diagnostics.length).toBeGreaterThan(0);
  });
});
