/** Rules, each by itself or compared with one of the same condition -> warnings. */

import { type FactTable, LEVELS, type Level } from '../../facts/catalog.ts';
import type { FactValue } from '../../facts/fact.ts';
import { count } from '../../text.ts';
import { contradictionIn } from '../cells/ties.ts';
import { fold, pushDown } from '../fold.ts';
import {
  areActiveTogether,
  type Condition,
  hasBands,
  type Rule,
  rulesInEffect,
  strictness,
  type Test,
} from '../language.ts';
import { operatorRow } from '../operators.ts';
import { asksWhenUnknown } from '../weight.ts';
import { type Check, nameRules, partsOf, placeOfRule } from './context.ts';
import { hasOwnWords } from './pair-checks.ts';

export function checkActiveRules({ policy, keys, day, warn }: Check): void {
  if (policy.default !== 'accept' || rulesInEffect(policy, day).length > 0) return;
  const { length } = policy.rules;
  const problem = length === 0 ? 'the policy has no rules' : `none of ${count(length, 'rule')} is active on ${day}`;
  const hint =
    'write `default: review`, or activate a rule: shadow rules, and rules outside their days, have no effect';
  warn(keys.get('default')?.value, 'no-active-rule', `${problem}, so it accepts every applicant`, hint);
}

export function checkExpiredRules({ policy, day, warn, nodeOf }: Check): void {
  const expired = policy.rules.filter(({ until }) => until !== undefined && until < day);
  for (const [node, rules] of Map.groupBy(expired, (rule) => nodeOf(rule, 'until'))) {
    const message = `the rule ${nameRules(rules)} ended on ${rules[0]?.until}: it no longer has any effect`;
    warn(node, 'expired-rule', message, 'remove it, or write a later day');
  }
}

export function checkSameConditions(check: Check): void {
  const { policy, identify, reported, warn, nodeOf } = check;
  const earlier = new Map<string, Rule[]>();
  for (const rule of policy.rules) {
    const id = identify(rule.when);
    const same = earlier.get(id) ?? [];
    earlier.set(id, same);
    // Two such rules are intended where one is a shadow rule, or where one takes over from the other on some day.
    const other = same.find((each) => each.shadow === rule.shadow && areActiveTogether(each, rule));
    if (other) {
      reported.add(rule);
      const message = `the rule "${rule.id}" has the same condition as "${other.id}": the two always fire together`;
      const hint = 'merge the two rules, or change the condition of one';
      warn(nodeOf(rule), 'same-condition', message, hint, placeOfRule(other, check));
    }
    same.push(rule);
  }
}

export function checkNeverFires({ regions, conjunctions, geodata, reported, warn, nodeOf }: Check): void {
  for (const { rule, certain, possible } of regions) {
    if (certain.length > 0 || hasReported(rule.when, reported)) continue;
    const message = `the rule "${rule.id}" can never fire: no facts pass all of its tests`;
    const parts = conjunctions.of(rule.when)?.flatMap((part) => part.certain ?? []) ?? [];
    const contradiction = parts[0] && contradictionIn(parts[0], geodata);
    const hint = [contradiction ?? [], possible.length > 0 ? hintOfUnknown(rule) : []].flat().join('; ');
    warn(nodeOf(rule), 'never-fires', message, hint || undefined);
  }
}

/** What a rule that never fires may still do; none if it asks for nothing while its condition is unknown. */
export function hintOfUnknown(rule: Rule): readonly string[] {
  if (rule.shadow || asksWhenUnknown(rule) === null) return [];
  return ['while facts are missing it can still ask for a review, which would go with it'];
}

function hasReported(condition: Condition, reported: Check['reported']): boolean {
  for (const part of partsOf(condition)) {
    if (part.kind === 'test' && reported.has(part)) return true;
    if (part.kind === 'named' && hasReported(part.of[0], reported)) return true;
  }
  return false;
}

export function checkIneffectiveAccepts(check: Check): void {
  const { policy, tables, warn, nodeOf } = check;
  if (policy.default !== 'accept') return;
  // A table that names every combination says accept for some of them.
  const rows = new Set(tables.flatMap((table) => table.rows));
  for (const rule of policy.rules) {
    if (rule.then !== 'accept' || rule.final || rule.shadow || rows.has(rule)) continue;
    if ((hasBands(policy) && rule.points) || hasOwnWords(rule)) continue;
    const message = `the rule "${rule.id}" changes no outcome: the default is accept, and it overrules no other rule`;
    const hint = 'to accept whatever other rules ask for, add `final: true`';
    warn(nodeOf(rule, 'then'), 'accept-no-effect', message, hint);
  }
}

export function checkFiresOnMissing({ policy, nodes, warn }: Check): void {
  const affected = policy.rules.flatMap((rule) => [...testsOfMissing(rule.when)].map((test) => ({ test, rule })));
  for (const [test, pairs] of Map.groupBy(affected, (pair) => pair.test)) {
    const rules = pairs.map(({ rule }) => rule);
    const cause = 'a source that fails, or an applicant who leaves something out, is enough';
    const message = `the rule ${nameRules(rules)} can fire because ${test.fact} is missing: ${cause}`;
    warn(nodes.get(test), 'fires-on-missing', message);
  }
}

/** The tests of a condition that help it to be true where a fact is missing, each once. */
function testsOfMissing(condition: Condition): ReadonlySet<Test> {
  const helping = pushDown<readonly Test[]>({
    literal: (test, isPositive) => {
      return test.operator === 'known' && (test.argument === false) === isPositive ? [test] : [];
    },
    atLeast: (_count, parts) => parts.flat(),
  });
  return new Set(fold(condition, helping)(true));
}

const HINT =
  'say which applicants it is for: `is`, `in` or `inList` of applicant.phoneNo, applicant.email or a fact of your own';

export function checkBroadAccepts({ policy, warn, nodeOf }: Check): void {
  for (const rule of policy.rules) {
    if (!rule.final || rule.then !== 'accept' || rule.shadow || isNarrow(rule.when, policy.facts)) continue;
    const message = `the final rule "${rule.id}" accepts every applicant who passes a test that strangers can pass too`;
    warn(nodeOf(rule, 'final'), 'broad-accept', `${message}: only a stricter final rule can stop them`, HINT);
  }
}

/**
 * A final accept passes over every rule that is not final, so it should name whom it means. A narrow one asks, in
 * every way in which it can fire, for exact values of what tells one applicant from another: of the applicant's own
 * data, or of a text or number of the caller's. Anything else (a country, a kind of line, a level, a domain) is true
 * of strangers too.
 */
function isNarrow(condition: Condition, facts: FactTable): boolean {
  return fold(condition, {
    test: ({ fact, operator, type, other }) => {
      const origin = facts.get(fact)?.origin;
      const tellsApart =
        origin === 'applicant' || (origin === 'caller' && ['string', 'integer', 'number'].includes(type));
      return tellsApart && other === undefined && operatorRow(operator).isNaming;
    },
    not: () => false,
    // With fewer broad parts than the count, every choice includes a narrow part.
    atLeast: (count, parts) => parts.filter((isPartNarrow) => !isPartNarrow).length < count,
  });
}

/**
 * A level or a count that a strict rule names, where no rule as strict is true of the next riskier one: `riskLevel:
 * high` alone lets `veryHigh` through, `velocity.sameIp: 3` lets 4 through.
 */
export function checkLevels({ policy, tables, cells, day, nodes, warn }: Check): void {
  const isTrueOf = (test: Test, value: FactValue): boolean => {
    const { axis, isTrue } = cells.of(test);
    const cell = axis.find({ value }, undefined, day);
    return cell !== undefined && (isTrue & (1n << BigInt(cell))) !== 0n;
  };
  // A row that says nothing of a level is for all levels; gaps of tables have a check of their own.
  const rows = new Set(tables.flatMap((table) => table.rows));
  const strict = policy.rules.flatMap((rule) => {
    const least = rule.shadow ? 0 : strictnessAsked(rule);
    const tests = least === 0 ? [] : [...risingTests(rule.when, policy.facts)];
    return tests.filter(({ type }) => type !== 'level' || !rows.has(rule)).map((test) => ({ rule, test, least }));
  });
  for (const { rule, test, least } of strict) {
    if (!operatorRow(test.operator).isNaming) continue;
    const [highest, riskier] = test.type === 'level' ? levelsAt((level) => isTrueOf(test, level)) : countsAt(test);
    if (highest === undefined || riskier === undefined) continue;
    const isAsked = strict.some((each) => {
      return each.test.fact === test.fact && each.least >= least && isTrueOf(each.test, riskier);
    });
    if (isAsked) continue;
    const message = `the rule "${rule.id}" asks for ${highest}, and no rule as strict asks for the riskier ${riskier}`;
    warn(nodes.get(test), 'milder-level', message, `did you mean \`${test.fact}: { atLeast: ${highest} }\`?`);
  }
}

const MEDIUM = LEVELS.indexOf('medium');

/** The highest level, and the next; none for a low one: a strict rule for it is about something else. */
function levelsAt(isTrue: (level: Level) => boolean): readonly (FactValue | undefined)[] {
  const highest = LEVELS.findLast(isTrue) ?? 'low';
  return LEVELS.indexOf(highest) < MEDIUM ? [] : [highest, LEVELS[LEVELS.indexOf(highest) + 1]];
}

/** The highest count, and the next; none for 0. */
function countsAt({ argument }: Test): readonly number[] {
  const counts = [argument].flat().filter((each) => typeof each === 'number');
  const highest = Math.max(0, ...counts);
  return highest === 0 ? [] : [highest, highest + 1];
}

/** What a rule asks for if it fires: 0 for nothing or an accept, 1 for points or a review, 2 for a reject. */
export function strictnessAsked({ then, points }: Rule): number {
  return Math.max(strictness(then), points !== undefined && points > 0 ? 1 : 0);
}

/** What velocities count of which more is riskier. */
const RISING: ReadonlySet<string> = new Set(['applications', 'distinct', 'sum']);

/** The tests of levels and counts that help a condition to be true where they hold. */
export function risingTests(condition: Condition, facts: FactTable): ReadonlySet<Test> {
  const isRising = ({ type, fact }: Test) => {
    const { origin, velocity } = facts.get(fact) ?? {};
    return type === 'level' || RISING.has(velocity?.count ?? '') || (type === 'integer' && origin === 'service');
  };
  const helping = pushDown<readonly Test[]>({
    literal: (test, isPositive) => (isPositive && test.other === undefined && isRising(test) ? [test] : []),
    atLeast: (_count, parts) => parts.flat(),
  });
  return new Set(fold(condition, helping)(true));
}

export function checkUnknownIgnored({ policy, keys, warn, nodeOf }: Check): void {
  const affected = policy.rules.filter(
    ({ then, whenUnknown, shadow }) => then === 'reject' && whenUnknown === 'ignore' && !shadow,
  );
  const byNode = Map.groupBy(affected, (rule) => {
    const ownNode = nodeOf(rule, 'whenUnknown');
    return ownNode?.kind === 'scalar' && ownNode.value === 'ignore' ? ownNode : keys.get('whenUnknown')?.value;
  });
  for (const [node, rules] of byNode) {
    const [who, lets] = rules.length > 1 ? ['the rules', 'reject, and let'] : ['the rule', 'rejects, and lets'];
    const message = `${who} ${nameRules(rules)} ${lets} applicants through whose facts are missing`;
    warn(node, 'unknown-ignored', message);
  }
}
