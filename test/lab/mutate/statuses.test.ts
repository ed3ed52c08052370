/** What cases say of mutants: killed, reached, not reached; and of policies with parameters, days, shadow rules. */

import { describe, expect, it } from 'vitest';
import {
  type MutantResult,
  mutate,
  mutateCases,
  type PolicyMutation,
  scoreOf,
} from '../../../src/lab/mutate/mutate.ts';
import { TestReader } from '../../../src/lab/test/read-tests.ts';
import { readTests, runCases } from '../../../src/lab/test/run-tests.ts';
import { printMutation } from '../../../src/report/mutation.ts';
import { killingCases, mutantWords, mutated } from '../../support/lab/mutation.ts';
import { HEAD, temporaryFolder } from '../../support/policy/policy.ts';

const RULE = 'rules: [{ id: a, when: { context.amount: { atLeast: 5 } }, then: review }]\n';

const statuses = (results: readonly MutantResult[], operator: string) =>
  Object.fromEntries(
    results.filter((each) => each.operator === operator).map((each) => [mutantWords(each), each.status]),
  );

describe('mutants', () => {
  it('are reached where a rule does something else, and killed where an expectation fails', async () => {
    const reached = await mutated(RULE, '- { name: five, facts: { context.amount: 5 }, expect: { notice: none } }\n');
    expect(statuses(reached.results, 'threshold')).toEqual({
      'is at least 5 -> is at least 6': 'survived',
      'is at least 5 -> is at least 4': 'notReached',
    });
    const killed = await mutated(RULE, '- { name: five, facts: { context.amount: 5 }, expect: { outcome: review } }\n');
    expect(statuses(killed.results, 'threshold')).toEqual({
      'is at least 5 -> is at least 6': 'killed',
      'is at least 5 -> is at least 4': 'notReached',
    });
    const { reachedBy, killedBy } = killed.results.find(({ status }) => status === 'killed') as MutantResult;
    expect([reachedBy.map(({ name }) => name), killedBy?.name]).toEqual([['five'], 'five']);
  });

  it('of `final` are reached where the rule is undetermined, too', async () => {
    const policy = `rules:
  - { id: a, when: { context.old: true }, then: reject, final: true }
  - { id: b, when: { context.channel: web }, then: accept, final: true }
`;
    const { results } = await mutated(
      policy,
      '- { name: web, facts: { context.channel: web }, expect: { score: 0 } }\n',
    );
    const finals = results.filter(({ operator, rules }) => operator === 'final' && rules.includes('a'));
    expect(finals.map(({ status }) => status)).toEqual(['survived']);
  });

  it('of a list number its entries as they are written', async () => {
    const policy = `lists: { known: [203.0.113.0/24, 198.51.100.7] }
rules: [{ id: a, when: { applicant.ip: { inList: known } }, then: review }]
`;
    const address = '{ applicant.ip: 198.51.100.7 }';
    const { results } = await mutated(policy, `- { name: one, facts: ${address}, expect: { outcome: review } }\n`);
    expect(statuses(results, 'list-entry')).toEqual({
      'entry 1 of the list known -> removed': 'notReached',
      'entry 2 of the list known -> removed': 'killed',
    });
  });

  it('are not run once the steps are over, and do not count then', async () => {
    const folder = temporaryFolder({
      'p.yaml': `${HEAD}${RULE.replace('context.amount', 'phone.score')}`,
      'a.test.yaml':
        'policy: p.yaml\nat: 2026-11-20\ntests:\n- { name: a, facts: { phone.score: 5 }, expect: { outcome: review } }\n',
    });
    const cases = readTests([folder], new TestReader({ allowOnly: true }));
    const [mutation] = await mutateCases(cases, runCases(cases, {}).results, { steps: 1 });
    const [first, ...others] = mutation?.results ?? [];
    expect(first?.status).not.toBe('notRun');
    expect(others.length).toBeGreaterThan(3);
    expect(new Set(others.map(({ status }) => status))).toEqual(new Set(['notRun']));
    expect(scoreOf(mutation?.results ?? [])).toBe(first?.status === 'killed' ? 100 : 0);
    const text = printMutation(mutation as PolicyMutation, (_, words) => words);
    expect(text).toContain(`of 1 mutant; `);
    expect(text).toContain(`${others.length} not run in these steps`);
  });

  it('that no case can tell from the policy are proved to be equivalent', async () => {
    const twice = `conditions: { old: { any: [{ context.old: true }, { context.old: true }] } }
rules: [{ id: a, when: old, then: review }]
`;
    const { results } = await mutated(twice);
    expect(statuses(results, 'join')).toEqual({ 'is true or is true -> is true and is true': 'equivalent' });
  });

  it('of a parameter change all that it is part of: facts, rules, and the score', async () => {
    const computed =
      'context.scaled: { type: integer, description: scaled, compute: { sum: [context.amount, $part] } }';
    const policy = `  ${computed}
parameters: { part: 2 }
score: { review: $part }
rules:
  - { id: a, when: { context.scaled: 7, context.share: { below: $part } }, then: reject }
  - { id: b, when: { context.old: true }, points: 2, whenUnknown: ignore }
`;
    const cases = `- { name: five, facts: { context.amount: 5, context.share: 0 }, expect: { outcome: reject } }
- { name: old, facts: { context.old: true, context.amount: 0 }, expect: { outcome: review } }
`;
    const killed = async (tests: string) => statuses((await mutated(policy, tests)).results, 'parameter');
    expect(await killed(cases)).toEqual({ 'part: 2 -> part: 3': 'killed', 'part: 2 -> part: 1': 'killed' });
    expect(await killed(cases.slice(cases.indexOf('- { name: old')))).toMatchObject({ 'part: 2 -> part: 3': 'killed' });
    const { results } = await mutated(policy);
    const [moved] = results.filter(({ operator }) => operator === 'parameter');
    expect([moved?.rules, moved?.place?.position]).toMatchObject([['a'], { line: 13, column: 15 }]);
  });

  it('are the same mistakes in the policy with the parameters of a case', async () => {
    const policy = `parameters: { limit: 5 }\n${RULE.replace('5 }', '$limit }')}`;
    const { results } = await mutated(
      policy,
      '- { name: nine, with: { limit: 9 }, facts: { context.amount: 9 }, expect: { outcome: review } }\n',
    );
    expect(statuses(results, 'threshold')).toEqual({
      'is at least 5 -> is at least 6': 'killed',
      'is at least 5 -> is at least 4': 'notReached',
    });
    const scored = `parameters: { limit: 5 }
score: { review: $limit }
rules: [{ id: a, when: { context.old: true }, points: 9 }]
`;
    const band = await mutated(
      scored,
      '- { name: nine, with: { limit: 9 }, facts: { context.old: true }, expect: { outcome: review } }\n',
    );
    expect(statuses(band.results, 'band')).toMatchObject({
      'score: { review: 5 } -> score: { review: 6 }': 'killed',
      'score: { review: 5 } -> score: { review: 4 }': 'equivalent',
    });
  });

  it('of rules that are not active on the days of the tests are left out', async () => {
    const { results, notMutated } = await mutated(RULE.replace('id: a,', 'id: a, from: 2027-01-01,'));
    expect(results.flatMap(({ rules }) => rules)).toEqual([]);
    expect(notMutated.map(({ what, count }) => [what, count])).toEqual([
      ['rules not active on the days of the tests', 1],
    ]);
  });

  it('of named conditions and lists that only such rules have are left out, too', async () => {
    const { results } = await mutated(`conditions: { high: { context.amount: { atLeast: 5 } } }
lists: { codes: [x, y] }
rules: [{ id: a, from: 2027-01-01, when: { all: [high, { context.code: { inList: codes } }] }, then: review }]
`);
    expect(results.filter(({ operator }) => operator !== 'default')).toEqual([]);
  });

  it('all live if the tests of a policy are skipped; no case has the name of such a test', async () => {
    const name = 'a: context.amount is at least 5 rather than context.amount is at least 4';
    const { results, cases } = await mutated(RULE, `- { name: "${name}", skip: later, expect: { outcome: accept } }\n`);
    expect([scoreOf(results), cases]).toEqual([0, []]);
    expect(killingCases(results).map((each) => each.name)).toContain(`${name} (2)`);
  });

  it('need tests that pass', async () => {
    const failing = '- { name: none, expect: { score: 1 } }\n';
    await expect(mutated(RULE, failing)).rejects.toThrow('1 test failed: only tests that pass can judge mutants');
  });

  it('are those of each policy that is tested', async () => {
    const tests = (policy: string) =>
      `policy: ${policy}\nat: 2026-11-20\ntests: [{ name: one, expect: { score: 0 } }]\n`;
    const rule = 'rules: [{ id: voip, when: { phone.type: voip }, then: review }]\n';
    const folder = temporaryFolder({
      ...{ 'p.yaml': HEAD + rule, 'q.yaml': HEAD, 'a.test.yaml': tests('p.yaml'), 'b.test.yaml': tests('q.yaml') },
    });
    const found = await mutate([folder]);
    expect(found.map(({ cases, results }) => [cases.length, results.length])).toEqual([
      [1, 7],
      [1, 2],
    ]);
  });
});
