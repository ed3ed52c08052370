/** Rules that can do harm as they stand -> warnings: what they tell, what sets them off, whom they let pass. */

import type { FactTable } from '../../facts/catalog.ts';
import type { Yaml } from '../../platform/yaml.ts';
import type { Condition, Rule, Test } from '../language.ts';
import type { Check } from './context.ts';

/** Looks for notices that tell too much, rules that missing facts set off, broad accepts, and rejects that look away. */
export function checkHazards(check: Check): void {
  const paths = pathPattern(check.policy.facts);
  for (const rule of check.policy.rules) {
    checkNotice(rule, paths, check);
    checkBroadAccept(rule, check);
  }
  checkMissing(check);
  checkIgnored(check);
}

/** Any path of a fact. */
function pathPattern(facts: FactTable): RegExp {
  const paths = [...facts.keys()].sort((a, b) => b.length - a.length).map((path) => path.replaceAll('.', '\\.'));
  return new RegExp(`(?<![\\w.])(${paths.join('|')})(?![\\w])`);
}

function checkNotice(rule: Rule, paths: RegExp, { warn, placeOf }: Check): void {
  const { notice } = rule;
  if (notice === undefined) return;
  const braces = /\{[^{}]*\}/.exec(notice)?.[0];
  const path = paths.exec(notice)?.[0];
  if (braces === undefined && path === undefined) return;
  const found = braces === undefined ? `names the fact ${path}` : `has ${braces}, and a notice has no places`;
  const message = `the notice of "${rule.id}" ${found}: it is for the applicant, whom it would teach what is looked at`;
  warn(placeOf(rule, 'notice'), 'notice-reveals', message);
}

/** Reports each test that is true of a missing fact, once, with the rules that it can set off. */
function checkMissing({ policy, places, warn }: Check): void {
  const rules = new Map<Test, Rule[]>();
  for (const rule of policy.rules) {
    for (const test of truths(rule.when, true)) {
      const set = rules.get(test) ?? [];
      rules.set(test, set);
      set.push(rule);
    }
  }
  for (const [test, [first, ...others]] of rules) {
    const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
    const message = `the rule "${first?.id}"${more} can fire because ${test.fact} is missing: a source that fails, or an applicant who leaves something out, sets it off`;
    warn(places.get(test), 'fires-on-missing', message);
  }
}

/** The tests of a condition that are true of a missing fact, each once. */
function truths(condition: Condition, isPositive: boolean, found: Set<Test> = new Set()): Set<Test> {
  if (condition.kind === 'test') {
    if (condition.operator === 'known' && (condition.argument === false) === isPositive) found.add(condition);
  } else {
    for (const part of condition.of) truths(part, (condition.kind === 'not') !== isPositive, found);
  }
  return found;
}

/**
 * A final accept passes over every other rule, so that it should name whom it means. Narrow is one that, in every way in
 * which it can fire, asks for exact values of what tells one applicant from another: of the applicant's own, or of a text
 * or number of the caller's. Anything else (a country, a kind of line, a level, a domain) is true of strangers too.
 */
function checkBroadAccept(rule: Rule, check: Check): void {
  if (!rule.final || rule.then !== 'accept' || rule.shadow || isNarrow(rule.when, check.policy.facts)) return;
  const message = `the rule "${rule.id}" accepts, finally, whoever passes a test that strangers pass too: no other rule can then stop them`;
  const hint = 'name whom it means: `is`, `in` or `inList` of applicant.phoneNo, applicant.email or a fact of your own';
  check.warn(check.placeOf(rule, 'final'), 'broad-accept', message, hint);
}

const EXACT = ['is', 'in', 'inList'];

function isNarrow(condition: Condition, facts: FactTable): boolean {
  switch (condition.kind) {
    case 'test': {
      const { fact, operator, type, other } = condition;
      const origin = facts.get(fact)?.origin;
      const tellsApart =
        origin === 'applicant' || (origin === 'caller' && ['string', 'integer', 'number'].includes(type));
      return tellsApart && other === undefined && EXACT.includes(operator);
    }
    case 'all':
      return condition.of.some((part) => isNarrow(part, facts));
    case 'any':
    case 'named':
      return condition.of.every((part) => isNarrow(part, facts));
    case 'atLeastOf': {
      // Whichever are chosen, one of them is narrow.
      const broad = condition.of.filter((part) => !isNarrow(part, facts));
      return broad.length < condition.count;
    }
    case 'not':
      return false;
  }
}

/** Reports each `whenUnknown: ignore` that a rule which rejects has, or inherits, once. */
function checkIgnored({ policy, keys, warn, placeOf }: Check): void {
  const silenced = new Map<Yaml | undefined, Rule[]>();
  for (const rule of policy.rules) {
    if (rule.then !== 'reject' || rule.whenUnknown !== 'ignore' || rule.shadow) continue;
    const own = placeOf(rule, 'whenUnknown');
    const isOwn = own?.kind === 'scalar' && own.value === 'ignore';
    const place = isOwn ? own : keys.get('whenUnknown')?.value;
    const rules = silenced.get(place) ?? [];
    silenced.set(place, rules);
    rules.push(rule);
  }
  for (const [place, [first, ...others]] of silenced) {
    const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
    const message = `the rule "${first?.id}"${more} rejects, and says nothing where it cannot be decided: whoever keeps its facts from being known passes`;
    warn(place, 'unknown-ignored', message);
  }
}
