/**
 * A policy as plain data, facts and a day -> the verdict, by walking the tree: slow, obvious, without code of
 * the runners.
 */

import type { Evidence, MissingEvidence } from '../../../src/decision/meaning/evidence.ts';
import type { Reason, Verdict } from '../../../src/decision/meaning/verdict.ts';
import type { Outcome } from '../../../src/policy/language.ts';
import {
  conditionsOf,
  factsOfPolicy,
  listsOf,
  type PlainBand,
  type PlainFacts,
  type PlainPolicy,
  type PlainRule,
  rulesOf,
} from './plain.ts';
import { withValues } from './plain-parameters.ts';
import {
  age,
  type EvaluationContext,
  factAt,
  isDayOrLater,
  type Node,
  type PlainTest,
  walk,
} from './reference-truth.ts';

export type * from './plain.ts';

const STRICTNESS: readonly unknown[] = [null, 'accept', 'review', 'reject'];

/** An active rule, and the truth of its condition. */
export interface Result {
  readonly rule: PlainRule;
  readonly node: Node;
}

/** The contents of all files of a policy, with the values of its parameters. */
interface Gathered {
  readonly policy: PlainPolicy;
  readonly rules: readonly PlainRule[];
  readonly conditions: EvaluationContext['conditions'];
  readonly lists: EvaluationContext['lists'];
}

const gathered = new WeakMap<PlainPolicy, Gathered>();

/** Collects them once for each policy, for many applicants. */
function gather(written: PlainPolicy): Gathered {
  const found = gathered.get(written) ?? gatherAll(withValues(written));
  gathered.set(written, found);
  return found;
}

function gatherAll(policy: PlainPolicy): Gathered {
  return { policy, rules: rulesOf(policy), conditions: conditionsOf(policy), lists: listsOf(policy) };
}

/** The context in which a policy's conditions are evaluated. */
export function contextOf(
  written: PlainPolicy,
  facts: PlainFacts,
  day: string,
  failing: readonly string[] = [],
): EvaluationContext {
  const { policy, conditions, lists } = gather(written);
  return { ownFacts: factsOfPolicy(policy), conditions, lists, facts, day, failing };
}

/** The truth of every active rule, shadow rules included. */
export function resultsOf(policy: PlainPolicy, context: EvaluationContext): readonly Result[] {
  const isActive = ({ from, until }: PlainRule) =>
    (from === undefined || isDayOrLater(context.day, from)) &&
    (until === undefined || isDayOrLater(until, context.day));
  return gather(policy)
    .rules.filter(isActive)
    .map((rule) => ({ rule, node: walk(rule.when, context) }));
}

/** The verdict. Every evaluation of the operators in `failing` fails. */
export function referenceVerdict(
  written: PlainPolicy,
  facts: PlainFacts,
  day: string,
  failing: readonly string[] = [],
): Verdict {
  const context = contextOf(written, facts, day, failing);
  const active = resultsOf(written, context);
  const { policy } = gather(written);
  const results = active.filter(({ rule }) => rule.mode !== 'shadow');
  const fired = results.filter(({ node }) => node.truth === 'true');
  const undetermined = results.filter(({ node }) => node.truth === 'unknown');
  const ignores = (rule: PlainRule) => (rule.whenUnknown ?? policy.whenUnknown ?? 'review') === 'ignore';
  const asks = (rule: PlainRule) => !ignores(rule) && (rule.then === 'review' || rule.then === 'reject');

  // Of the final rules that fire, the strictest outcome decides; an undetermined stricter one makes it review.
  const isStricter = (one: PlainRule, other: PlainRule) =>
    STRICTNESS.indexOf(one.then ?? null) > STRICTNESS.indexOf(other.then ?? null);
  const finalsFired = fired.map(({ rule }) => rule).filter((rule) => rule.final);
  const strictestFinal = finalsFired.find((rule) => !finalsFired.some((other) => isStricter(other, rule)));
  const overruling = undetermined
    .map(({ rule }) => rule)
    .filter((rule) => rule.final && asks(rule) && strictestFinal && isStricter(rule, strictestFinal));
  const deciders = overruling.length > 0 ? overruling : finalsFired.filter(({ then }) => then === strictestFinal?.then);
  const hasFinalDecided = strictestFinal !== undefined;

  const certainPoints = sum(fired.map(({ rule }) => rule.points ?? 0));
  const openPoints = undetermined.filter(({ rule }) => !ignores(rule)).map(({ rule }) => rule.points ?? 0);
  const least = certainPoints + sum(openPoints.filter((points) => points < 0));
  const most = certainPoints + sum(openPoints.filter((points) => points > 0));
  const band = bandOf(least, policy);
  const isHigherPossible = STRICTNESS.indexOf(bandOf(most, policy)) > STRICTNESS.indexOf(band);

  const certain = fired.flatMap(({ rule }) => rule.then ?? []);
  if (band) certain.push(band);
  const asked = [...certain];
  for (const { rule } of undetermined) if (asks(rule)) asked.push('review');
  if (isHigherPossible) asked.push('review');
  const isDefaultListed =
    !hasFinalDecided && certain.length === 0 && (policy.default !== 'accept' || asked.length === 0);
  if (!hasFinalDecided && certain.length === 0) asked.push(policy.default);
  const strictest = (['reject', 'review', 'accept'] as const).find((outcome) => asked.includes(outcome)) ?? 'accept';
  const outcome = overruling.length > 0 ? 'review' : (strictestFinal?.then ?? strictest);

  const decisive = (wanted: Outcome | null, rule?: PlainRule) =>
    hasFinalDecided ? deciders.some((each) => each === rule) : wanted === outcome;
  const reasons: Reason[] = results.flatMap(({ rule, node }): Reason[] => {
    const code = rule.reason ?? rule.id.toUpperCase().replaceAll(/[-/]/g, '_');
    const then = rule.then ?? null;
    if (node.truth === 'true') {
      return [
        {
          because: 'fired',
          code,
          outcome: then,
          decisive: decisive(then, rule),
          rule: rule.id,
          ...(rule.points === undefined ? {} : { points: rule.points }),
          ...(rule.message === undefined ? {} : { message: render(rule.message, context) }),
          ...(rule.notice === undefined ? {} : { notice: rule.notice }),
          evidence: evidenceOf(node, context),
        },
      ];
    }
    if (node.truth === 'false' || !asks(rule)) return [];
    return [{ because: 'undetermined', code, outcome: 'review', decisive: decisive('review', rule), rule: rule.id }];
  });
  const scoreNotice = (asked: 'review' | 'reject') => {
    const band = policy.score?.[asked];
    // Without the other band, one notice is enough.
    const notice =
      (typeof band === 'object' ? band.notice : undefined) ?? (band === undefined ? undefined : policy.score?.notice);
    return notice === undefined ? {} : { notice };
  };
  const defaultNotice = policy.defaultNotice === undefined ? {} : { notice: policy.defaultNotice };
  const addScore = (code: string, asked: Outcome) =>
    reasons.push({
      because: 'score',
      code,
      outcome: asked,
      decisive: decisive(asked),
      ...(asked === 'accept' ? {} : scoreNotice(asked)),
    });
  if (band) addScore('SCORE', band);
  if (isHigherPossible) addScore('SCORE_UNDETERMINED', 'review');
  if (isDefaultListed) {
    const isDecisive = decisive(policy.default);
    const about = { because: 'default', code: 'DEFAULT', outcome: policy.default } as const;
    reasons.push({ ...about, decisive: isDecisive, ...defaultNotice });
  }
  const ranks = [true, false].flatMap((isDecisive) =>
    ['reject', 'review', 'accept', null].map((each) => ({ isDecisive, each })),
  );
  return {
    outcome,
    reasons: ranks.flatMap(({ isDecisive, each }) =>
      reasons.filter((reason) => reason.decisive === isDecisive && reason.outcome === each),
    ),
    undetermined: undetermined.map(({ rule, node }) => ({
      rule: rule.id,
      asks: asks(rule) ? 'review' : null,
      missing: missingOf(node, context),
    })),
    score: { least, most, band },
    shadow: active
      .filter(({ rule, node }) => rule.mode === 'shadow' && node.truth !== 'false')
      .map(({ rule, node }) => ({
        rule: rule.id,
        result: node.truth === 'true' ? 'fires' : 'undetermined',
        outcome: rule.then ?? null,
      })),
  };
}

function sum(numbers: readonly number[]): number {
  let total = 0;
  for (const each of numbers) total += each;
  return total;
}

function bandOf(points: number, { score }: PlainPolicy): Outcome | null {
  const limitOf = (band: PlainBand | undefined) => (typeof band === 'object' ? band.atLeast : (band ?? Infinity));
  if (points >= limitOf(score?.reject)) return 'reject';
  if (points >= limitOf(score?.review)) return 'review';
  return null;
}

/** The tests on branches that have the truth of their parent. */
function testsBehind(node: Node, negated: boolean): { test: PlainTest; negated: boolean }[] {
  if (node.test) return [{ test: node.test, negated }];
  if (node.kind === 'not') return node.parts.flatMap((part) => testsBehind(part, !negated));
  return node.parts.filter((part) => part.truth === node.truth).flatMap((part) => testsBehind(part, negated));
}

function evidenceOf(node: Node, context: EvaluationContext): Evidence[] {
  const value = (path: string) => {
    const fact = factAt(path, context);
    return 'missing' in fact ? {} : { value: fact.shown };
  };
  const seen = new Set<string>();
  return testsBehind(node, false).flatMap(({ test, negated }) => {
    const { fact, operator, expected, argument, other } = test;
    const key = JSON.stringify([fact, operator, argument, negated]);
    if (seen.has(key)) return [];
    seen.add(key);
    const about = other === undefined ? {} : { other: { fact: other, ...value(other) } };
    return [{ fact, operator, expected, ...value(fact), ...(negated ? { negated: true as const } : {}), ...about }];
  });
}

function missingOf(node: Node, context: EvaluationContext): MissingEvidence[] {
  const causes = new Map<string, MissingEvidence['cause']>();
  for (const { test } of testsBehind(node, false)) {
    const paths = test.other === undefined ? [test.fact] : [test.fact, test.other];
    const missing = paths.filter((path) => 'missing' in factAt(path, context));
    for (const path of missing.length > 0 ? missing : [test.fact]) {
      const fact = factAt(path, context);
      if (!causes.has(path)) causes.set(path, 'missing' in fact ? fact.missing : 'error');
    }
  }
  return [...causes].map(([fact, cause]) => ({ fact, cause }));
}

function render(message: string, context: EvaluationContext): string {
  return message.replaceAll(/\{\{|\}\}|\{(daysSince +)?([^{} ]+)\}/g, (token, daysSince, path) => {
    if (token === '{{' || token === '}}') return token.slice(1);
    const fact = factAt(path, context);
    if ('missing' in fact) return 'unknown';
    if (daysSince && fact.value !== 'never') return String(age(String(fact.value), context.day));
    return typeof fact.shown === 'string' ? fact.shown : JSON.stringify(fact.shown);
  });
}
