/** The checks of every SQL engine: conformance cases, random cases, and what tables and texts can contain. */

import { deepEqual, equal, ok } from 'node:assert/strict';
import * as fc from 'fast-check';
import { formatRefusal } from '../../../src/decision/sql/dialect.ts';
import { type SqlOptions, toSql } from '../../../src/decision/sql/sql.ts';
import { columnOf, neverColumnOf } from '../../../src/decision/sql/table-columns.ts';
import type { FactType } from '../../../src/facts/catalog.ts';
import { COMPUTATION_NAMES, setComputed } from '../../../src/facts/compute.ts';
import type { Fact } from '../../../src/facts/fact.ts';
import type { Policy } from '../../../src/policy/language.ts';
import { operatorRow, operatorsOf } from '../../../src/policy/operators.ts';
import { sampled } from '../sampled.ts';
import { SEED } from '../seed.ts';
import { aCase } from './arbitrary.ts';
import { loadPlainPolicy, loadPolicyAsIs } from './case.ts';
import { caseFiles, factsOfCase, readCaseFile } from './case-file.ts';
import { type Cell, type CellType, type FactsTable, factsTable, resultOf } from './facts-table.ts';
import type { PlainCondition, PlainFact, PlainFacts, PlainPolicy } from './plain.ts';
import { escapeCondition } from './plain-parameters.ts';
import { referenceVerdict } from './reference.ts';
import type { SqlEngine } from './sql-engines.ts';

/** A check on an engine. Policy files go into the folder. */
export interface SqlCheck {
  readonly name: string;
  run(engine: SqlEngine, folder: string): Promise<void>;
}

/** Every conformance case, with the day as a literal and as a column by turns. */
export function conformanceChecks(): readonly SqlCheck[] {
  const cases = caseFiles().flatMap((path) => readCaseFile(path).cases);
  return cases.map((each, i) => ({
    name: each.name,
    run: async (engine, folder) => {
      const policy = loadPolicyAsIs(each.policy, folder);
      const table = factsTable(policy, [factsOfCase(each)], each.day);
      const at = i % 2 === 0 ? each.day : { column: 'at' };
      await compare(engine, policy, table, [resultOf(policy, each.expected)], { at });
    },
  }));
}

/** Random policies, each with applicants near its limits. */
export function randomCheck(policies: number, applicants: number): SqlCheck {
  return {
    name: `${policies} random policies with ${applicants} applicants each`,
    run: (engine, folder) =>
      fc.assert(
        fc.asyncProperty(aCase({ applicants }), fc.boolean(), async (given, isLiteral) => {
          const policy = loadPlainPolicy(given.policy, folder);
          const table = factsTable(policy, given.applicants, given.day);
          const expected = given.applicants.map((facts) =>
            resultOf(policy, referenceVerdict(given.policy, facts, given.day)),
          );
          await compare(engine, policy, table, expected, { at: isLiteral ? given.day : { column: 'at' } });
        }),
        { numRuns: policies },
      ),
  };
}

/** Runs a policy's SELECT over a table and compares each row. A refusal must name something that the dialect lacks. */
async function compare(
  engine: SqlEngine,
  policy: Policy,
  table: FactsTable,
  expected: readonly object[],
  options: Pick<SqlOptions, 'at' | 'columns'>,
): Promise<void> {
  const { dialect } = engine;
  const { sql, refusals } = toSql(policy, { dialect, table: 'facts', keys: ['id'], ...options });
  if (sql === undefined) {
    ok(dialect === 'postgres' && refusals.length > 0, refusals.map(formatRefusal).join('\n'));
    for (const refusal of refusals) equal(refusal.code, 'sql-pattern');
    return;
  }
  const rows = await engine.run(table, sql);
  equal(rows.length, expected.length);
  for (const { id, ...row } of rows) deepEqual(row, expected[id]);
}

const DAY = '2026-11-20';

/** The effect of every rule of these checks. */
const then = 'review';

/** A policy with a rule for each condition. */
function asking(facts: PlainPolicy['facts'], ...whens: readonly object[]): PlainPolicy {
  return {
    default: 'accept',
    ...(facts ? { facts } : {}),
    rules: whens.map((when, i) => ({ id: `rule-${i}`, when: when as PlainCondition, then })),
  };
}

/** A cell (for a date, with its `never` cell), and the fact that it means. */
type Meaning = readonly [cells: readonly Cell[], means: PlainFact];

interface ValueCheck {
  readonly path: string;
  readonly types: readonly CellType[];
  readonly facts?: PlainPolicy['facts'];
  readonly asks: readonly object[];
  readonly meanings: readonly Meaning[];
  /** Set if ClickHouse has no such value. */
  readonly others?: readonly Meaning[];
}

const MISSING: PlainFact = { missing: 'invalid' };
const is = (value: number | string | boolean): PlainFact => ({ value });

/** Values of columns that facts cannot have, and the facts that they become. */
const VALUES: readonly ValueCheck[] = [
  {
    path: 'context.amount',
    types: ['number'],
    facts: { 'context.amount': { type: 'number' } },
    asks: [{ above: 0 }, { is: 0 }, { isNot: 0.1 }, { in: [0.1, 5e-324, 1e308] }, { atMost: -1e300 }],
    meanings: [
      [[Number.NaN], MISSING],
      [[Number.POSITIVE_INFINITY], MISSING],
      [[Number.NEGATIVE_INFINITY], MISSING],
      [[null], MISSING],
      [[-0], is(0)],
      ...[0, 0.1, 0.1 + Number.EPSILON / 16, 5e-324, -5e-324, 1e308, -1e308, 1.7976931348623157e308].map(
        (value): Meaning => [[value], is(value)],
      ),
    ],
  },
  {
    path: 'phone.score',
    types: ['number'],
    asks: [{ above: 99 }, { below: 1 }],
    meanings: [
      [[100], is(100)],
      [[0], is(0)],
      [[100.00000000000001], MISSING],
      [[-5e-324], MISSING],
      [[Number.NaN], MISSING],
      [[Number.POSITIVE_INFINITY], MISSING],
    ],
  },
  {
    path: 'context.count',
    types: ['number'],
    facts: { 'context.count': { type: 'integer' } },
    asks: [{ above: 2.5 }, { is: 3 }, { atLeast: Number.MAX_SAFE_INTEGER }],
    meanings: [
      [[2.5], MISSING],
      [[3], is(3)],
      [[2 ** 53], MISSING],
      [[Number.MAX_SAFE_INTEGER], is(Number.MAX_SAFE_INTEGER)],
      [[Number.NaN], MISSING],
      [[Number.NEGATIVE_INFINITY], MISSING],
    ],
  },
  {
    path: 'email.darkWeb.hitCount',
    types: ['integer'],
    asks: [{ below: 1 }],
    meanings: [
      [[0], is(0)],
      [[-1], MISSING],
      [[7], is(7)],
    ],
  },
  {
    path: 'phone.riskLevel',
    types: ['text'],
    asks: [{ atLeast: 'high' }, { is: 'veryLow' }],
    meanings: [
      [['HIGH'], MISSING],
      [['high '], MISSING],
      [['3'], MISSING],
      [[''], MISSING],
      [['high'], is('high')],
      [['veryLow'], is('veryLow')],
    ],
  },
  {
    path: 'phone.type',
    types: ['text'],
    asks: [{ is: 'voip' }, { notIn: ['mobile', 'voip'] }],
    meanings: [
      [['Voip'], MISSING],
      [['carrier pigeon'], MISSING],
      [[''], MISSING],
      [['voip'], is('voip')],
      [['pager'], is('pager')],
    ],
  },
  {
    path: 'ip.isp',
    types: ['text'],
    asks: [{ isNot: 'acme' }, { matches: '^$' }, { contains: 'c' }],
    meanings: [
      [[''], MISSING],
      [[null], MISSING],
      [['acme'], is('acme')],
    ],
  },
  {
    path: 'applicant.phoneNo',
    types: ['text'],
    asks: [{ isNot: '447400123456' }, { notIn: ['12025550143'] }],
    meanings: [
      [['447400123456'], is('447400123456')],
      ...['+447400123456', '44 7400 123456', '07400123456', '123456', '447400123456\n', 'x', ''].map(
        (raw): Meaning => [[raw], MISSING],
      ),
    ],
  },
  {
    path: 'applicant.email',
    types: ['text'],
    asks: [{ isNot: 'ann@spam.example' }],
    meanings: [
      [['ann@spam.example'], is('ann@spam.example')],
      [['jörg@spam.example'], is('jörg@spam.example')],
      ...['Ann@spam.example', 'ann@spam.example.', '<ann@spam.example>', 'ann@sp\uff41m.example', 'ann', 'a@b@c'].map(
        (raw): Meaning => [[raw], MISSING],
      ),
    ],
  },
  {
    path: 'applicant.emailDomain',
    types: ['text'],
    asks: [{ isNot: 'spam.example' }],
    meanings: [
      [['spam.example'], is('spam.example')],
      [['ru'], is('ru')],
      ...[
        'Spam.example',
        'spam.example.',
        '@spam.example',
        'spam\u3002example',
        ' spam.example',
        'sp\u00adam.example',
      ].map((raw): Meaning => [[raw], MISSING]),
    ],
  },
  {
    path: 'applicant.ip',
    types: ['text'],
    asks: [{ isNot: '203.0.113.9' }],
    meanings: [
      [['203.0.113.9'], is('203.0.113.9')],
      ...['::ffff:203.0.113.9', '203.0.113.09', '203.0.113.256', '203.0.113', '203.0.113.9\n'].map(
        (raw): Meaning => [[raw], MISSING],
      ),
    ],
  },
  {
    path: 'phone.country',
    types: ['text'],
    asks: [{ isNot: 'GB' }],
    meanings: [[['gb'], is('gb')], ...['GB', 'gbr', 'g', ' gb'].map((raw): Meaning => [[raw], MISSING])],
  },
  {
    path: 'email.domain.firstSeen',
    types: ['date', 'boolean'],
    asks: [
      { withinLast: '0 days' },
      { olderThan: '30 days' },
      { never: true },
      { never: false },
      { after: '2026-11-19' },
      { before: '1900-01-02' },
      { isNot: DAY },
      { in: ['never', DAY] },
    ],
    meanings: [
      [['2026-11-20', false], is(DAY)],
      [['2026-11-21', false], is('2026-11-21')], // a day ahead: today, as the reference knows
      [['2026-11-22', false], MISSING],
      [['2299-12-31', null], MISSING],
      [['1900-01-01', null], is('1900-01-01')],
      [[null, true], is('never')],
      [[null, false], MISSING],
      [[null, null], MISSING],
      [['2026-01-01', true], MISSING],
      [['2026-01-01', null], is('2026-01-01')],
    ],
  },
  {
    path: 'context.until',
    types: ['date', 'boolean'],
    facts: { 'context.until': { type: 'date' } },
    asks: [{ withinLast: '3 days' }, { after: DAY }, { before: '2027-01-01' }, { is: 'never' }],
    meanings: [
      [['2026-11-22', false], is('2026-11-22')],
      [['2299-12-31', false], is('2299-12-31')],
      [[null, true], is('never')],
    ],
    others: [
      [['0001-01-01', false], is('0001-01-01')],
      [['9999-12-31', false], is('9999-12-31')],
      [['infinity', false], MISSING],
      [['-infinity', false], MISSING],
    ],
  },
];

/** Columns with values that facts cannot have are read too. */
const VALUE_CHECKS: readonly SqlCheck[] = VALUES.map(({ path, types, facts, asks, meanings: common, others = [] }) => ({
  name: `every value of a column of ${path} is a value of the fact, or missing`,
  run: async (engine, folder) => {
    const meanings = engine.dialect === 'clickhouse' ? common : [...common, ...others];
    const whens = [{ known: true }, ...asks].map((asked) => ({ [path]: asked }));
    const sayable = whens.filter((when) => engine.dialect !== 'postgres' || !('matches' in Object(when[path])));
    const plain = asking(facts, ...sayable);
    const policy = loadPolicyAsIs(plain, folder);
    const name = columnOf(path);
    const columns = types.map((type, i) => ({ name: i === 0 ? name : neverColumnOf(name), type }));
    const table: FactsTable = {
      columns: [{ name: 'id', type: 'id' }, ...columns],
      rows: meanings.map(([cells], id) => [id, ...cells]),
    };
    const expected = meanings.map(([, fact]) => resultOf(policy, referenceVerdict(plain, { [path]: fact }, DAY)));
    await compare(engine, policy, table, expected, { at: DAY });
  },
}));

/** Values of each type: some equal, some different, and `never`. */
const PAIRED: Readonly<Record<FactType, readonly (number | string | boolean)[]>> = {
  number: [0, 0.1, 2],
  integer: [0, 2, 3],
  level: ['veryLow', 'high'],
  boolean: [true, false],
  enum: ['b', 'a'],
  string: ['a', 'b', 'ab'],
  date: ['never', '2026-11-19', DAY],
};

/** Two facts of each type, with every value and missing, compared by every operator. */
const pairChecks: readonly SqlCheck[] = Object.entries(PAIRED).map(([name, values]) => ({
  name: `two facts of the type ${name} compare as facts do, whichever is missing`,
  run: async (engine, folder) => {
    const type = name as FactType;
    const definition = { type, ...(type === 'enum' ? { values: values.map(String) } : {}) };
    const operators = operatorsOf({ type }).filter((operator) => operatorRow(operator).againstFact);
    const whens = operators.map((operator) => ({ 'context.one': { [operator]: { fact: 'context.other' } } }));
    const plain = asking({ 'context.one': definition, 'context.other': definition }, ...whens);
    const policy = loadPolicyAsIs(plain, folder);
    const facts: readonly PlainFact[] = [MISSING, ...values.map(is)];
    const applicants = facts.flatMap((one) => facts.map((other) => ({ 'context.one': one, 'context.other': other })));
    const expected = applicants.map((each) => resultOf(policy, referenceVerdict(plain, each, DAY)));
    await compare(engine, policy, factsTable(policy, applicants, DAY), expected, { at: DAY });
  },
}));

/** Where steps of a computation branch: at 0, at 1, and where numbers overflow and vanish. */
const OPERANDS = [0, -0, 5e-324, 1e-320, -1e-200, 0.5, -1, 1, 3, 1e200, -1.7e308];

/** Every computation of two numbers, of which any may be missing. */
const computationCheck: SqlCheck = {
  name: 'a computed fact is missing where an operand is',
  run: async (engine, folder) => {
    const operands = ['context.one', 'context.other'];
    const names = COMPUTATION_NAMES.filter((name) => name !== 'daysBetween');
    const computed = names.map(
      (name) => [`context.${name}`, { type: 'number', compute: { [name]: operands } }] as const,
    );
    const given = operands.map((path) => [path, { type: 'number' }] as const);
    const limits = [0, 1, -1].map((limit) => ({ atMost: limit }));
    const whens = computed.flatMap(([path]) => [{ known: true }, ...limits].map((test) => ({ [path]: test })));
    const plain = asking(Object.fromEntries([...given, ...computed]), ...whens);
    const policy = loadPolicyAsIs(plain, folder);
    const facts: readonly PlainFact[] = [MISSING, ...OPERANDS.map(is)];
    const applicants = facts.flatMap((one) => facts.map((other) => ({ 'context.one': one, 'context.other': other })));
    const expected = applicants.map((each) => resultOf(policy, referenceVerdict(plain, each, DAY)));
    await compare(engine, policy, factsTable(policy, applicants, DAY), expected, { at: DAY });
  },
};

/** Amounts, shares, whole numbers and doubles of any size. */
const ANY_NUMBER = fc.oneof(
  fc.integer({ min: -1e11, max: 1e11 }).map((cents) => cents / 100),
  fc.integer({ min: 0, max: 1e6 }).map((share) => share / 1e6),
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.double({ min: 1e-25, max: 1e-3, noNaN: true }),
);

/** Every computation of two numbers gives the double that the other runners give. */
const decimalCheck: SqlCheck = {
  name: 'a computed fact is the same double',
  run: async (engine, folder) => {
    const operands = ['context.one', 'context.other'];
    const names = COMPUTATION_NAMES.filter((name) => name !== 'daysBetween');
    const number = { type: 'number' } as const;
    const computed = names.map((name) => [`context.${name}`, { ...number, compute: { [name]: operands } }] as const);
    const given = [...operands, ...names.map((name) => `context.${name}Wanted`)].map((path) => [path, number] as const);
    const whens = names.map((name) => ({ [`context.${name}`]: { is: { fact: `context.${name}Wanted` } } }));
    const plain = asking(Object.fromEntries([...given, ...computed]), ...whens);
    const policy = loadPolicyAsIs(plain, folder);
    const pairs = fc.sample(fc.tuple(ANY_NUMBER, ANY_NUMBER), {
      numRuns: sampled(100, 5000),
      seed: SEED,
    });
    const applicants = pairs.map((pair) => {
      const facts = new Map<string, Fact>(operands.map((path, i) => [path, { value: pair[i] as number }]));
      setComputed(facts, policy.facts);
      const wanted = names.map((name) => {
        const fact = facts.get(`context.${name}`);
        return [`context.${name}Wanted`, fact && 'value' in fact ? is(fact.value) : MISSING] as const;
      });
      return { 'context.one': is(pair[0]), 'context.other': is(pair[1]), ...Object.fromEntries(wanted) };
    });
    const expected = applicants.map((each) => resultOf(policy, referenceVerdict(plain, each, DAY)));
    await compare(engine, policy, factsTable(policy, applicants, DAY), expected, { at: DAY });
  },
};

/** Texts that a literal, a LIKE pattern, a driver or a shell could misread. */
const TEXTS: readonly string[] = [
  ...[
    "'",
    "''",
    '"',
    '\\',
    "\\'",
    '\\\\',
    '`',
    '%',
    '_',
    'a%b',
    'a_b',
    "';--",
    '/*',
    '*/',
    '--',
    '\\n',
    '\\0',
    '\\x41',
  ],
  ...[
    'a\nb',
    'a\tb',
    'a\r\nb',
    '日本',
    '日本語.example',
    '😀',
    '👩‍👩‍👧',
    'é',
    'ß',
    '$1',
    '$$',
    '?',
    ':x',
    '{x:String}',
    "e'x'",
    'null',
  ],
  ...['.', '..', 'a.', '.a', 'a..b', "o'brien.example", 'back\\slash.example'],
];
const NUL_TEXTS: readonly string[] = ['a\0b', 'a\0', '\0b', 'x.a\0b'];

/** Each text as a literal of every operator, as a list entry and as an enum value, tested on all texts. */
const textCheck: SqlCheck = {
  name: 'texts with quotes, backslashes, %, 日本, 😀 and, if the engine supports it, U+0000 are compared exactly',
  run: async (engine, folder) => {
    const texts = engine.holdsNul ? [...TEXTS, ...NUL_TEXTS] : TEXTS;
    const facts = { 'context.kind': { type: 'enum', values: texts }, 'context.text': { type: 'string' } } as const;
    const conditions = [
      ...texts.flatMap((text) => [
        ...['is', 'startsWith', 'endsWith', 'contains'].map((operator) => ({ 'context.text': { [operator]: text } })),
        { 'context.kind': { is: text } },
      ]),
      ...['inList', 'notInList', 'inDomainList'].map((operator) => ({ 'context.text': { [operator]: 'texts' } })),
      { 'context.text': { in: texts.slice(0, 20) } },
      { 'context.kind': { notIn: texts.slice(5, 25) } },
    ];
    const plain: PlainPolicy = {
      ...asking(facts, ...conditions.map((condition) => escapeCondition(condition) as object)),
      lists: { texts: texts.filter((_, i) => i % 2 === 0) },
    };
    const policy = loadPolicyAsIs(plain, folder);
    const applicants: PlainFacts[] = texts.flatMap((text) => [
      { 'context.text': { value: text }, 'context.kind': { value: text } },
      { 'context.text': { value: `x.${text}` } },
      { 'context.text': { value: `${text}x` }, 'context.kind': { value: Array.from(text)[0] ?? '' } },
    ]);
    const known = applicants.map((facts) =>
      Object.fromEntries(
        Object.entries(facts).filter(([path, fact]) => path !== 'context.kind' || isOneOf(fact, texts)),
      ),
    );
    const expected = known.map((facts) => resultOf(policy, referenceVerdict(plain, facts, DAY)));
    await compare(engine, policy, factsTable(policy, applicants, DAY), expected, { at: DAY });
  },
};

function isOneOf(fact: PlainFact, texts: readonly string[]): boolean {
  return 'value' in fact && texts.includes(String(fact.value));
}

/** Names of columns that need quotes. */
const nameCheck: SqlCheck = {
  name: 'columns can have any name',
  run: async (engine, folder) => {
    const plain = asking(undefined, { 'phone.score': { above: 5 } }, { 'phone.porting.portedDate': 'never' });
    const policy = loadPolicyAsIs(plain, folder);
    const names = { score: `sco"re\`'\\ %`, date: 'Select', never: '日本 never' };
    const table: FactsTable = {
      columns: [
        { name: 'id', type: 'id' },
        { name: names.score, type: 'number' },
        { name: names.date, type: 'date' },
        { name: names.never, type: 'boolean' },
      ],
      rows: [
        [0, 7, null, true],
        [1, 3, '2026-01-01', false],
      ],
    };
    const applicants: PlainFacts[] = [
      { 'phone.score': is(7), 'phone.porting.portedDate': is('never') },
      { 'phone.score': is(3), 'phone.porting.portedDate': is('2026-01-01') },
    ];
    const expected = applicants.map((facts) => resultOf(policy, referenceVerdict(plain, facts, DAY)));
    const columns = {
      'phone.score': names.score,
      'phone.porting.portedDate': { column: names.date, never: names.never },
    };
    await compare(engine, policy, table, expected, { at: DAY, columns });
  },
};

const MOST_ENTRIES = sampled(3_100, 10_000);

/** Lists of thousands of entries, some of them with a last day. */
const listCheck: SqlCheck = {
  name: `lists can have ${MOST_ENTRIES} entries`,
  run: async (engine, folder) => {
    const entries = Array.from({ length: MOST_ENTRIES }, (_, i) => {
      const value = i % 3 === 0 ? `d${i}.example` : i % 3 === 1 ? `n${i}` : `a.b${i}.example`;
      return i % 100 === 0 ? { value, until: i % 200 === 0 ? DAY : '2026-11-19' } : value;
    });
    const rules = ['inList', 'notInList', 'inDomainList'].map((operator) => ({ 'ip.isp': { [operator]: 'many' } }));
    const plain: PlainPolicy = { ...asking(undefined, ...rules), lists: { many: entries } };
    const policy = loadPolicyAsIs(plain, folder);
    const texts = [
      'd0.example',
      'd300.example',
      'x.d3.example',
      'n1',
      'x.n1',
      'xn1',
      'a.b2.example',
      'b2.example',
      `d${MOST_ENTRIES - 100}.example`,
    ];
    const applicants: PlainFacts[] = [{}, ...texts.map((value) => ({ 'ip.isp': { value } }))];
    const expected = applicants.map((facts) => resultOf(policy, referenceVerdict(plain, facts, DAY)));
    for (const at of [DAY, { column: 'at' }]) {
      await compare(engine, policy, factsTable(policy, applicants, DAY), expected, { at });
    }
  },
};

/** Conditions that name others twice, and counts of counts: expanded, both would double with each level. */
const growthCheck: SqlCheck = {
  name: 'nested conditions do not explode',
  run: async (engine, folder) => {
    const test = (i: number) => ({ 'context.count': { above: i } });
    const steps = Array.from({ length: 12 }, (_, i) => [
      `step${i + 1}`,
      i === 0
        ? test(10)
        : i % 2 === 0
          ? { all: [`step${i}`, { any: [`step${i}`, test(i)] }] }
          : { not: { all: [`step${i}`, `step${i}`] } },
    ]);
    let counts: object = test(0);
    for (let i = 1; i <= 10; i++) counts = { atLeastOf: { count: 2, of: [counts, test(i), { not: test(i + 3) }] } };
    // Almost the deepest nesting allowed.
    const deep = Array.from({ length: 11 }, (_, i) => {
      const inner = { any: [...(i === 0 ? [] : [`deep${i}`]), test(i)] };
      return [`deep${i + 1}`, { atLeastOf: { count: 1, of: [{ atLeastOf: { count: 1, of: [inner] } }, test(30)] } }];
    });
    const many = Array.from({ length: 20 }, (_, i) => test(i));
    const plain: PlainPolicy = {
      ...asking(
        { 'context.count': { type: 'integer' } },
        counts,
        { all: ['step12'] },
        { not: 'deep11' },
        { atLeastOf: { count: 10, of: many } },
      ),
      conditions: Object.fromEntries([...steps, ...deep]),
    };
    const policy = loadPolicyAsIs(plain, folder);
    const applicants: PlainFacts[] = [{}, ...Array.from({ length: 20 }, (_, i) => ({ 'context.count': is(i) }))];
    const expected = applicants.map((facts) => resultOf(policy, referenceVerdict(plain, facts, DAY)));
    const { sql = '' } = toSql(policy, { dialect: engine.dialect, table: 'facts', at: DAY });
    ok(sql.length < 20_000, `${sql.length} characters`);
    await compare(engine, policy, factsTable(policy, applicants, DAY), expected, { at: DAY });
  },
};

/**
 * More tests and rules than columns of a SELECT in PostgreSQL, and than levels of an expression in ClickHouse. DuckDB,
 * which has neither limit and takes longest, has fewer every day: their points are more than 32 bits hold all the same.
 */
const sizeCheck: SqlCheck = {
  name: 'very many rules are decided',
  run: async (engine, folder) => {
    const count = engine.dialect === 'duckdb' ? sampled(700, 2000) : 2000;
    const plain: PlainPolicy = {
      default: 'accept',
      facts: { 'context.amount': { type: 'number' } },
      score: { review: 3_000_000_000, reject: 9_000_000_000 },
      rules: Array.from({ length: count }, (_, i) => ({
        id: `rule-${i}`,
        when: i % 5 === 0 ? { 'context.amount': { known: false } } : { 'context.amount': { above: i } },
        ...(i % 7 === 0 ? { then } : {}),
        points: 5_000_000 + i,
        ...(i % 11 === 0 ? { whenUnknown: 'ignore' as const } : {}),
      })),
    };
    const policy = loadPolicyAsIs(plain, folder);
    const applicants: PlainFacts[] = [
      {},
      ...[-1, 0, 10, 700, 1999, 5000].map((value) => ({ 'context.amount': { value } })),
    ];
    const expected = applicants.map((facts) => resultOf(policy, referenceVerdict(plain, facts, DAY)));
    await compare(engine, policy, factsTable(policy, applicants, DAY), expected, { at: DAY });
  },
};

/** A row without a day of its own. */
const dayCheck: SqlCheck = {
  name: 'a row whose day is NULL has no outcome, no rules and no score',
  run: async (engine, folder) => {
    const policy = loadPolicyAsIs(asking(undefined, { 'phone.score': { above: 5 } }), folder);
    const table: FactsTable = {
      columns: [
        { name: 'id', type: 'id' },
        { name: 'at', type: 'date' },
        { name: 'phone_score', type: 'number' },
      ],
      rows: [[0, null, 7]],
    };
    const { sql = '' } = toSql(policy, { dialect: engine.dialect, table: 'facts', at: { column: 'at' }, keys: ['id'] });
    const [row] = await engine.run(table, sql);
    deepEqual(row && [row.outcome, row.fired, row.undetermined], [null, [], []]);
  },
};

/** The checks besides conformance and random cases. */
export const ENGINE_CHECKS: readonly SqlCheck[] = [
  ...VALUE_CHECKS,
  ...pairChecks,
  computationCheck,
  decimalCheck,
  textCheck,
  nameCheck,
  listCheck,
  growthCheck,
  sizeCheck,
  dayCheck,
];
