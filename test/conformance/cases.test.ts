/** The conformance cases of test/cases: what of the language they show. That every runner decides them as written is in agreement.test.ts. */

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
import { referenceVerdict, resultsOf, worldOf } from '../support/runners/reference.ts';
import { type Node, typeOf } from '../support/runners/reference-truth.ts';

const CASES = caseFiles().flatMap((path) => readCaseFile(path).cases);

test('there are at least 300 cases, each with a name of its own', () => {
  const names = CASES.map(({ name }) => name);
  expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
  expect(CASES.length).toBeGreaterThanOrEqual(300);
});

test.each(caseFiles())('the file %s is laid out by test/support/runners/fill-cases.ts', (path) => {
  expect(readFileSync(path, 'utf8')).toBe(`${formatJson(readCaseFile(path))}\n`);
});

const TRUTHS = ['true', 'false', 'unknown'] as const;
const FORMS = ['map', 'name', 'all', 'any', 'not', 'atLeastOf'] as const;

test('no operator, of no type, has a truth value without a case', () => {
  const shown = new Set(CASES.flatMap((each) => aloneIn(each).flatMap((node) => testShownBy(node, each))));
  const wanted = OPERATOR_NAMES.flatMap((operator) => {
    const types = FACT_TYPES.filter((type) => operatorRow(operator).types.includes(type));
    // `known` alone is never unknown.
    const truths = TRUTHS.filter((truth) => operator !== 'known' || truth !== 'unknown');
    const forms = operatorRow(operator).againstFact ? ['', ' against a fact'] : [''];
    return types.flatMap((type) =>
      forms.flatMap((form) => truths.map((truth) => `${operator} of ${type}${form}: ${truth}`)),
    );
  });
  expect(wanted.filter((each) => !shown.has(each))).toEqual([]);
});

test('no combinator has a truth value without a case', () => {
  const shown = new Set(CASES.flatMap(aloneIn).map(({ kind, truth }) => `${kind}: ${truth}`));
  const wanted = FORMS.flatMap((form) => TRUTHS.map((truth) => `${form}: ${truth}`));
  expect(wanted.filter((each) => !shown.has(each))).toEqual([]);
});

test.each(Object.entries(linesOfTheOutcome()))('a case shows of "The outcome": %s', (_line, shows) => {
  expect(CASES.filter(shows).length).toBeGreaterThan(0);
});

/** The conditions of rules that the verdict tells the truth of: a map of a single entry is that entry. */
function aloneIn(each: ConformanceCase): Node[] {
  const unwrap = (node: Node): Node => {
    const [only, ...others] = node.parts;
    return node.kind === 'map' && only && others.length === 0 ? unwrap(only) : node;
  };
  const world = worldOf(each.policy, factsOfCase(each), each.day);
  return resultsOf(each.policy, world).map(({ node }) => unwrap(node));
}

function testShownBy({ test: shown, truth }: Node, { policy, day }: ConformanceCase): string[] {
  if (!shown) return [];
  const type = typeOf(shown.fact, worldOf(policy, {}, day));
  const form = shown.other === undefined ? '' : ' against a fact';
  return [`${shown.operator} of ${type}${form}: ${truth}`];
}

/** Each thing that the numbered lines say, and whether a case shows it by its verdict. */
function linesOfTheOutcome(): Record<string, (each: ConformanceCase) => boolean> {
  /** Whether the verdict would be another, were the policy's text changed so. */
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
    '1: a rule before its first day is left out': (each) => changes(each, /"from":"[^"]+"/g, '"owner":"x"'),
    '1: a rule after its last day is left out': (each) => changes(each, /"until":"[^"]+"/g, '"owner":"x"'),
    '1: a shadow rule that fires is listed apart': ({ expected }) =>
      expected.shadow.some(({ result }) => result === 'fires'),
    '1: a shadow rule that is undetermined is listed apart': ({ expected }) =>
      expected.shadow.some(({ result }) => result === 'undetermined'),
    '1: a shadow rule takes no further part': (each) => changes(each, /"mode":"shadow"/g, '"owner":"x"'),
    '2: a final accept decides alone': (each) =>
      hasFinal(each) && each.expected.outcome === 'accept' && asked(each).has('reject'),
    '2: a final reject decides alone': (each) => hasFinal(each) && decided(each) && each.expected.outcome === 'reject',
    '2: an undetermined final rule that asks ends the walk': (each) =>
      hasFinal(each) &&
      each.expected.outcome === 'review' &&
      asked(each).has('accept') &&
      changes(each, /"final":true/g, '"final":true,"whenUnknown":"ignore"'),
    '2: one that ignores does not end it': (each) =>
      hasFinal(each) && changes(each, /"whenUnknown":"ignore"/g, '"whenUnknown":"review"') && asked(each).has('reject'),
    '3: the `then` of a rule that fires: accept': (each) => rule(each, 'accept', 'fired'),
    '3: the `then` of a rule that fires: review': (each) => rule(each, 'review', 'fired'),
    '3: the `then` of a rule that fires: reject': (each) => rule(each, 'reject', 'fired'),
    '3: review for an undetermined rule': (each) => rule(each, 'review', 'undetermined'),
    '3: nothing for one whose `whenUnknown` is ignore': ({ expected: { undetermined, outcome }, policy }) =>
      outcome === 'accept' && policy.rules?.[0]?.then === 'reject' && undetermined.some(({ asks }) => asks === null),
    '3: nothing for an undetermined accept': ({ expected: { undetermined, outcome }, policy }) =>
      outcome === 'accept' && policy.rules?.[0]?.then === 'accept' && undetermined.some(({ asks }) => asks === null),
    '3: the band of `least`: review': because('SCORE', 'review'),
    '3: the band of `least`: reject': because('SCORE', 'reject'),
    '3: negative points of an undetermined rule widen `least`': (each) =>
      each.expected.undetermined.length > 0 && changes(each, /"points":-\d+/g, '"points":0'),
    '3: `most` reaches a higher band': because('SCORE_UNDETERMINED', 'review'),
    '3: both bands': ({ expected: { reasons } }) =>
      ['SCORE', 'SCORE_UNDETERMINED'].every((code) => reasons.some((reason) => reason.code === code)),
    '3: the default accept': because('DEFAULT', 'accept'),
    '3: the default review': because('DEFAULT', 'review'),
    '3: the default reject': because('DEFAULT', 'reject'),
    '3: the default beside what is not certain': (each) =>
      because('DEFAULT', 'reject')(each) && asked(each).has('review'),
    '4: reject is stricter than review': (each) =>
      !hasFinal(each) && each.expected.outcome === 'reject' && asked(each).has('review'),
    '4: review is stricter than accept': (each) =>
      !hasFinal(each) && each.expected.outcome === 'review' && asked(each).has('accept'),
    '4: a rule that fires with accept beats a stricter default': ({ expected: { outcome }, policy }) =>
      outcome === 'accept' && policy.default === 'reject' && !JSON.stringify(policy).includes('"final":true'),
  };
}
