import { describe, expect, it } from 'vitest';
import { formatRefusal } from '../../../src/decision/sql/dialect.ts';
import { type SqlOptions, toSql } from '../../../src/decision/sql/sql.ts';
import { columnOf } from '../../../src/decision/sql/table-columns.ts';
import { CATALOG_TABLE } from '../../../src/facts/catalog.ts';
import { HEAD, policyOf } from '../../support/policy/policy.ts';

const rule = (when: string, id = 'risky') => `  - { id: ${id}, when: ${when}, then: review }\n`;

const refusalsOf = (rules: string, options: Partial<SqlOptions> = {}, more = '') => {
  const policy = policyOf(`${HEAD}${more}rules:\n${rules}`);
  const { sql, refusals } = toSql(policy, { dialect: 'duckdb', table: 'applicants', at: '2026-11-20', ...options });
  // There is a SELECT or a reason why there is none, never both.
  expect(sql === undefined).toBe(refusals.length > 0);
  return refusals.map((refused) => formatRefusal(refused).replace(/^.*(?=policy\.yaml:)/, ''));
};

const USE_INSTEAD = '\n  hint: use other operators or lists, or decide with the matcher';

describe('toSql refuses', () => {
  it('a pattern in PostgreSQL, once, with the rules that contain it', () => {
    const rules = ['one', 'two', 'three', 'four', 'five']
      .map((id) => rule('{ ip.isp: { matches: "^acme" } }', id))
      .join('');
    const rulesNamed = ' (rules one, two, three and 2 more)';
    expect(refusalsOf(rules, { dialect: 'postgres' })).toEqual([
      `policy.yaml:5:43: error[sql-pattern]: ip.isp matches: postgres has no RE2 regular expressions${rulesNamed}
  5 |   - { id: one, when: { ip.isp: { matches: "^acme" } }, then: review }
    |                                           ^^^^^^^${USE_INSTEAD}`,
    ]);
    expect(refusalsOf(rules)).toEqual([]);
  });

  it.each(['duckdb', 'clickhouse'] as const)('a pattern in %s that RE2 engines read differently', (dialect) => {
    const [refused, ...others] = refusalsOf(rule(String.raw`{ ip.isp: { matches: '\p{Greek}' } }`), { dialect });
    expect(others).toEqual([]);
    const [first, ...excerpt] = refused?.split('\n') ?? [];
    expect(first).toBe(
      'policy.yaml:5:45: error[sql-pattern]: ip.isp matches: RE2 engines read the pattern differently: ' +
        'it has \\p, which depends on the version of Unicode (rule risky)',
    );
    expect(`\n${excerpt.at(-1)}`).toBe(USE_INSTEAD);
  });

  it('a test of a named condition at its declaration, in its own file, once for all rules that use it', () => {
    const policy = policyOf(
      `${HEAD}ruleSets: [sets/isp.yaml]\nrules:\n${rule('odd', 'one')}${rule('{ not: odd }', 'two')}`,
      { 'sets/isp.yaml': 'conditions:\n  odd:\n    ip.isp:\n      matches: ^acme\n' },
    );
    const { refusals } = toSql(policy, { dialect: 'postgres', table: 'applicants', at: '2026-11-20' });
    expect(refusals).toEqual([
      {
        code: 'sql-pattern',
        severity: 'error',
        message: 'ip.isp matches: postgres has no RE2 regular expressions',
        rules: ['one', 'two'],
        file: expect.stringMatching(/\/sets\/isp\.yaml$/),
        position: { line: 4, column: 16, length: 5 },
        line: '      matches: ^acme',
        hint: 'use other operators or lists, or decide with the matcher',
      },
    ]);
  });

  it('U+0000 in a literal, a list or an enum in PostgreSQL', () => {
    const lists = 'lists: { odd: ["a\\0b"] }\nfacts: { context.kind: { type: enum, values: ["\\0"] } }\n';
    const rules = [
      rule('{ ip.isp: "a\\0b" }', 'literal'),
      rule('{ ip.isp: { inList: odd } }', 'entry'),
      rule('{ context.kind: { known: true } }', 'enum'),
      rule('{ ip.isp: acme }', 'fine'),
    ].join('');
    const refusals = refusalsOf(rules, { dialect: 'postgres' }, lists);
    expect(
      refusals.map((each) => /^policy\.yaml:(\d+):\d+: error\[sql-text\]: .* \((.*)\)$/m.exec(each)?.slice(1)),
    ).toEqual([
      ['7', 'rule literal'],
      ['8', 'rule entry'],
      ['9', 'rule enum'],
    ]);
    expect(refusalsOf(rules, {}, lists)).toEqual([]);
  });

  it('two facts in one column', () => {
    const facts =
      'facts: { context.a.b: { type: number }, context.aB: { type: number }, context.a.b.never: { type: boolean } }\n';
    const rules = rule('{ context.a.b: 1, context.aB: 1 }');
    const hint = '\n  hint: give each fact a column of its own';
    expect(refusalsOf(rules, {}, facts)).toEqual([
      `error[sql-column]: the column context_a_b is used for context.a.b and for context.aB${hint}`,
    ]);
    expect(refusalsOf(rules, { columns: { 'context.aB': 'other' } }, facts)).toEqual([]);
    // DuckDB ignores case.
    expect(refusalsOf(rules, { columns: { 'context.aB': 'CONTEXT_A_B' } }, facts)).toHaveLength(1);
  });

  it('a never column of a date that is the column of another fact', () => {
    const facts = 'facts: { context.day: { type: date }, context.day.never: { type: boolean } }\n';
    const rules = rule('{ context.day: never, context.day.never: true }');
    expect(refusalsOf(rules, {}, facts)[0]).toContain('context_day_never');
    expect(refusalsOf(rules, { columns: { 'context.day': { column: 'day', never: 'not_ever' } } }, facts)).toEqual([]);
  });

  it('names that PostgreSQL would cut', () => {
    const columns = { 'phone.score': 's'.repeat(64) };
    const rules = rule('{ phone.score: 1 }');
    expect(refusalsOf(rules, { dialect: 'postgres', columns })[0]).toMatch(
      /^error\[sql-column\]: the column name s{64} has 64 bytes/,
    );
    expect(refusalsOf(rules, { columns })).toEqual([]);
  });

  it('names of a table, a day column and a key column that PostgreSQL would cut, counted in bytes', () => {
    const rules = rule('{ phone.score: 1 }');
    const [most, long] = ['a'.repeat(63), `${'a'.repeat(62)}é`];
    const postgres = (more: Partial<SqlOptions>) => refusalsOf(rules, { dialect: 'postgres', ...more });
    expect(postgres({ table: ['lake', most], at: { column: most }, keys: [most] })).toEqual([]);
    const tooLong = (what: string) => `error[sql-${what}]: the ${what} name ${long} has 64 bytes; postgres allows 63`;
    expect(postgres({ table: ['lake', long] })).toEqual([tooLong('table')]);
    expect(postgres({ table: `${long}.applicants` })).toEqual([tooLong('table')]);
    expect(postgres({ at: { column: long } })).toEqual([tooLong('column')]);
    expect(postgres({ keys: [long] })).toEqual([tooLong('column')]);
    expect(refusalsOf(rules, { table: [long], at: { column: long }, keys: [long] })).toEqual([]);
  });

  it.each(['', 'a\0b', '\ud800'])('the name %j', (name) => {
    const refused = (more: Partial<SqlOptions>) => refusalsOf(rule('{ phone.score: 1 }'), more);
    expect(refused({ table: ['lake', name] })[0]).toMatch(/cannot be the name of a table$/);
    expect(refused({ at: { column: name } })[0]).toMatch(/cannot be the name of a column$/);
  });

  it('a column of an unknown fact, and a key column that the result already has', () => {
    const rules = rule('{ phone.score: 1 }');
    expect(refusalsOf(rules, { columns: { 'phone.scor': 'x' } })).toEqual([
      'error[sql-fact]: there is no fact "phone.scor"\n  hint: did you mean "phone.score"?',
    ]);
    expect(refusalsOf(rules, { keys: ['id', 'Outcome', 'id'] })).toEqual([
      'error[sql-column]: the result already has a column Outcome, so it cannot be a key column',
      'error[sql-column]: the result already has a column id, so it cannot be a key column',
    ]);
  });

  it('conditions that are nested too deeply', () => {
    const chain = (length: number) => {
      const steps = Array.from({ length }, (_, i) => {
        const inner = `{ any: [${i === 0 ? '' : `s${i - 1}, `}{ phone.score: ${i} }] }`;
        return `  s${i}: { atLeastOf: { count: 1, of: [{ atLeastOf: { count: 1, of: [${inner}] } }] } }\n`;
      });
      const rules = rule('{ phone.score: 1 }', 'plain') + rule(`s${length - 1}`);
      return refusalsOf(rules, {}, `conditions:\n${steps.join('')}`);
    };
    expect(chain(10)).toEqual([]);
    expect(chain(20)[0]).toMatch(/^policy\.yaml:27:5: error\[sql-depth\]: .* \(rule risky\)\n/);
  });
});

describe('the convention of columns', () => {
  it.each([
    ['phone.operator.current', 'phone_operator_current'],
    ['phone.riskLevel', 'phone_risk_level'],
    ['email.darkWeb.hitCount', 'email_dark_web_hit_count'],
    ['applicant.phoneNo', 'applicant_phone_no'],
    ['identity.nameScore2B', 'identity_name_score2_b'],
  ])('%s is in %s', (path, column) => {
    expect(columnOf(path)).toBe(column);
  });

  it('gives each fact of the catalog a column of its own', () => {
    const columns = new Set([...CATALOG_TABLE.keys()].map(columnOf));
    expect(columns.size).toBe(CATALOG_TABLE.size);
  });
});

describe('toSql', () => {
  it('makes a fact without a column missing in every row', () => {
    const policy = policyOf(`${HEAD}rules:\n${rule('{ phone.score: 1 }')}`);
    const { sql } = toSql(policy, {
      dialect: 'duckdb',
      table: 'a',
      at: '2026-11-20',
      columns: { 'phone.score': null },
    });
    expect(sql).toContain('CAST(NULL AS DOUBLE)');
    expect(sql).not.toContain('phone_score');
  });

  it('leaves out shadow rules, and on a given day rules that are not active', () => {
    const rules = `rules:
  - { id: shadow, when: { phone.score: 1 }, then: review, mode: shadow }
  - { id: over, when: { phone.score: 2 }, then: review, until: 2026-11-19 }
  - { id: now, when: { phone.score: 3 }, then: review, from: 2026-11-20, until: 2026-11-20 }
`;
    const ids = (at: SqlOptions['at']) => {
      const { sql = '' } = toSql(policyOf(HEAD + rules), { dialect: 'postgres', table: 'a', at });
      return ['shadow', 'over', 'now'].filter((id) => sql.includes(`'${id}'`));
    };
    expect(ids('2026-11-20')).toEqual(['now']);
    expect(ids({ column: 'at' })).toEqual(['over', 'now']);
  });

  it('refuses a day that is not a calendar day', () => {
    const policy = policyOf(`${HEAD}rules:\n${rule('{ phone.score: 1 }')}`);
    const write = (at: string) => toSql(policy, { dialect: 'duckdb', table: 'a', at });
    for (const at of ['2026-02-30', '', 'at', '0) --']) expect(() => write(at)).toThrow('has to be a calendar day');
  });

  it('quotes the parts of a table name, separated by dots or given as a list', () => {
    const policy = policyOf(`${HEAD}rules:\n${rule('{ phone.score: 1 }')}`);
    const from = (table: SqlOptions['table'], dialect: SqlOptions['dialect'] = 'postgres') =>
      /FROM (\S.*?) AS t\b/.exec(toSql(policy, { dialect, table, at: '2026-11-20' }).sql ?? '')?.[1];
    expect(from('lake.applicants')).toBe('"lake"."applicants"');
    expect(from(['lake', 'appli.cants'])).toBe('"lake"."appli.cants"');
    expect(from('x"; DROP TABLE y; --')).toBe('"x""; DROP TABLE y; --"');
    expect(from('x`\\', 'clickhouse')).toBe('`x\\`\\\\`');
  });
});
