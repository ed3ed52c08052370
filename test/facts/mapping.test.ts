import { describe, expect, test } from 'vitest';
import { DiagnosticsError } from '../../src/diagnostics.ts';
import { CATALOG_TABLE } from '../../src/facts/catalog.ts';
import { loadMapping, readMapping } from '../../src/facts/mapping.ts';
import { mappingOf, readYaml } from './mapping-file.ts';

describe('the shipped mapping', () => {
  test('loads without a warning and has a place for every fact of the service', () => {
    const service = [...CATALOG_TABLE].filter(([, { origin }]) => origin === 'service').map(([path]) => path);
    expect([...loadMapping().signals.keys()].toSorted()).toEqual(service.toSorted());
    expect(readMapping(new URL('../../rules/signals.yaml', import.meta.url).pathname).diagnostics).toEqual([]);
  });

  test('has every fact of the service among the facts of a source', () => {
    const { sources, signals } = loadMapping();
    for (const path of signals.keys()) {
      expect(
        sources.some(({ facts }) => facts.has(path)),
        path,
      ).toBe(true);
    }
  });
});

describe('the digest', () => {
  test('is that of the data, whatever the comments and the order of the keys', () => {
    const one = mappingOf('signals: { ip.isp: a, phone.score: b }');
    const same = mappingOf('# isp\nsignals:\n  phone.score: "b"\n  ip.isp: a\n');
    expect(one.digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(same.digest).toBe(one.digest);
    expect(mappingOf('signals: { ip.isp: a, phone.score: c }').digest).not.toBe(one.digest);
  });
});

test('patterns name the facts of a source: one path, or all that begin alike', () => {
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

describe('a mistake is reported with its code, its line and what was meant', () => {
  test.each([
    ['signals: { ip.ips: a }', 'unknown-fact', '1:12', 'did you mean "ip.isp"?'],
    ['signals: { __proto__: a }', 'unknown-fact', '1:12'],
    ['signals: { phone.country: a }', 'wrong-value', '1:12'],
    ['signals: { applicant.email: a }', 'wrong-value', '1:12'],
    ['signal: { ip.isp: a }\nsignals: { ip.isp: a }', 'unknown-key', '1:1', 'did you mean "signals"?'],
    ['placeholders: [x]', 'missing-key', '1:1'],
    ['signals: {}', 'empty', '1:10'],
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
    ['signals: { ip.isp: a }\nanswer: { at: s, answered: [null] }', 'null-value', '2:29'],
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
    ['signals: &a { ip.isp: a }', 'yaml-feature', '1:10'],
    ['signals: { ip.isp: a, ip.isp: b }', 'duplicate-key', '1:23'],
  ])('%s: %s', (yaml, code, at, hint?: string) => {
    const { mapping, diagnostics } = readYaml(yaml);
    expect(mapping).toBeUndefined();
    expect(diagnostics.map((one) => [one.code, `${one.position?.line}:${one.position?.column}`])).toEqual([[code, at]]);
    if (hint !== undefined) expect(diagnostics[0]?.hint).toBe(hint);
  });

  test('all of them at once, in the order of the file', () => {
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

  test('a name that a placeholder hides is a warning', () => {
    const { mapping, diagnostics } = readYaml(
      'placeholders: [Unknown]\nsignals: { phone.type: { at: a, values: { UNKNOWN: other } } }',
    );
    expect(mapping).toBeDefined();
    expect(diagnostics.map(({ code, severity }) => [code, severity])).toEqual([['wrong-value', 'warning']]);
  });
});

test.each([
  ['split', '{ at: a, split: ";" }'],
  ['part', '{ at: a, part: 2 }'],
  ['invert', '{ at: a, range: [0, 1], invert: true }'],
  ['form', '{ at: a, form: fraction }'],
  ['partial', '{ at: a, partial: latest }'],
])('"%s" is refused, never ignored', (_, signal) => {
  const { mapping, diagnostics } = readYaml(`signals: { phone.score: ${signal} }`);
  expect(mapping).toBeUndefined();
  expect(diagnostics.map(({ code }) => code)).toEqual(['not-supported']);
});

test.each(['dd/MM/yyyy', 'yyyyMMdd', 'd MMM yyyy', 'epochSeconds', 'epochMillis', 'daysAgo'])(
  'the day format %s is refused, never ignored',
  (format) => {
    const { mapping, diagnostics } = readYaml(`signals: { email.domain.firstSeen: { at: a, formats: [${format}] } }`);
    expect(mapping).toBeUndefined();
    expect(diagnostics.map(({ code }) => code)).toEqual(['not-supported']);
  },
);

test('facts of its own are refused, never ignored', () => {
  const { diagnostics } = readYaml('signals: { ip.isp: a }\nfacts: { identity.name: { type: boolean } }');
  expect(diagnostics.map(({ code }) => code)).toEqual(['not-supported']);
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
