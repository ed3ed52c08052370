/** rules/rule-sets/velocity.yaml: no shipped policy includes it, and one that does is in order and decides by it. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { matcherOf } from '../../src/decision/matcher/matcher.ts';
import { readFacts } from '../../src/facts/read.ts';
import { velocitiesIn } from '../../src/facts/velocity.ts';
import { checkFiles } from '../../src/policy/check/check-files.ts';
import { loadPolicy } from '../../src/policy/read/parse.ts';
import { ROOT } from '../support/docs/docs.ts';
import { HEAD, policyOf, temporaryFolder } from '../support/policy/policy.ts';

const RULES = join(ROOT, 'rules');
const RULE_SET = readFileSync(join(RULES, 'rule-sets/velocity.yaml'), 'utf8');

test('no shipped policy counts, and the check of all shipped files says why the rule set is there', () => {
  for (const name of readdirSync(RULES).filter((each) => /^[a-z-]+\.yaml$/.test(each) && each !== 'signals.yaml')) {
    expect([name, velocitiesIn(loadPolicy(join(RULES, name)).facts).size]).toEqual([name, 0]);
  }
  const { diagnostics, silenced } = checkFiles([RULES]);
  expect(diagnostics).toEqual([]);
  expect(silenced).toMatchObject([{ code: 'unused-file', reason: expect.stringContaining('a store of velocity') }]);
});

test('a rule set without the comment is reported, and so is one whose comment has no reason', () => {
  const rules = 'rules: [{ id: a, when: { phone.type: voip }, then: review }]\n';
  const folder = (comment: string) =>
    temporaryFolder({ 'policy.yaml': `${HEAD}${rules.replace('a,', 'b,')}`, 'a.yaml': `${comment}\n${rules}` });
  const codes = (comment: string) => checkFiles([folder(comment)]).diagnostics.map(({ code }) => code);
  expect(codes('')).toEqual(['unused-file']);
  expect(codes('# verdict: allow unused-file')).toEqual(['unused-file']);
  expect(codes('# verdict: allow unused-file (for others)')).toEqual([]);
});

test('every rule fires at its limit, not below, and asks for review where its counts are missing', () => {
  const policy = policyOf(`${HEAD}ruleSets: [velocity.yaml]\n`, { 'velocity.yaml': RULE_SET });
  const paths = [...velocitiesIn(policy.facts).keys()];
  const verdictOf = (counts: Readonly<Record<string, number>>) => {
    const given = paths.map((path) => [path, { value: counts[path.slice('velocity.'.length)] ?? 0 }] as const);
    const facts = readFacts(new Map(given), policy.facts, '2026-11-20');
    const { outcome, reasons } = matcherOf(policy).verdict(facts, '2026-11-20');
    return [outcome, ...reasons.flatMap((reason) => ('rule' in reason ? reason.rule : []))];
  };
  const LIMITS: [string, number, string, string][] = [
    ['applicationsByIp1h', 20, 'review', 'velocity-ip-burst'],
    ['applicationsBySubnet1h', 60, 'review', 'velocity-subnet-burst'],
    ['phonesByIp7d', 10, 'review', 'velocity-phones-of-ip'],
    ['applicationsByPhone7d', 3, 'review', 'velocity-repeats'],
    ['applicationsByEmail7d', 3, 'review', 'velocity-repeats'],
    ['rejectedBefore', 1, 'review', 'velocity-rejected-before'],
    ['confirmedFraudByPhone', 1, 'reject', 'velocity-confirmed-fraud'],
    ['confirmedFraudByEmail', 1, 'reject', 'velocity-confirmed-fraud'],
  ];
  expect(LIMITS.map(([name]) => `velocity.${name}`).sort()).toEqual(paths.toSorted());
  for (const [name, limit, outcome, rule] of LIMITS) {
    expect([name, ...verdictOf({ [name]: limit })]).toEqual([name, outcome, rule]);
    expect([name, ...verdictOf({ [name]: limit - 1 })]).toEqual([name, 'accept']);
  }
  const unknown = matcherOf(policy).verdict(readFacts(new Map(), policy.facts, '2026-11-20'), '2026-11-20');
  expect([unknown.outcome, unknown.undetermined.length]).toEqual(['review', policy.rules.length]);
});
