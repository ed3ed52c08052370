/**
 * The conformance cases in test/cases cover the policy language. runners.slow.test.ts runs them on every runner.
 */

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { FACT_TYPES } from '../../src/facts/catalog.ts';
import { canonicalJson } from '../../src/platform/digest.ts';
import { OPERATOR_NAMES, operatorRow } from '../../src/policy/operators.ts';
import {
  type ConformanceCase,
  caseFiles,
  factsOfCase,
  formatJson,
  readCaseFile,
} from '../support/runners/case-file.ts';
import { contextOf, referenceVerdict, resultsOf } from '../support/runners/reference.ts';
import { type Node, typeOf } from '../support/runners/reference-truth.ts';

const CASES = caseFiles().flatMap((path) => readCaseFile(path).cases);

test('there are at least 300 cases with unique names', () => {
  const names = CASES.map(({ name }) => name);
  expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
  expect(CASES.length).toBeGreaterThanOrEqual(300);
});

test.each(caseFiles())('the file %s is formatted by test/support/runners/fill-cases.ts', (path) => {
  expect(readFileSync(path, 'utf8')).toBe(`${formatJson(readCaseFile(path))}\n`);
});

const TRUTHS = ['true', 'false', 'unknown'] as const;
const FORMS = ['map', 'name', 'all', 'any', 'not', 'atLeastOf'] as const;

test('every truth value of every operator on every type has a case', () => {
  const shown = new Set(CASES.flatMap((each) => aloneIn(each).flatMap((node) => testShownBy(node, each))));
  const wanted = OPERATOR_NAMES.flatMap((operator) => {
    const types = FACT_TYPES.filter((type) => operatorRow(operator).types.includes(type));
    // Only `known` is never unknown.
    const truths = TRUTHS.filter((truth) => operator !== 'known' || truth !== 'unknown');
    const forms = operatorRow(operator).againstFact ? ['', ' against a fact'] : [''];
    return types.flatMap((type) =>
      forms.flatMap((form) => truths.map((truth) => `${operator} of ${type}${form}: ${truth}`)),
    );
  });
  expect(wanted.filter((each) => !shown.has(each))).toEqual([]);
});

test('every truth value of every combinator has a case', () => {
  const shown = new Set(CASES.flatMap(aloneIn).map(({ kind, truth }) => `${kind}: ${truth}`));
  const wanted = FORMS.flatMap((form) => TRUTHS.map((truth) => `${form}: ${truth}`));
  expect(wanted.filter((each) => !shown.has(each))).toEqual([]);
});

test.each(Object.entries(statementsOfTheRule()))('a case shows %s', (_statement, shows) => {
  expect(CASES.filter(shows).length).toBeGreaterThan(0);
});

/** The conditions whose truth the verdict shows directly. A map with one entry counts as that entry. */
function aloneIn(each: ConformanceCase): Node[] {
  const unwrap = (node: Node): Node => {
    const [only, ...others] = node.parts;
    return node.kind === 'map' && only && others.length === 0 ? unwrap(only) : node;
  };
  const context = contextOf(each.policy, factsOfCase(each), each.day);
  return resultsOf(each.policy, context).map(({ node }) => unwrap(node));
}

function testShownBy({ test: shown, truth }: Node, { policy, day }: ConformanceCase): string[] {
  if (!shown) return [];
  const type = typeOf(shown.fact, contextOf(policy, {}, day));
  const form = shown.other === undefined ? '' : ' against a fact';
  return [`${shown.operator} of ${type}${form}: ${truth}`];
}

/** Each statement of the rule in meaning/outcome.ts, and whether the verdict of a case shows it. */
function statementsOfTheRule(): Record<string, (each: ConformanceCase) => boolean> {
  /** Whether this change to the text of the policy changes the verdict. */
  const changes = (each: ConformanceCase, from: RegExp, to: string) => {
    const other = JSON.parse(JSON.stringify(each.policy).replaceAll(from, to));
    const verdict = referenceVerdict(other, factsOfCase(each), each.day);
    return canonicalJson(verdict) !== canonicalJson(each.expected);
  };
  const decided = ({ expected: { reasons, outcome } }: ConformanceCase) =>
    reasons.some((reason) => reason.outcome === outcome && !reason.decisive);
  const because = (code: string, outcome: string) => {
    return ({ expected: { reasons } }: ConformanceCase) =>
      reasons.some((reason) => reason.code === code && reason.outcome === outcome && reason.decisive);
  };
  const asked = ({ expected: { reasons } }: ConformanceCase) => new Set(reasons.map(({ outcome }) => outcome));
  const rule = (each: ConformanceCase, then: string, because: string) =>
    each.expected.reasons.some(
      (reason) => reason.because === because && reason.outcome === then && reason.outcome === each.expected.outcome,
    );
  const hasFinal = ({ policy }: ConformanceCase) => JSON.stringify(policy).includes('"final":true');
  return {
    'rules: a rule before its first day is left out': (each) => changes(each, /"from":"[^"]+"/g, '"owner":"x"'),
    'rules: a rule after its last day is left out': (each) => changes(each, /"until":"[^"]+"/g, '"owner":"x"'),
    'rules: a shadow rule that fires is listed separately': ({ expected }) =>
      expected.shadow.some(({ result }) => result === 'fires'),
    'rules: a shadow rule that is undetermined is listed separately': ({ expected }) =>
      expected.shadow.some(({ result }) => result === 'undetermined'),
    'rules: a shadow rule has no effect': (each) => changes(each, /"mode":"shadow"/g, '"owner":"x"'),
    'final rules: a final accept decides alone': (each) =>
      hasFinal(each) && each.expected.outcome === 'accept' && asked(each).has('reject'),
    'final rules: a final reject decides alone': (each) =>
      hasFinal(each) && decided(each) && each.expected.outcome === 'reject',
    'final rules: an undetermined final rule that asks ends the search': (each) =>
      hasFinal(each) &&
      each.expected.outcome === 'review' &&
      asked(each).has('accept') &&
      changes(each, /"final":true/g, '"final":true,"whenUnknown":"ignore"'),
    'final rules: an undetermined final rule with `ignore` does not end the search': (each) =>
      hasFinal(each) && changes(each, /"whenUnknown":"ignore"/g, '"whenUnknown":"review"') && asked(each).has('reject'),
    'asked for: the `then` of a rule that fires: accept': (each) => rule(each, 'accept', 'fired'),
    'asked for: the `then` of a rule that fires: review': (each) => rule(each, 'review', 'fired'),
    'asked for: the `then` of a rule that fires: reject': (each) => rule(each, 'reject', 'fired'),
    'asked for: review for an undetermined rule': (each) => rule(each, 'review', 'undetermined'),
    'asked for: nothing for a rule whose `whenUnknown` is ignore': ({ expected: { undetermined, outcome }, policy }) =>
      outcome === 'accept' && policy.rules?.[0]?.then === 'reject' && undetermined.some(({ asks }) => asks === null),
    'asked for: nothing for an undetermined accept': ({ expected: { undetermined, outcome }, policy }) =>
      outcome === 'accept' && policy.rules?.[0]?.then === 'accept' && undetermined.some(({ asks }) => asks === null),
    'asked for: the band of `least`: review': because('SCORE', 'review'),
    'asked for: the band of `least`: reject': because('SCORE', 'reject'),
    'asked for: negative points of an undetermined rule widen `least`': (each) =>
      each.expected.undetermined.length > 0 && changes(each, /"points":-\d+/g, '"points":0'),
    'asked for: `most` reaches a higher band': because('SCORE_UNDETERMINED', 'review'),
    'asked for: both bands': ({ expected: { reasons } }) =>
      ['SCORE', 'SCORE_UNDETERMINED'].every((code) => reasons.some((reason) => reason.code === code)),
    'asked for: the default accept': because('DEFAULT', 'accept'),
    'asked for: the default review': because('DEFAULT', 'review'),
    'asked for: the default reject': because('DEFAULT', 'reject'),
    'asked for: the default along with an uncertain review': (each) =>
      because('DEFAULT', 'reject')(each) && asked(each).has('review'),
    'ranking: reject is stricter than review': (each) =>
      !hasFinal(each) && each.expected.outcome === 'reject' && asked(each).has('review'),
    'ranking: review is stricter than accept': (each) =>
      !hasFinal(each) && each.expected.outcome === 'review' && asked(each).has('accept'),
    'ranking: a rule that fires with accept beats a stricter default': ({ expected: { outcome }, policy }) =>
      outcome === 'accept' && policy.default === 'reject' && !JSON.stringify(policy).includes('"final":true'),
  };
}
