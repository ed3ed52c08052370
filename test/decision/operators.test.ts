/** Operators: how their arguments are spelt, their evidence, and what is refused. test/cases has their truths. */

import { describe, expect, it } from 'vitest';
import { OPERATOR_NAMES } from '../../src/policy/operators.ts';
import { decide, evidenceOf, truthOf } from '../support/policy/decide.ts';
import { policyOf } from '../support/policy/policy.ts';
import { problemsOf, ruleWhen } from '../support/policy/problems.ts';

/** The types and their operators, as documented. */
const EVERY = ['is', 'isNot', 'in', 'notIn', 'known'];
const ORDER = ['above', 'atLeast', 'below', 'atMost', 'between'];
const TEXT = ['startsWith', 'endsWith', 'contains', 'matches', 'inList', 'notInList', 'inDomainList'];
const DATES = ['withinLast', 'olderThan', 'before', 'after', 'never', 'yearsSince'];
const OPERATORS_OF: Readonly<Record<string, readonly string[]>> = {
  number: [...EVERY, ...ORDER],
  integer: [...EVERY, ...ORDER],
  level: [...EVERY, ...ORDER],
  boolean: EVERY,
  enum: EVERY,
  string: [...EVERY, ...TEXT],
  date: [...EVERY, ...DATES],
};
const AGAINST_FACT = ['is', 'isNot', 'above', 'atLeast', 'below', 'atMost', 'before', 'after'];
const TYPES = Object.keys(OPERATORS_OF);

/** A fact of each type and a second one, `context.<type>` and `context.<type>2`, and a list. */
const DECLARATIONS = `facts:\n${TYPES.flatMap((type) => {
  const values = type === 'enum' ? ', values: [web, app, Web]' : '';
  return [type, `${type}2`].map((name) => `  context.${name}: { type: ${type}${values} }\n`);
}).join('')}  context.enum3: { type: enum, values: [Web, app, web] }
  context.enum4: { type: enum, values: [web, app] }
lists:
  names: [Acme, mailinator.com, "e\\u0301cole.fr", uk]
`;

const when = (condition: string) => policyOf(ruleWhen(condition, DECLARATIONS));

const YEARS_HINT = 'years have no fixed length: test them with `yearsSince`, or write days or weeks';

/** Type, operator, argument in YAML, value of the fact, truth. */
type Example = [type: string, operator: string, argument: string, value: unknown, truth: boolean];

/** What test/cases does not have, which show every operator on every type: how arguments and values are spelt. */
const EXAMPLES: readonly Example[] = [
  ...['number', 'integer'].flatMap((type): Example[] => [
    [type, 'is', '-0', 0, true],
    [type, 'is', '0x10', 16, true],
    [type, 'above', '2.5', 3, true],
    [type, 'above', '2.5', 2, false],
    [type, 'below', '-1.5', -2, true],
    [type, 'between', '[10, 10]', 10, true],
    [type, 'between', '[9.5, 10.5]', 10, true],
  ]),
  ['number', 'is', '0.1', 0.1, true],
  ['number', 'is', '0.3', 0.1 + 0.2, false],
  ['number', 'above', '1e3', 1000, false],
  ['integer', 'atMost', '9007199254740991', Number.MAX_SAFE_INTEGER, true],
  // In alphabetical order `veryLow` would be last.
  ['level', 'above', 'low', 'veryLow', false],
  ['enum', 'is', 'web', 'Web', false],
  ['enum', 'in', '[web, app]', 'Web', false],

  ['string', 'is', '"10"', '10', true],
  ['string', 'contains', '"a.c"', 'abc', false],
  ['string', 'matches', '"^ACME"', 'acme telecom', true],
  ['string', 'matches', '"É"', 'e\u0301cole', true],
  ['string', 'matches', "'\\d{3}$'", 'node-12', false],
  ['string', 'inDomainList', 'names', 'bank.co.uk', true],
  ['string', 'inDomainList', 'names', '.', false],

  ['date', 'in', '[2026-11-01, never]', 'never', true],
  ['date', 'withinLast', '0 days', '2026-11-21', false], // it lies ahead
  ['date', 'withinLast', '2 weeks', '2026-11-06', true],
  ['date', 'withinLast', '2 weeks', '2026-11-05', false],
  ['date', 'withinLast', '1 week', '2026-11-13', true],
  ['date', 'withinLast', '3000 days', 'never', false],
  ['date', 'olderThan', '0 weeks', '2026-11-21', false],
  ['date', 'olderThan', '366 days', '2025-11-19', false],
  ['date', 'yearsSince', '{ above: 17.5, isNot: 20 }', '2008-11-20', true],
  ['date', 'yearsSince', '{ above: 17.5, isNot: 18 }', '2008-11-20', false],
  ['date', 'yearsSince', '{ is: -1 }', '2026-11-21', true],
];

describe('a test', () => {
  it.each(EXAMPLES)('of a %s: %s %s, of %j, is %j', async (type, operator, argument, value, truth) => {
    const policy = when(`{ context.${type}: { ${operator}: ${argument} } }`);
    expect(await truthOf(policy, { [`context.${type}`]: value })).toBe(truth);
  });

  it('has the operators that are listed here', () => {
    expect([...new Set(Object.values(OPERATORS_OF).flat())].toSorted()).toEqual([...OPERATOR_NAMES].toSorted());
  });

  it.each([
    ['a number', 'context.number: 5', { 'context.number': 5 }, { 'context.number': 6 }],
    ['a text', 'context.string: ACME', { 'context.string': 'acme' }, { 'context.string': 'beta' }],
    ['a boolean', 'context.boolean: false', { 'context.boolean': false }, { 'context.boolean': true }],
    ['a list', 'context.enum: [app, Web]', { 'context.enum': 'Web' }, { 'context.enum': 'web' }],
    [
      'another fact',
      'context.date: { fact: context.date2 }',
      { 'context.date': 'never', 'context.date2': 'never' },
      { 'context.date': 'never', 'context.date2': '2026-11-01' },
    ],
  ] as const)('without an operator asks whether the fact is %s', async (_what, test, holding, failing) => {
    const policy = when(`{ ${test} }`);
    expect([await truthOf(policy, holding), await truthOf(policy, failing), await truthOf(policy)]).toEqual([
      true,
      false,
      'unknown',
    ]);
  });

  it('of a number against an integer compares them as numbers', async () => {
    const policy = when('{ context.number: { above: { fact: context.integer } } }');
    expect(await truthOf(policy, { 'context.number': 2.5, 'context.integer': 2 })).toBe(true);
    const other = when('{ context.integer: { is: { fact: context.number } } }');
    expect(await truthOf(other, { 'context.number': 2, 'context.integer': 2 })).toBe(true);
  });

  it('of an enum against one with the same values in another order compares them', async () => {
    const policy = when('{ context.enum: { is: { fact: context.enum3 } } }');
    expect(await truthOf(policy, { 'context.enum': 'app', 'context.enum3': 'app' })).toBe(true);
  });

  it('of a past date that is a day ahead takes it as today; of one further ahead it is unknown', async () => {
    const policy = when('{ phone.porting.portedDate: { withinLast: 0 days } }');
    expect(await truthOf(policy, { 'phone.porting.portedDate': '2026-11-21' })).toBe(true);
    expect(await truthOf(policy, { 'phone.porting.portedDate': '2026-11-22' })).toBe('unknown');
  });

  it('of a value of another type is unknown', async () => {
    const policy = when(
      '{ any: [{ context.number: 10 }, { context.boolean: true }, { context.level: high }, { context.string: "10" }] }',
    );
    const given = { 'context.number': '10', 'context.boolean': 'true', 'context.level': 'HIGH', 'context.string': 10 };
    expect(await truthOf(policy, given)).toBe('unknown');
  });

  it('has the operators of one fact in the order of the table, whatever their order in the policy', async () => {
    const policy = when(
      '{ context.number: { between: [0, 9], atMost: 9, below: 9, atLeast: 1, above: 1, ' +
        'known: true, notIn: [8], in: [5], isNot: 4, is: 5 } }',
    );
    const evidence = await evidenceOf(policy, { 'context.number': 5 });
    expect(evidence.map(({ operator }) => operator)).toEqual([
      'is',
      'isNot',
      'in',
      'notIn',
      'known',
      'above',
      'atLeast',
      'below',
      'atMost',
      'between',
    ]);
  });

  it('shows the argument as written and the value as it came in its evidence', async () => {
    const policy = when(
      '{ context.string: { is: " ACME", matches: "^A", isNot: { fact: context.string2 } }, ' +
        'context.date: { withinLast: 2 weeks } }',
    );
    const given = { 'context.string': 'Acme ', 'context.string2': 'BETA', 'context.date': '2026-11-10' };
    expect(await evidenceOf(policy, given)).toEqual([
      { fact: 'context.date', operator: 'withinLast', expected: '2 weeks', value: '2026-11-10' },
      { fact: 'context.string', operator: 'is', expected: ' ACME', value: 'Acme ' },
      {
        fact: 'context.string',
        operator: 'isNot',
        expected: { fact: 'context.string2' },
        value: 'Acme ',
        other: { fact: 'context.string2', value: 'BETA' },
      },
      { fact: 'context.string', operator: 'matches', expected: '^A', value: 'Acme ' },
    ]);
  });

  it('against a missing fact names both missing facts, the subject first', async () => {
    const policy = when('{ context.number2: { above: { fact: context.number } } }');
    const { undetermined } = await decide(policy);
    expect(undetermined[0]?.missing.map(({ fact }) => fact)).toEqual(['context.number2', 'context.number']);
  });
});

const ARGUMENTS: Readonly<Record<string, string>> = {
  in: '[a]',
  notIn: '[a]',
  known: 'true',
  between: '[1, 2]',
  withinLast: '1 day',
  olderThan: '1 day',
  before: '2026-01-01',
  after: '2026-01-01',
  never: 'true',
  yearsSince: '{ atLeast: 1 }',
  inList: 'names',
  notInList: 'names',
  inDomainList: 'names',
};

describe('an operator is refused', () => {
  const LACKING = TYPES.flatMap((type) =>
    [...new Set(Object.values(OPERATORS_OF).flat())]
      .filter((name) => !OPERATORS_OF[type]?.includes(name))
      .map((name) => [name, type] as const),
  );
  it.each(LACKING)('%s, of a %s', (name, type) => {
    const condition = `{ context.${type}: { ‹${name}: ${ARGUMENTS[name] ?? '1'} } }`;
    const { codes, places, marks, diagnostics } = problemsOf(ruleWhen(condition, DECLARATIONS));
    expect({ codes, places }).toEqual({ codes: ['operator-type'], places: marks });
    expect(diagnostics[0]?.message).toContain(OPERATORS_OF[type]?.join(', '));
  });

  const ALONE = TYPES.flatMap((type) =>
    (OPERATORS_OF[type] ?? []).filter((name) => !AGAINST_FACT.includes(name)).map((name) => [name, type] as const),
  );
  it.each(ALONE)('%s, of a %s against another fact', (name, type) => {
    const condition = `{ context.${type}: { ${name}: { ‹fact: context.${type}2 } } }`;
    const { codes, places, marks } = problemsOf(ruleWhen(condition, DECLARATIONS));
    expect({ codes, places }).toEqual({ codes: ['operator-type'], places: marks });
  });

  const PAIRS = [...TYPES, 'enum4'].flatMap((type) =>
    [...TYPES, 'enum4'].filter((other) => other !== type).map((other) => [type, other] as const),
  );
  const isNumeric = (type: string) => type === 'number' || type === 'integer';
  it.each(PAIRS.filter(([type, other]) => !(isNumeric(type) && isNumeric(other))))(
    'of a %s against a %s',
    (type, other) => {
      const condition = `{ context.${type}: { is: { fact: ‹context.${other} } } }`;
      const { codes, places, marks, diagnostics } = problemsOf(ruleWhen(condition, DECLARATIONS));
      expect({ codes, places }).toEqual({ codes: ['fact-types'], places: marks });
      const areEnums = type.startsWith('enum') && other.startsWith('enum');
      expect(diagnostics[0]?.message).toMatch(areEnums ? /: their values differ$/ : / is (a|an) \w+, /);
    },
  );

  it.each([
    ['that there is not', 'context.number: { ‹abvoe: 1 }', 'unknown-operator', 'did you mean "above"?'],
    ['that another language has', 'context.number: { ‹">=": 1 }', 'unknown-operator'],
    ['in other letters', 'context.string: { ‹startswith: a }', 'unknown-operator', 'did you mean "startsWith"?'],
    [
      'against an unknown fact',
      'context.number: { is: { fact: ‹context.nmber2 } }',
      'unknown-fact',
      'did you mean "context.number2"?',
    ],
    ['against a fact that is no text', 'context.number: { is: { fact: ‹1 } }', 'wrong-type'],
    ['without an argument', 'context.number: { above: ‹~ }', 'null-value'],
    ['without any', 'context.number: ‹{}', 'empty'],
  ])('%s', (_what, test, code, hint?: string) => {
    const { codes, places, marks, hints } = problemsOf(ruleWhen(`{ ${test} }`, DECLARATIONS));
    expect({ codes, places }).toEqual({ codes: [code], places: marks });
    if (hint) expect(hints).toEqual([hint]);
  });
});

describe('an argument is refused', () => {
  it.each([
    ['number', 'is: ‹"10"', 'wrong-type', 'remove the quotes'],
    ['number', 'is: ‹true', 'wrong-type'],
    ['number', 'is: ‹ten', 'wrong-type'],
    ['number', 'is: ‹[10]', 'wrong-type'],
    ['number', 'in: [1, ‹"2"]', 'wrong-type'],
    ['number', 'in: ‹[]', 'empty'],
    ['number', 'in: ‹5', 'wrong-type'],
    ['number', 'notIn: ‹[]', 'empty'],
    ['number', 'in: [1, ‹~]', 'null-value'],
    ['number', 'above: ‹high', 'wrong-type'],
    ['number', 'between: ‹[2, 1]', 'wrong-value'],
    ['number', 'between: ‹[1]', 'wrong-value'],
    ['number', 'between: ‹[1, 2, 3]', 'wrong-value'],
    ['number', 'between: ‹[]', 'empty'],
    ['number', 'between: [1, ‹~]', 'null-value'],
    ['number', 'between: ‹5', 'wrong-type'],
    ['number', 'known: ‹"yes"', 'wrong-type'],
    ['integer', 'is: ‹2.5', 'wrong-type'],
    ['integer', 'isNot: ‹2.5', 'wrong-type'],
    ['integer', 'in: [2, ‹2.5]', 'wrong-type'],
    ['integer', 'is: ‹9007199254740993', 'wrong-type'],
    ['level', 'atLeast: ‹hihg', 'wrong-value', 'did you mean "high"?'],
    ['level', 'atLeast: ‹HIGH', 'wrong-value', 'did you mean "high"?'],
    ['level', 'atLeast: ‹3', 'wrong-type'],
    ['level', 'between: ‹[high, low]', 'wrong-value'],
    ['level', 'in: [high, ‹severe]', 'wrong-value'],
    ['boolean', 'is: ‹"true"', 'wrong-type'],
    ['boolean', 'is: ‹yes', 'wrong-type'],
    ['boolean', 'is: ‹1', 'wrong-type'],
    ['enum', 'is: ‹weeb', 'wrong-value', 'did you mean "web"?'],
    ['enum', 'is: ‹APP', 'wrong-value', 'did you mean "app"?'],
    ['string', 'is: ‹+447400123456', 'wrong-type', 'put it in quotes: "+447400123456"'],
    ['string', 'is: ‹""', 'empty'],
    ['string', 'is: ‹"\\uFEFF"', 'empty'],
    ['string', 'in: [a, ‹" "]', 'empty'],
    ['string', 'startsWith: ‹""', 'empty'],
    ['string', 'endsWith: ‹" \\u0085"', 'empty'],
    ['string', 'contains: ‹""', 'empty'],
    ['string', 'matches: ‹"(a"', 'bad-pattern'],
    ['string', 'matches: ‹"(?=a)"', 'bad-pattern'],
    ['string', 'matches: ‹"(?<!a)b"', 'bad-pattern'],
    ['string', "matches: ‹'(a)\\1'", 'bad-pattern'],
    ['string', 'matches: ‹"a{2000}"', 'bad-pattern'],
    ['string', 'matches: ‹1', 'wrong-type'],
    ['string', 'inList: ‹nmaes', 'unknown-list', 'did you mean "names"?'],
    ['string', 'inDomainList: ‹[a.com]', 'wrong-type'],
    ['date', 'is: ‹2026-02-29', 'malformed'],
    ['date', 'is: ‹20261101', 'wrong-type'],
    ['date', 'is: ‹2026-1-1', 'malformed'],
    ['date', 'is: ‹Never', 'malformed'],
    ['date', 'is: ‹2026-11-01T00:00:00Z', 'malformed'],
    ['date', 'in: [never, ‹yesterday]', 'malformed'],
    ['date', 'before: ‹never', 'malformed', 'write `never: true` or `never: false` instead'],
    ['date', 'after: ‹never', 'malformed', 'write `never: true` or `never: false` instead'],
    ['date', 'before: ‹2026-13-01', 'malformed'],
    ['date', 'withinLast: ‹30', 'wrong-type', 'write "30 days"'],
    ['date', 'withinLast: ‹30 dys', 'malformed'],
    ['date', 'withinLast: ‹30days', 'malformed'],
    ['date', 'withinLast: ‹-1 days', 'malformed'],
    ['date', 'withinLast: ‹1.5 days', 'malformed'],
    ['date', 'withinLast: ‹days', 'malformed'],
    ['date', 'withinLast: ‹1 month', 'malformed', 'months have no fixed length: write days or weeks'],
    ['date', 'olderThan: ‹2 years', 'malformed', YEARS_HINT],
    ['date', 'yearsSince: ‹18', 'wrong-type', 'write "{ atLeast: 18 }"'],
    ['date', 'yearsSince: ‹[18]', 'wrong-type'],
    ['date', 'yearsSince: ‹{}', 'empty'],
    ['date', 'yearsSince: { ‹known: true }', 'unknown-key'],
    ['date', 'yearsSince: { ‹bellow: 18 }', 'unknown-key', 'did you mean "below"?'],
    ['date', 'yearsSince: { below: ‹"18" }', 'wrong-type', 'remove the quotes'],
    ['date', 'yearsSince: { ‹below: ~ }', 'null-value'],
    ['date', 'yearsSince: { is: ‹17.5 }', 'wrong-type'],
    ['date', 'yearsSince: { between: ‹[25, 18] }', 'wrong-value'],
    ['date', 'yearsSince: { in: ‹[] }', 'empty'],
    ['date', 'yearsSince: { below: ‹{ fact: context.integer } }', 'wrong-type'],
    ['date', 'yearsSince: { ‹fact: context.date2 }', 'operator-type'],
    ['date', 'never: ‹"true"', 'wrong-type'],
  ])('of a %s: %s', (type, test, code, hint?: string) => {
    const { codes, places, marks, hints } = problemsOf(ruleWhen(`{ context.${type}: { ${test} } }`, DECLARATIONS));
    expect({ codes, places }).toEqual({ codes: [code], places: marks });
    if (hint) expect(hints).toEqual([hint]);
  });
});
