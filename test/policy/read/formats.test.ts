/** Literals, entries and needles are read in the format of their fact, or refused with the form that was meant. */

import { describe, expect, it } from 'vitest';
import { DiagnosticsError, formatDiagnostic } from '../../../src/diagnostics.ts';
import type { Format } from '../../../src/platform/formats/format.ts';
import { FORMATS } from '../../../src/platform/formats/format.ts';
import { policyFromData } from '../../../src/policy/read/parse.ts';
import { policyData } from '../../../src/policy/source-map.ts';
import { policyOf } from '../../support/policy/policy.ts';
import { problemsOf, ruleWhen } from '../../support/policy/problems.ts';

/** A fact of each format. */
const PATHS: Readonly<Record<Format, string>> = {
  phone: 'applicant.phoneNo',
  email: 'applicant.email',
  domain: 'applicant.emailDomain',
  ip: 'applicant.ip',
  country: 'phone.country',
};

/** Each place of a text that a fact is compared with, marked. */
const PLACES: readonly (readonly [place: string, of: (path: string, text: string) => string])[] = [
  ['a literal', (path, text) => ruleWhen(`{ ${path}: ‹${text} }`)],
  ['a literal of isNot', (path, text) => ruleWhen(`{ ${path}: { isNot: ‹${text} } }`)],
  ['an element of in', (path, text) => ruleWhen(`{ ${path}: [‹${text}] }`)],
  ['an element of notIn', (path, text) => ruleWhen(`{ ${path}: { notIn: [‹${text}] } }`)],
  [
    'a cell',
    (path, text) =>
      `${ruleWhen('{ phone.valid: false }')}tables:\n  - { id: t, columns: [${path}, then], rows: [[‹${text}, review]] }\n`,
  ],
  ['an entry', (path, text) => ruleWhen(`{ ${path}: { inList: l } }`, `lists:\n  l: [‹${text}]\n`)],
  [
    'an entry that ends',
    (path, text) =>
      ruleWhen(`{ ${path}: { notInList: l } }`, `lists:\n  l: [{ value: ‹${text}, until: 2026-12-31 }]\n`),
  ],
];

const REFUSED: readonly (readonly [Format, text: string, hint: string | undefined])[] = [
  ['phone', '07400123456', 'write the country code in place of the 0, such as +44 for GB'],
  ['email', 'mail.example', 'to ask about a domain, test applicant.emailDomain with "mail.example"'],
  ['domain', '@spam.example', 'did you mean "spam.example"?'],
  [
    'domain',
    'ann@spam.example',
    'to ask about one address, test applicant.email; for everybody of the domain, write "spam.example"',
  ],
  ['domain', 'https://spam.example/x', 'did you mean "spam.example"?'],
  ['ip', '10.0.0.1', undefined],
  ['country', 'UK', 'did you mean "GB"?'],
  ['country', 'GBR', 'did you mean "GB"?'],
];

describe('a text that is not of the format of its fact is refused', () => {
  const rows = PLACES.flatMap(([place, of]) =>
    REFUSED.map(([format, text, hint]) => ({ place, of, format, text, hint })),
  );

  it.each(rows)('as $place: $format $text', ({ of, format, text, hint }) => {
    const { codes, places, marks, hints, loads } = problemsOf(of(PATHS[format], `"${text}"`));
    expect({ codes, places, hints, loads }).toEqual({
      codes: ['wrong-format'],
      places: marks,
      hints: [hint],
      loads: false,
    });
  });

  it('in a line of a list file, with the line', () => {
    const text = ruleWhen('{ applicant.phoneNo: { inList: l } }', 'lists:\n  l: { file: l.txt }\n');
    const { codes, places, marks } = problemsOf(text, {
      'l.txt': '+44 7400 123456\n# blocked\n  ‹07400123457 # by K.\n',
    });
    expect({ codes, places }).toEqual({ codes: ['wrong-format'], places: marks });
  });

  it('in a list of domains, for facts of the format domain alone', () => {
    const lists = 'facts:\n  context.host: { type: string }\nlists:\n  l: [‹"*.spam.example"]\n';
    const ofDomain = problemsOf(ruleWhen('{ applicant.emailDomain: { inDomainList: l } }', lists));
    expect({ codes: ofDomain.codes, places: ofDomain.places }).toEqual({
      codes: ['wrong-format'],
      places: ofDomain.marks,
    });
    expect(problemsOf(ruleWhen('{ context.host: { inDomainList: l } }', lists)).codes).toEqual([
      'warning near-pattern',
    ]);
  });

  describe('in a list of domains: a public suffix', () => {
    const asked = (lists: string) => ruleWhen('{ applicant.emailDomain: { inDomainList: l } }', `lists:\n${lists}`);

    it.each([
      ...['com', 'RU', 'com.ar', 'co.uk.', 'github.io', 'blogspot.com', 'kobe.jp', 'any.kobe.jp', 'рф', 'sch.uk'],
      ...['xyz', 'xn--p1ai', 'com.tr', 'asn.au', 'foo.ck', 'ck'],
    ])('%s is an error unless it is meant', (text) => {
      const { codes, places, marks, hints } = problemsOf(asked(`  l: [spam.example, ‹"${text}"]\n`));
      expect({ codes, places }).toEqual({ codes: ['wrong-value'], places: marks });
      expect(hints[0]).toMatch(/suffix: true/);
      expect(problemsOf(asked(`  l: [{ value: "${text}", suffix: true }]\n`)).codes).toEqual([]);
      expect(problemsOf(asked(`  l: { entries: ["${text}"], suffix: true }\n`)).codes).toEqual([]);
    });

    it.each(['spam.example', 'city.kobe.jp', 'www.ck', 'a.any.kobe.jp', 'bbc.co.uk', 'constructor.com', 'example'])(
      '%s is none',
      (text) => expect(problemsOf(asked(`  l: ["${text}"]\n`)).codes).toEqual([]),
    );

    it('of a file is an error at its line, once, unless the list has `suffix: true`', () => {
      const files = { 'l.txt': 'spam.example\n‹com.ar\n' };
      const policy = asked('  l: { file: l.txt }\n').replace(
        'rules:',
        'rules:\n  - { id: s, when: { applicant.emailDomain: { inDomainList: l } }, then: review }',
      );
      const { codes, places, marks } = problemsOf(policy, files);
      expect({ codes, places }).toEqual({ codes: ['wrong-value'], places: marks });
      const meant = policy.replace('l.txt', 'l.txt, suffix: true');
      expect(problemsOf(meant, { 'l.txt': 'spam.example\ncom.ar\n' }).codes).toEqual(['warning same-condition']);
    });

    it('is an entry like any other for inList', () => {
      const text = ruleWhen('{ applicant.emailDomain: { inList: l } }', 'lists:\n  l: [com.ar]\n');
      expect(problemsOf(text).codes).toEqual([]);
    });
  });

  it('but not in a policy on record, which an earlier version read', () => {
    const policy = policyOf(
      ruleWhen(
        '{ any: [{ applicant.emailDomain: { inDomainList: l } }, { applicant.phoneNo: { inList: p } }] }',
        'lists: { l: [of.example], p: ["4917012345670"] }\n',
      ),
    );
    const text = JSON.stringify(policyData(policy));
    const before = JSON.parse(text.replace('of.example', 'com').replace('"4917012345670"', '"491701234567.0"'));
    const lists = policyFromData(before).lists;
    expect([...lists.values()].map(({ entries }) => [...entries.keys()])).toEqual([['com'], ['4917012345670']]);
  });

  it('with an email that is a domain of a fact of your own, without a fact to ask instead', () => {
    const facts = 'facts:\n  context.email: { type: string, format: email }\n';
    expect(problemsOf(ruleWhen('{ context.email: "@mail.example" }', facts)).hints).toEqual([undefined]);
  });

  it('with a message that says what was expected', () => {
    const { diagnostics } = problemsOf(ruleWhen('{ applicant.phoneNo: "07400123456" }'));
    expect(diagnostics[0]?.message).toBe(
      'no value of applicant.phoneNo equals this text: it starts with 0: the international form, with the country code, was expected',
    );
  });
});

it('a refused text is in no message that a service may log, and in the diagnostics for `verdict check`', () => {
  const text = ruleWhen('{ applicant.phoneNo: { inList: l } }', 'lists:\n  l: { file: l.txt }\n');
  const { diagnostics } = problemsOf(text, { 'l.txt': '07400123457 # Jo\n' });
  expect(new DiagnosticsError('POLICY_INVALID', diagnostics).message).toMatch(/^1 error:\n.*l\.txt:1:1: error\[wrong-/);
  expect(new DiagnosticsError('POLICY_INVALID', diagnostics).message).not.toContain('07400123457');
  expect(diagnostics.map(formatDiagnostic).join()).toContain('07400123457');
});

it('an entry that is listed in two spellings counts until the later day', () => {
  const lists =
    'lists: { l: [{ value: "+447400123456", until: 2026-11-20 }, { value: "447400123456", until: 2026-11-30 }] }\n';
  const policy = policyOf(ruleWhen('{ applicant.phoneNo: { inList: l } }', lists));
  expect([...(policy.lists.get('l')?.entries ?? [])]).toEqual([['447400123456', '2026-11-30']]);
});

describe('a fact of your own', () => {
  it.each(FORMATS)('has the format that it declares: %s', (format) => {
    const [, wrong = ''] = REFUSED.find(([each]) => each === format) ?? [];
    const facts = `facts:\n  context.own: { type: string, format: ${format} }\n`;
    expect(problemsOf(ruleWhen(`{ context.own: "${wrong}" }`, facts)).codes).toEqual(['wrong-format']);
    expect(problemsOf(ruleWhen(`{ context.own: "${wrong}" }`, facts.replace(`, format: ${format}`, ''))).codes).toEqual(
      [],
    );
  });

  it('has a format only if it is a text', () => {
    const { codes, places, marks } = problemsOf(
      ruleWhen('{ context.own: 1 }', 'facts:\n  context.own: { type: number, ‹format: phone }\n'),
    );
    expect({ codes, places }).toEqual({ codes: ['unknown-key'], places: marks });
  });
});

describe('a list has the format of its facts', () => {
  const FACTS = 'facts:\n  context.plain: { type: string }\n  context.phone: { type: string, format: phone }\n';
  const USED = '{ any: [{ context.plain: { known: true } }, { context.phone: { known: true } }] }';
  const both = (one: string, other: string, entries = '"447400123456"') =>
    problemsOf(ruleWhen(`{ all: [{ ${one} }, { ${other} }, ${USED}] }`, `${FACTS}lists:\n  l: [${entries}]\n`));

  it('which is one', () => {
    const { codes, places, marks } = both('applicant.phoneNo: { inList: l }', 'applicant.ip: { notInList: ‹l }');
    expect({ codes, places }).toEqual({ codes: ['list-formats'], places: marks });
    expect(both('applicant.phoneNo: { inList: l }', 'context.phone: { notInList: l }').codes).toEqual([]);
  });

  it('or none', () => {
    const { codes, places, marks, hints } = both('context.plain: { inList: l }', 'context.phone: { inList: ‹l }');
    expect({ codes, places }).toEqual({ codes: ['list-formats'], places: marks });
    expect(hints).toEqual(['declare `format: phone` for context.plain']);
  });

  it('and inDomainList gives it none', () => {
    const asked = ['applicant.emailDomain: { inDomainList: l }', 'context.plain: { inList: l }'] as const;
    expect(both(...asked, 'mail.example').codes).toEqual([]);
    expect(both(...asked, '"*.mail.example"').codes).toEqual(['wrong-format']);
  });

  it('and inDomainList is for domains', () => {
    const { codes, places, marks } = problemsOf(
      ruleWhen('{ applicant.phoneNo: { ‹inDomainList: l } }', 'lists: { l: ["44"] }\n'),
    );
    expect(codes).toContain('operator-type');
    expect(places).toContain(marks[0]);
  });
});

describe('a block of addresses', () => {
  it.each([
    ['203.0.113.7/24', 'did you mean "203.0.113.0/24"?'],
    ['203.0.113.0/33', undefined],
    ['10.0.0.0/8', undefined],
  ])('that is none is refused: %s', (block, hint) => {
    const { codes, hints } = problemsOf(ruleWhen(`{ applicant.ip: ["${block}"] }`));
    expect({ codes, hints }).toEqual({ codes: ['wrong-format'], hints: [hint] });
  });

  it('is refused where one address is compared', () => {
    const { codes, hints } = problemsOf(ruleWhen('{ applicant.ip: 203.0.113.0/24 }'));
    expect({ codes, hints }).toEqual({ codes: ['wrong-format'], hints: ['for a block, write `in: [203.0.113.0/24]`'] });
  });
});

describe('a needle', () => {
  it.each([
    ['applicant.phoneNo', 'startsWith', '+44', 'did you mean "44"?'],
    ['applicant.phoneNo', 'startsWith', '07', undefined],
    ['applicant.email', 'endsWith', '@Bücher.example', 'did you mean "@xn--bcher-kva.example"?'],
    ['applicant.emailDomain', 'endsWith', '*.ru', 'did you mean ".ru"?'],
    ['applicant.emailDomain', 'contains', '@', undefined],
    ['applicant.ip', 'startsWith', '192.168.', undefined],
    ['phone.country', 'contains', 'gbr', undefined],
  ])('that no value has is refused: %s %s %s', (path, operator, needle, hint) => {
    const { codes, places, marks, hints } = problemsOf(ruleWhen(`{ ${path}: { ${operator}: ‹"${needle}" } }`));
    expect({ codes, places, hints }).toEqual({ codes: ['wrong-format'], places: marks, hints: [hint] });
  });

  it.each([
    ['applicant.phoneNo', 'startsWith', '4420'],
    ['applicant.phoneNo', 'contains', '00'],
    ['applicant.email', 'startsWith', 'noreply'],
    ['applicant.email', 'contains', '+'],
    ['applicant.email', 'endsWith', '@MAIL.example'],
    ['applicant.email', 'endsWith', '.ru'],
    ['applicant.emailDomain', 'endsWith', '.co.uk'],
    ['applicant.emailDomain', 'startsWith', 'xn--'],
    ['applicant.emailDomain', 'contains', '-'],
    ['applicant.ip', 'startsWith', '203.0.113.'],
    ['applicant.ip', 'endsWith', '.255'],
    ['phone.country', 'startsWith', 'g'],
  ])('that a value may have is taken: %s %s %s', (path, operator, needle) => {
    expect(problemsOf(ruleWhen(`{ ${path}: { ${operator}: "${needle}" } }`)).codes).toEqual([]);
  });

  it('may be anything in a text without a format', () => {
    expect(problemsOf(ruleWhen('{ ip.isp: { startsWith: "+44" } }')).codes).toEqual([]);
  });
});
