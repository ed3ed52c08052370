/** What a policy declares -> warnings: entries of lists, stages, and what nothing uses. */

import { factsAmong } from '../../facts/compute.ts';
import { namesCounted, VELOCITY, velocitiesIn } from '../../facts/velocity.ts';
import { IDENTITY_VARIABLES, type IdentityVariable } from '../../signals/variables.ts';
import { count, didYouMean } from '../../text.ts';
import { isIpBlock, isNamedList, type NamedList } from '../arguments.ts';
import { fold } from '../fold.ts';
import {
  areActiveTogether,
  type Condition,
  messageFacts,
  type Policy,
  policyFacts,
  type Rule,
  variablesOf,
} from '../language.ts';
import { operatorRow } from '../operators.ts';
import { type DeclaredList, type Entry, readFormattedText } from '../read/values/declared-list.ts';
import { spanOfKey } from '../source-map.ts';
import { type Check, partsIn, testsIn } from './context.ts';

export function checkUnusedConditions({ policy, conditionKeys, warn }: Check): void {
  const used = new Set([...partsIn(policy)].flatMap((part) => (part.kind === 'named' ? part.name : [])));
  for (const [name, key] of conditionKeys) {
    if (used.has(name)) continue;
    warn(key, 'unused-condition', `the condition "${name}" is never used: editing it changes no decision`);
  }
}

export function checkUnusedLists({ policy, listKeys, warn }: Check): void {
  const used = new Set([...testsIn(policy)].flatMap(({ argument }) => (isNamedList(argument) ? argument.name : [])));
  for (const [name, key] of listKeys) {
    if (used.has(name)) continue;
    warn(key, 'unused-list', `the list "${name}" is never used: editing it changes no decision`);
  }
}

export function checkUnusedParameters({ policy, parameterKeys, warn }: Check): void {
  const used = [...policy.parameters].flatMap(([name, { isUsed }]) => (isUsed ? name : []));
  for (const [name, key] of parameterKeys) {
    if (policy.parameters.get(name)?.isUsed) continue;
    const message = `the parameter "${name}" is never used: editing it changes no decision`;
    // A misspelt name overrides nothing.
    warn(key, 'unused-parameter', message, didYouMean(name, used).hint);
  }
}

export function checkUnusedFacts({ policy, keys, warn }: Check): void {
  const used = messageFacts(policy.rules);
  for (const { fact, other } of testsIn(policy)) {
    used.add(fact);
    if (other !== undefined) used.add(other);
  }
  for (const { compute } of policy.facts.values())
    for (const operand of factsAmong(compute?.operands ?? [])) used.add(operand);
  for (const [path, velocity] of velocitiesIn(policy.facts)) {
    for (const name of namesCounted(velocity)) used.add(name);
    if (used.has(path)) continue;
    const message = `no rule reads ${path}: it is counted for nothing`;
    warn(spanOfKey(policy, ['velocity', path.slice(VELOCITY.length)]), 'unused-fact', message);
  }
  const declared = keys.get('facts')?.value;
  for (const [path, { key }] of declared?.kind === 'map' ? declared.entries : []) {
    if (used.has(path)) continue;
    warn(key, 'unused-fact', `the fact ${path} is declared and never used: its value changes no decision`);
  }
}

export function checkRatios({ policy, keys, warn }: Check): void {
  const declared = keys.get('facts')?.value;
  if (declared?.kind !== 'map') return;
  for (const [path, { key }] of declared.entries) {
    const { type, compute } = policy.facts.get(path) ?? {};
    if (compute?.name !== 'ratio') continue;
    if (compute.operands[1] === 0) {
      const message = `${path} divides by 0, so it is invalid for every applicant`;
      warn(key, 'ratio-invalid', message, 'divide by another number, or by a fact');
    } else if (type === 'integer') {
      const message = `${path} is an integer, and a ratio hardly ever is one: for all others it is invalid`;
      warn(key, 'ratio-invalid', message, 'declare `type: number`');
    }
  }
}

/** More from one list, or two, would not help. */
const MAX_REPORTED = 10;

export function checkDuplicateEntries({ lists, warn }: Check): void {
  for (const list of lists) {
    if (valuesOf(list.list).size === list.entries.length) continue;
    const repeated = [...entriesByValue(list).values()].flatMap(([first, ...others]) =>
      others.map((other) => ({ other, first })),
    );
    for (const { other, first } of repeated.slice(0, MAX_REPORTED)) {
      const message = `the list "${list.name}" has this entry twice`;
      const days = [first, other].filter((entry) => entry?.written.until !== undefined).length;
      const hint = days > 0 ? 'remove one; the one with the later last day counts, or the one without' : 'remove one';
      const related = first && { at: first.span, message: 'the entry is here too' };
      warn(other.span, 'duplicate-entry', message, hint, related);
    }
  }
}

export function checkExpiredEntries({ lists, day, warn }: Check): void {
  for (const { name, entries } of lists) {
    const expired = entries.filter(({ written: { until } }) => until !== undefined && until < day);
    const more = expired.length > 1 ? `, and so have ${count(expired.length - 1, 'more')} of the list` : '';
    const message = `this entry of the list "${name}" expired on ${expired[0]?.written.until}${more}`;
    warn(expired[0]?.span, 'expired-entry', message, 'remove it, or write a later day');
  }
}

/** A rule that fires whenever a fact is in a list. */
interface Membership {
  readonly rule: Rule;
  readonly fact: string;
  readonly list: string;
}

export function checkConflictingEntries({ policy, lists, day, warn }: Check): void {
  const all = policy.rules.flatMap((rule) => (rule.shadow ? [] : membershipsOf(rule)));
  const byName = new Map(lists.map((list) => [list.name, list]));
  const seen = new Set<string>();
  for (const accept of all.filter(({ rule }) => rule.then === 'accept')) {
    for (const reject of all.filter(({ rule }) => rule.then === 'reject')) {
      const pair = JSON.stringify([accept.list, reject.list]);
      if (!areOpposed(accept, reject) || seen.has(pair)) continue;
      seen.add(pair);
      const [accepted, rejected] = [byName.get(accept.list), byName.get(reject.list)];
      for (const [entry, other] of accepted && rejected ? entriesInBoth(accepted, rejected, day) : []) {
        const what = `the rule "${accept.rule.id}" accepts this entry, and "${reject.rule.id}" rejects it`;
        const message = `${what} as one of the list "${reject.list}": reject decides`;
        const related = { at: other.span, message: 'the other entry is here' };
        warn(entry.span, 'conflicting-entry', message, 'remove it from one of the lists', related);
      }
    }
  }
}

/** The first entries that two lists share on a day, as each list has them. */
function entriesInBoth(one: DeclaredList, other: DeclaredList, day: string): readonly (readonly [Entry, Entry])[] {
  const common = valuesOf(one.list).intersection(valuesOf(other.list));
  if (common.size === 0) return [];
  const [inOne, inOther] = [one, other].map(entriesByValue);
  const counts = ({ written: { until } }: Entry) => until === undefined || until >= day;
  const shared = [...common].flatMap((value) => {
    const [entry, against] = [inOne, inOther].map((entries) => entries?.get(value)?.find(counts));
    return entry && against ? [[entry, against] as const] : [];
  });
  return shared.slice(0, MAX_REPORTED);
}

/** Whether the reject decides where both rules fire. A final accept is intended to lift rejects that are not final. */
function areOpposed(accept: Membership, reject: Membership): boolean {
  if (accept.fact !== reject.fact || accept.list === reject.list) return false;
  return areActiveTogether(accept.rule, reject.rule) && (reject.rule.final || !accept.rule.final);
}

/** The lists whose members a rule is about, whatever else is known of them. */
function membershipsOf(rule: Rule): readonly Membership[] {
  return findSufficient(rule.when).map(({ fact, list }) => ({ rule, fact, list }));
}

function findSufficient(condition: Condition): readonly Omit<Membership, 'rule'>[] {
  return fold<readonly Omit<Membership, 'rule'>[]>(condition, {
    test: ({ fact, operator, argument }) => {
      const isMember = operatorRow(operator).negates === undefined;
      return isMember && isNamedList(argument) ? [{ fact, list: argument.name }] : [];
    },
    not: () => [],
    atLeast: (count, parts) => (count === 1 ? parts.flat() : []),
  });
}

/** The values of a list, each once. */
function valuesOf({ entries, blocks }: NamedList): ReadonlySet<string> {
  return new Set([...entries.keys(), ...(blocks?.all.map(({ value }) => value) ?? [])]);
}

/** The entries of each value, in their order. */
function entriesByValue({ entries, format }: DeclaredList): ReadonlyMap<string, readonly Entry[]> {
  return Map.groupBy(entries, ({ written, span }) => {
    // INVARIANT: a policy that is checked has no entry that cannot be read.
    const value = readFormattedText(written.value, span, { path: '', format, takesBlocks: true });
    return value !== undefined && isIpBlock(value) ? value.value : (value ?? '');
  });
}

export function checkStages({ policy, keys, warn }: Check): void {
  const node = keys.get('stages')?.value;
  const asked = new Set<string>();
  for (const [i, stage] of (policy.stages ?? []).entries()) {
    if (i > 0 && stage.every((variable) => asked.has(variable))) {
      const message = 'this stage asks only for variables that earlier stages ask for: its call adds no fact';
      warn(node?.kind === 'list' ? node.items[i] : node, 'stage-repeats', message, 'remove it, or add a variable');
    }
    for (const variable of stage) asked.add(variable);
  }
}

export function checkUnaskedVariables({ policy, keys, warn }: Check): void {
  const asked = new Set(policy.stages?.flat());
  if (!policy.stages) return;
  const read = readVariables(policy);
  for (const variable of IDENTITY_VARIABLES) {
    const [fact, ...others] = asked.has(variable) ? [] : (read.get(variable) ?? []);
    if (fact === undefined) continue;
    const facts = others.length === 0 ? `${fact} is` : `${fact} and ${others.length} more facts are`;
    const message = `no stage asks for ${variable}, so ${facts} always missing`;
    warn(keys.get('stages')?.value, 'unasked-variable', message, `add ${variable} to the last stage`);
  }
}

export function checkUnreadVariables({ policy, keys, warn }: Check): void {
  const read = readVariables(policy);
  // Another service may need every variable.
  if (!policy.stages || read.has('composite')) return;
  const node = keys.get('stages')?.value;
  for (const variable of new Set(policy.stages.flat())) {
    // The service needs the phone number in each call.
    if (variable === 'phoneNo' || read.has(variable)) continue;
    const stage = policy.stages.findIndex((each) => each.includes(variable));
    const items = node?.kind === 'list' ? node.items[stage] : undefined;
    const entry = items?.kind === 'list' ? items.items[policy.stages[stage]?.indexOf(variable) ?? 0] : node;
    const message = `no rule reads a fact that the service returns for ${variable}: it is sent for nothing`;
    warn(entry, 'unread-variable', message, `remove ${variable} from the stages`);
  }
}

/** The facts that a policy reads, by the variable that each needs; `composite` if another service gives one of them. */
function readVariables(policy: Policy): ReadonlyMap<IdentityVariable | 'composite', readonly string[]> {
  const factsByVariable = new Map<IdentityVariable | 'composite', string[]>();
  for (const path of policyFacts(policy)) {
    for (const variable of new Set(variablesOf(path, policy.facts))) {
      factsByVariable.set(variable, [...(factsByVariable.get(variable) ?? []), path]);
    }
  }
  return factsByVariable;
}
