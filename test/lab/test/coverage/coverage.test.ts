/** What is counted of a policy, and what is no gap because it cannot happen. */

import { describe, expect, it } from 'vitest';
import type { Fact, FactValue } from '../../../../src/facts/fact.ts';
import { type Coverage, coverage } from '../../../../src/lab/test/coverage/coverage.ts';
import type { Policy } from '../../../../src/policy/language.ts';
import { HEAD, policyOf } from '../../../support/policy/policy.ts';

const DAY = '2026-11-20';

/** Facts by path; null is a missing one. */
type Given = Readonly<Record<string, FactValue | null>>;

function caseOf(given: Given, by?: Policy) {
  const facts = new Map<string, Fact>(
    Object.entries(given).map(([path, value]) => [path, value === null ? { missing: 'notReturned' } : { value }]),
  );
  return { facts, at: DAY, ...(by ? { policy: by } : {}) };
}

/** The items of a kind as `name: goal 1, goal 0`. */
function shown({ items }: Coverage, kind: string): readonly string[] {
  return items
    .filter((item) => item.kind === kind)
    .map(({ name, goals }) => `${name} | ${goals.map((goal) => `${goal.name} ${goal.count}`).join(', ')}`);
}

const cover = (text: string, ...cases: readonly Given[]) =>
  coverage(
    policyOf(`${HEAD}${text}`),
    cases.map((each) => caseOf(each)),
  );

/** A rule on one condition, in YAML. */
const rule = (when: string, more = 'then: review') => `rules: [{ id: one, when: ${when}, ${more} }]\n`;

describe('a rule and its tests', () => {
  it('are seen true, false and unknown', () => {
    const found = cover(rule('{ phone.valid: false }'), { 'phone.valid': true }, { 'phone.valid': null });
    expect(shown(found, 'rule')).toEqual(['one | fires 0, does not fire 1, undetermined 1']);
    expect(shown(found, 'test')).toEqual(['phone.valid is false | true 0, false 1, unknown 1']);
    expect([found.cases, found.goals, found.reached]).toEqual([2, 6, 4]);
    expect(found.items.map(({ place }) => place?.position.line)).toEqual([4, 4]);
  });

  it.each([
    ['a test of `known` is never unknown', '{ phone.valid: { known: true } }', 'fires, does not fire'],
    ['a guarded rule is never undetermined', '{ phone.valid: { known: true, is: false } }', 'fires, does not fire'],
    [
      'two tests that exclude each other never fire',
      '{ all: [{ phone.score: { above: 70 } }, { phone.score: { below: 20 } }] }',
      'does not fire, undetermined',
    ],
    [
      'a date is missing by its age and by the calendar at once',
      '{ all: [{ email.address.firstSeen: { known: false } }, { email.address.firstSeen: { withinLast: 3 days } }] }',
      'does not fire, undetermined',
    ],
    [
      'a fact is missing where its comparison with another is unknown',
      `{ all: [{ phone.operator.current: { known: true } }, { phone.operator.original: { known: true } },
        { phone.operator.current: { fact: phone.operator.original } }] }`,
      'fires, does not fire',
    ],
    [
      'a comparison with a missing fact is unknown',
      `{ all: [{ phone.operator.current: { known: false } },
        { phone.operator.current: { fact: phone.operator.original } }] }`,
      'does not fire, undetermined',
    ],
  ])('%s', (_, when, goals) => {
    const { items } = cover(rule(when));
    expect(
      items
        .find(({ kind }) => kind === 'rule')
        ?.goals.map(({ name }) => name)
        .join(', '),
    ).toBe(goals);
  });

  it('that ended before the first day are left out, and those that have not begun are missing', () => {
    const limited = (limit: string) => cover(rule('{ phone.valid: false }', `then: review, ${limit}`), {});
    expect(limited('until: 2026-11-19').goals).toBe(0);
    expect(shown(limited('from: 2026-11-21'), 'rule')).toEqual(['one | fires 0, does not fire 0, undetermined 0']);
  });

  it('are not unknown where the fact is asked whether it is known', () => {
    const found = cover(rule('{ phone.valid: { known: true } }'), { 'phone.valid': true });
    expect(shown(found, 'test')).toEqual(['phone.valid is known | true 1, false 0']);
  });

  it('decide as final rules unless a stricter one overrules them', () => {
    const final = (id: string, when: string, then: string) =>
      `{ id: ${id}, when: { ${when} }, then: ${then}, final: true }`;
    const rules = [final('mild', 'phone.valid: true', 'accept'), final('strict', 'phone.type: voip', 'reject')];
    const found = cover(`rules: [${rules}]\n`, { 'phone.valid': true, 'phone.type': 'voip' });
    expect(shown(found, 'final')).toEqual(['mild | decides 0', 'strict | decides 1']);
  });

  it('are counted in shadow mode too', () => {
    const found = cover(rule('{ phone.valid: false }', 'then: review, mode: shadow'), { 'phone.valid': false }, {});
    expect(shown(found, 'rule')).toEqual(['one | fires 1, does not fire 0, undetermined 1']);
    const more = 'then: review, mode: shadow, final: true, points: 50, notice: Never told.';
    const decides = cover(`score: { review: 40 }\n${rule('{ phone.valid: false }', more)}`, { 'phone.valid': false });
    expect(shown(decides, 'band')).toEqual(['review from 40 | not reached 1']);
    expect([...shown(decides, 'final'), ...shown(decides, 'notice')]).toEqual([]);
  });

  it('never name a personal value', () => {
    const found = cover(rule('{ applicant.email: [jo@mail.example, al@mail.example] }'));
    expect(shown(found, 'test')).toEqual(['applicant.email is one of 2 listed | true 0, false 0, unknown 0']);
  });
});

describe('the sides of a border', () => {
  it.each([
    ['email.darkWeb.hitCount: { atLeast: 3 }', [2, 3], '2 1, 3 1'],
    ['email.darkWeb.hitCount: { above: 3 }', [3, 5], '3 1, 4 0'],
    ['context.share: { atLeast: 0.7 }', [0.7, 0.1], 'below 0.7 1, 0.7 1'],
    ['context.share: { above: 0.7 }', [0.6, 0.9], '0.7 0, above 0.7 1'],
    ['phone.riskLevel: { atLeast: high }', ['medium', 'high'], 'medium 1, high 1'],
    ['phone.porting.portedDate: { withinLast: 3 days }', ['2026-11-17', '2026-11-16'], '3 days old 1, 4 days old 1'],
    ['context.born: { yearsSince: { below: 18 } }', ['2008-11-21', '2008-11-20'], '17 years ago 1, 18 years ago 1'],
    ['email.address.firstSeen: { before: 2026-01-01 }', ['2026-01-01'], '2025-12-31 0, 2026-01-01 1'],
  ])('of `%s` are the last value and the first', (test, values, expected) => {
    const [path = ''] = test.split(':');
    const facts = 'facts: { context.share: { type: number }, context.born: { type: date, past: true } }\n';
    const found = cover(`${facts}${rule(`{ ${test} }`)}`, ...values.map((value) => ({ [path]: value })));
    expect(shown(found, 'border').map((line) => line.split(' | ')[1])).toEqual([expected]);
  });

  it('are none where a test asks for single values', () => {
    expect(shown(cover(rule('{ email.darkWeb.hitCount: 3 }')), 'border')).toEqual([]);
  });
});

describe('what a policy decides by', () => {
  const SCORED = `score: { review: { atLeast: 40, notice: A person looks at it. }, reject: 100 }
rules:
  - { id: weak, when: { phone.valid: false }, points: 60, notice: Never told. }
  - { id: strong, when: { phone.riskLevel: high }, then: reject, final: true, notice: We cannot accept it. }
  - { id: other, when: { phone.type: mobile }, then: accept, final: true }
`;

  it('is each band of the score, reached or not or undetermined, unless its points never reach it', () => {
    expect(shown(cover(SCORED, { 'phone.valid': false }, { 'phone.valid': null }), 'band')).toEqual([
      'review from 40 | reached 1, not reached 0, undetermined 1',
      'reject from 100 | not reached 2',
    ]);
  });

  it('is not a truth that no points lead to', () => {
    const scored = (score: string, more: string) =>
      shown(cover(`score: ${score}\n${rule('{ phone.valid: false }', more)}`), 'band');
    expect(scored('{ review: 0 }', 'points: 5')).toEqual(['review from 0 | reached 0']);
    expect(scored('{ review: 5 }', 'points: 5, whenUnknown: ignore')).toEqual([
      'review from 5 | reached 0, not reached 0',
    ]);
    expect(scored('{ review: -5 }', 'points: -9')).toEqual([
      'review from -5 | reached 0, not reached 0, undetermined 0',
    ]);
  });

  it('is reached without the points of rules on days that are not theirs', () => {
    const rows = 'columns: [points, phone.valid], rows: [[-1, any]]';
    const table = (until: string) => `score: { review: 0 }\ntables: [{ id: t, ${until}${rows} }]\n`;
    expect(shown(cover(table('until: "2020-01-01", '), {}), 'band')).toEqual([
      'review from 0 | reached 1, not reached 0',
    ]);
    expect(shown(cover(table(''), {}), 'band')).toEqual(['review from 0 | not reached 1']);
  });

  it('is each final rule that decides, not one that a stricter one overrules', () => {
    const found = cover(SCORED, { 'phone.type': 'mobile', 'phone.riskLevel': 'high' });
    expect(shown(found, 'final')).toEqual(['strong | decides 1', 'other | decides 0']);
  });

  it('is each notice that an applicant may be told', () => {
    const given = { 'phone.type': null, 'phone.riskLevel': null };
    expect(shown(cover(SCORED, { 'phone.valid': false, ...given }), 'notice')).toEqual([
      'strong | given 0',
      'the review band | given 1',
    ]);
    // A final rule decides alone: the score is no reason then.
    const both = { 'phone.valid': false, 'phone.riskLevel': 'high' };
    expect(shown(cover(SCORED, both), 'notice')).toEqual(['strong | given 1', 'the review band | given 0']);
    // Both ends of a score ask for review, with one notice.
    const more = '  - { id: more, when: { phone.serviceType: prepaid }, points: 60 }\n';
    const found = cover(SCORED + more, { 'phone.valid': false, 'phone.riskLevel': 'low', 'phone.type': 'voip' });
    expect(shown(found, 'notice')).toEqual(['strong | given 0', 'the review band | given 1']);
  });

  it('is each row of a table, and each named condition that joins several tests', () => {
    const text = `conditions:
  mobile: { phone.type: { is: mobile, isNot: voip } }
  valid: { phone.valid: true }
  both: { all: [mobile, valid] }
rules:
  - { id: one, when: both, then: review }
  - { id: two, when: mobile, then: review }
tables:
  - { id: limits, columns: [phone.type, then], rows: [[voip, review], [pager, reject]] }
`;
    const found = cover(text, { 'phone.type': 'mobile', 'phone.valid': true }, { 'phone.type': 'voip' });
    expect(shown(found, 'row')).toEqual([
      'limits/1 | fires 1, does not fire 1, undetermined 0',
      'limits/2 | fires 0, does not fire 2, undetermined 0',
    ]);
    expect(shown(found, 'condition')).toEqual([
      'both | true 1, false 1, unknown 0',
      'mobile | true 1, false 1, unknown 0',
    ]);
    const conditions = found.items.filter(({ kind }) => kind === 'condition');
    expect(conditions.map(({ place, rules }) => [place?.position.line, rules])).toEqual([
      [7, ['one']],
      [5, ['one', 'two']],
    ]);
  });
});

describe('a case with other values of parameters', () => {
  const LIMITED = (limit: number) =>
    policyOf(`${HEAD}parameters: { limit: ${limit} }\n${rule('{ email.darkWeb.hitCount: { atLeast: $limit } }')}`);

  it('counts for the same test, and not for a border that the policy has elsewhere', () => {
    const [policy, other] = [LIMITED(3), LIMITED(10)];
    const found = coverage(policy, [
      caseOf({ 'email.darkWeb.hitCount': 3 }),
      caseOf({ 'email.darkWeb.hitCount': 9 }, other),
      caseOf({ 'email.darkWeb.hitCount': 10 }, other),
    ]);
    expect(shown(found, 'test')).toEqual(['email.darkWeb.hitCount is at least 3 | true 2, false 1, unknown 0']);
    expect(shown(found, 'border')).toEqual(['email.darkWeb.hitCount: 2 and 3 | 2 0, 3 1']);
  });
});

describe('since an earlier version', () => {
  const VERSION = `score: { review: 40 }
facts: { context.visits: { type: integer } }
lists: { ours: [a.example] }
conditions: { listed: { any: [{ email.domain.type: free }, { phone.valid: false }] } }
rules:
  - { id: kept, when: { phone.valid: false }, then: review }
  - { id: edited, when: { all: [{ phone.type: voip }, { phone.score: { above: 70 } }] }, then: review }
  - { id: named, when: { all: [listed, { phone.status: active }] }, then: review }
  - { id: own, when: { context.visits: 3 }, then: review }
  - { id: looked, when: { applicant.emailDomain: { inList: ours } }, then: reject }
`;
  const since = (from: string, to: string) => {
    const [old, now] = [VERSION, VERSION.replace(from, to)].map((text) => policyOf(`${HEAD}${text}`));
    const { items } = coverage(now as Policy, [], { since: old as Policy });
    return items.map(({ kind, name }) => `${kind} ${name}`);
  };

  it.each([
    ['nothing', '', '', []],
    ['an id and the place of a rule', 'id: kept', 'reason: KEPT, id: renamed', []],
    [
      'a threshold',
      'above: 70',
      'above: 80',
      ['rule edited', 'test phone.score is above 80', 'border phone.score: 80 and above 80'],
    ],
    ['an outcome', 'false }, then: review', 'false }, then: reject', ['rule kept']],
    [
      'a named condition',
      'type: free',
      'type: [free]',
      ['rule named', 'test email.domain.type is one of free', 'condition listed'],
    ],
    ['what a fact is', 'type: integer', 'type: number', ['rule own', 'test context.visits is 3']],
    ['a list', 'a.example', 'b.example', ['rule looked', 'test applicant.emailDomain is in the list ours']],
    ['a band', 'review: 40', 'review: 50', ['band review from 50']],
    ['a removed rule', '  - { id: kept, when: { phone.valid: false }, then: review }\n', '', ['removed kept']],
  ])('an edit of %s is counted alone', (_, from, to, expected) => {
    expect(since(from, to)).toEqual(expected);
  });

  it('a removed rule is reached by a case in which it would have fired', () => {
    const rule = (id: string, when: string) => `  - { id: ${id}, when: { ${when} }, then: review }\n`;
    const kept = rule('kept', 'phone.type: voip');
    const read = `${rule('gone', 'phone.type: mobile')}${rule('own', 'context.visits: 3')}`;
    const old = policyOf(`${HEAD}facts: { context.visits: { type: integer } }\nrules:\n${kept}${read}`);
    const now = policyOf(`${HEAD}rules:\n${kept}`);
    const goalsOf = (cases: Parameters<typeof coverage>[1]) =>
      coverage(now, cases, { since: old }).items.map(({ kind, name, goals }) => [kind, name, goals[0]?.count]);
    expect(goalsOf([])).toEqual([['removed', 'gone', 0]]);
    expect(goalsOf([caseOf({ 'phone.type': 'mobile' }, now), caseOf({ 'phone.type': 'voip' }, now)])).toEqual([
      ['removed', 'gone', 1],
    ]);
  });
});
