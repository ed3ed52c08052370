/**
 * A policy and properties -> for each whether it is proved, refuted by an applicant, or undecided; of a refuted
 * one, the case of a `*.test.yaml` that fails until it holds.
 */

import { matcherOf } from '../../decision/matcher/matcher.ts';
import type { Diagnostic } from '../../diagnostics.ts';
import { type Facts, isMissing } from '../../facts/fact.ts';
import { FLAG, listOf, optionsReader, readArgument, TEXT } from '../../platform/given/options.ts';
import { nameRules } from '../../policy/check/context.ts';
import { namesPeople } from '../../policy/identities.ts';
import {
  type Claim,
  factsOf,
  type Guarantee,
  OUTCOMES,
  type Outcome,
  type Policy,
  type Rule,
  rulesInEffect,
} from '../../policy/language.ts';
import { POLICY, placeOf } from '../../policy/source-map.ts';
import { joinWords, printable } from '../../text.ts';
import { testLines } from '../cases/test-yaml.ts';
import { DEFAULT_STEPS } from '../limits.ts';
import { type ExampleLine, exampleLine } from '../question/find-applicant.ts';
import { createReasoner, QUESTION_OPTIONS } from '../question/reasoner.ts';
import { daysOf, withCalendar } from '../space/calendar.ts';
import { moreSteps, Steps, stepsText } from '../steps.ts';
import { DayByDay } from './day-by-day.ts';
import { findIneffectiveRules } from './ineffective-rules.ts';
import { describeProperty, type Property, readProperties, USUAL_PROPERTIES } from './property.ts';
import { answer, isOnDay, QUESTIONS, type Subject, subjectOf } from './question.ts';

export interface ProofOptions {
  /** The first day of the decisions, yyyy-MM-dd. */
  readonly at: string;
  /** Whether no other day counts. Default: later days on which a rule or an entry of a list begins or ends do. */
  readonly onDay?: boolean | undefined;
  /** After so many steps of the solver, what is not proved is undecided. 30,000,000 by default. */
  readonly steps?: number;
}

/** What is proved of a policy, and how. */
export interface PropertyOptions extends ProofOptions {
  /** Names of properties. Default: `guarantee`, `missing-never-helps` and `outage`. */
  readonly properties?: readonly string[];
}

/** An applicant, as the matcher decided. */
export interface DecidedApplicant {
  /** A line of facts for `evaluate`. */
  readonly example: ExampleLine;
  /** The facts as `evaluate` reads them. */
  readonly facts: Facts;
  readonly outcome: Outcome;
}

/**
 * Why something is undecided that more steps would not decide either: the facts for which no values were found, and the
 * rules that read them.
 */
export function whyUndecided(facts: readonly string[], { rules }: Policy): string {
  const readers = rules.filter(({ when }) => !factsOf(when).isDisjointFrom(new Set(facts)));
  if (facts.length === 0) return 'rules match texts by patterns, or read facts that depend on each other';
  const more = facts.length - MOST_FACTS_NAMED;
  const named = joinWords([...facts.slice(0, MOST_FACTS_NAMED), ...(more > 0 ? [`${more} more`] : [])]);
  const [values, needed] =
    facts.length === 1
      ? [`no value of ${named} was found`, 'it']
      : [`no values of ${named} were found together`, 'them'];
  if (readers.length === 0) return values;
  return `${values}, as the ${readers.length === 1 ? 'rule' : 'rules'} ${nameRules(readers)} would need ${needed}`;
}

const MOST_FACTS_NAMED = 3;

/** What is known of a property. */
export interface Proof {
  readonly property: Property;
  /** `undecided` in its steps, or because no applicant was found for the facts that the solver names. */
  readonly result: 'proved' | 'refuted' | 'undecided';
  /** Of an undecided one: the steps that were too few; absent if more of them would decide no more. */
  readonly tooFewSteps?: number;
  /** If more would not: the facts for which no values were found, if they are known. */
  readonly stuckOn?: readonly string[];
  /** The days that were looked at, ascending: the first, and those on which something begins or ends. */
  readonly days: readonly string[];
  /** The first day on which the property does not hold, if it is refuted; else the first of all. */
  readonly firstDay: string;
  /** The last day that was looked at; absent if it is every later one. */
  readonly lastDay?: string;
  /**
   * The applicants who break a refuted property or, for `reachable`, get the outcome. The second of two is the first
   * with fewer facts, or with a higher value of one. As few facts as possible.
   */
  readonly applicants: readonly DecidedApplicant[];
  /** The ids of the rules that refute `every-rule-matters`. */
  readonly rules?: readonly string[];
}

const readOptions = optionsReader<PropertyOptions>('the options of the proof', {
  ...{ ...QUESTION_OPTIONS, 'onDay?': FLAG, 'properties?': listOf(TEXT, 'a list of names of properties') },
});

/**
 * Proves or refutes properties of a policy, by their names: `guarantee` (all of the policy's) or `guarantee:ID`,
 * `missing-never-helps`, `outage` (of each source) or `outage:phone`, `monotone:FACT`, `reachable` or
 * `reachable:reject`, `every-rule-matters`. Throws REQUEST_INVALID for a name that means none, and
 * CONFIGURATION_INVALID if the solver is not installed.
 */
export async function proveProperties(policy: Policy, options: PropertyOptions): Promise<readonly Proof[]> {
  readArgument('the policy', POLICY, policy);
  const { at, onDay, steps: most = DEFAULT_STEPS, properties: names = USUAL_PROPERTIES } = readOptions(options);
  const properties = readProperties(names, policy);
  const steps = new Steps(most);
  const conditions = policy.guarantees.map(({ when }) => when);
  const { days, ...end } = daysOf([policy], at, onDay, conditions);
  const calendar = withCalendar(policy, days);
  const reasoner = await createReasoner([calendar.policy], at, conditions.map(calendar.rewrite));
  const subject = subjectOf(reasoner, { policy, rewrite: calendar.rewrite });
  const proofs: Proof[] = [];
  for (const property of properties) {
    // Each has its share of the steps that are left.
    const own = steps.atMost(steps.left / (properties.length - proofs.length));
    reasoner.stuck.clear();
    const proof = await prove({ property, days, firstDay: at, ...end, policy, subject, steps: own });
    const why = own.wereShort ? { tooFewSteps: most } : { stuckOn: [...reasoner.stuck] };
    proofs.push(proof.result === 'undecided' ? { ...proof, ...why } : proof);
  }
  return proofs;
}

async function proveRules({ policy, steps, subject: _, ...known }: Proving): Promise<Proof> {
  const rules = new DayByDay<Rule, true>({
    itemsOn: (day) => rulesInEffect(policy, day),
    async ask(reasoner, open, within) {
      const { neverFire, neverMatter, undecided } = await findIneffectiveRules(reasoner, open, within);
      return { never: new Map([...neverFire, ...neverMatter].map((rule) => [rule, true])), undecided };
    },
  });
  for (const [i, day] of known.days.entries()) {
    if (steps.areOver) rules.leaveOpen(day);
    else if (rules.openOn(day).length > 0) {
      const own = steps.atMost(steps.left / (known.days.length - i));
      await rules.ask(await createReasoner([policy], day), own);
    }
  }
  const ineffective = rules.never.map(([{ id }]) => id);
  const result = ineffective.length > 0 ? 'refuted' : rules.undecided.length > 0 ? 'undecided' : 'proved';
  return { ...known, result, applicants: [], ...(ineffective.length > 0 ? { rules: ineffective } : {}) };
}

/** An outcome is reachable if there is an applicant with it on each of the days. */
async function proveReachable({ subject, steps, policy: _, ...known }: Proving): Promise<Proof> {
  const { reasoner, decide } = subject;
  const { about } = known.property;
  const question = QUESTIONS.reachable(subject, about);
  let applicants: readonly DecidedApplicant[] = [];
  let given: Facts | undefined;
  for (const day of known.days) {
    if (given && decide(given, day).outcome === about) continue;
    const formulas = [...question.formulas, isOnDay(reasoner.space, (each) => each === day)];
    const answered = await answer(reasoner, { ...question, formulas }, steps, 1);
    if (!answered) return { ...known, result: 'undecided', applicants: [] };
    if (answered === 'none') return { ...known, result: 'refuted', firstDay: day, applicants: [] };
    [given] = answered.applicants;
    if (applicants.length === 0) applicants = [decided(given, subject, day)];
  }
  return { ...known, result: 'proved', applicants };
}

/** A property, what it is asked of, and in how many steps. */
interface Proving extends Pick<Proof, 'property' | 'days' | 'firstDay' | 'lastDay'> {
  readonly policy: Policy;
  readonly subject: Subject;
  readonly steps: Steps;
}

async function prove(proving: Proving): Promise<Proof> {
  const { subject, steps, policy: _, ...known } = proving;
  const { kind, about } = known.property;
  if (kind === 'every-rule-matters') return proveRules(proving);
  if (kind === 'reachable') return proveReachable(proving);
  const answered = await answer(subject.reasoner, QUESTIONS[kind](subject, about), steps, 1);
  if (answered === undefined) return { ...known, result: 'undecided', applicants: [] };
  if (answered === 'none') return { ...known, result: 'proved', applicants: [] };
  const { applicants, day } = answered;
  return {
    ...known,
    result: 'refuted',
    firstDay: day,
    applicants: applicants.map((each) => decided(each, subject, day)),
  };
}

function decided(given: Facts, { policy, read, decide }: Subject, day: string): DecidedApplicant {
  return { example: exampleLine(given, policy.facts), facts: read(given, day), outcome: decide(given, day).outcome };
}

/** A test, as in `tests` of a `*.test.yaml`. */
export type KeptCase = NonNullable<ReturnType<typeof caseToKeep>>;

/** The mildest outcome that keeps to each claim. */
const EXPECTED: Readonly<Record<Claim, (outcome: Outcome) => Outcome>> = {
  never: (outcome) => OUTCOMES.find((each) => each !== outcome) as Outcome,
  always: (outcome) => outcome,
  atLeast: (outcome) => outcome,
};

/** A case for an applicant who breaks a property, with the mildest outcome that keeps to it; undefined without one. */
export function caseToKeep(proof: Proof, policy: Policy) {
  const { property, result, applicants, firstDay: at } = proof;
  const [first, second] = applicants;
  if (result !== 'refuted' || !first) return undefined;
  const outcome = expectedOutcome(proof, policy) ?? first.outcome;
  const name = `${property.name}: ${describeProperty(property, policy)}`;
  return { name, at, ...(second ?? first).example, expect: { outcome } };
}

/** Undefined for the outcome of the first of two applicants. */
function expectedOutcome({ property: { kind, about } }: Proof, { guarantees }: Policy): Outcome | undefined {
  // Where facts are missing, a person has to look.
  if (kind !== 'guarantee') return kind === 'monotone' ? undefined : 'review';
  const guarantee = guarantees.find(({ id }) => id === about);
  return guarantee && EXPECTED[guarantee.claim](guarantee.outcome);
}

/** A case as an item of `tests`. */
export function caseAsYaml(test: KeptCase): string {
  return `${testLines(test).join('\n')}\n`;
}

/**
 * Proves the guarantees of a policy. An error for each one that an applicant breaks, a warning for each one that is
 * neither proved nor refuted in these steps. Throws CONFIGURATION_INVALID if the solver is not installed.
 */
export async function checkGuarantees(policy: Policy, options: ProofOptions): Promise<readonly Diagnostic[]> {
  const proofs = await proveProperties(policy, { ...options, properties: ['guarantee'] });
  return proofs.flatMap((proof, i) => {
    const guarantee = policy.guarantees[i];
    return guarantee && proof.result !== 'proved' ? [problemOf(guarantee, proof, policy)] : [];
  });
}

function problemOf(guarantee: Guarantee, proof: Proof, policy: Policy): Diagnostic {
  const { property, applicants, days, firstDay } = proof;
  const [applicant] = applicants;
  const place = placeOf(guarantee) ?? { file: policy.name };
  const says = describeProperty(property, policy);
  if (!applicant) {
    const within = proof.tooFewSteps ? ` in ${stepsText(proof.tooFewSteps)} steps` : '';
    const message = `the guarantee "${guarantee.id}" is neither proved nor refuted${within}: ${says}`;
    const otherwise = 'a condition that compares facts with whole values';
    const { tooFewSteps, stuckOn = [] } = proof;
    const why = tooFewSteps ? `${moreSteps(tooFewSteps)}, or try` : `${whyUndecided(stuckOn, policy)}; try`;
    const hint = `${why} ${otherwise}`;
    return { code: 'guarantee-unproved', severity: 'warning', message, hint, ...place };
  }
  const since = firstDay === days[0] ? '' : ` from ${firstDay}`;
  const { reasons } = matcherOf(policy).verdict(applicant.facts, firstDay);
  const [rule] = reasons.flatMap((reason) => (reason.decisive && 'rule' in reason ? reason.rule : []));
  const found = `${applicant.outcome}${rule === undefined ? '' : `, decided by the rule "${rule}"`}`;
  const message = `the guarantee "${guarantee.id}" is broken${since}: ${says}; found ${found}`;
  return { code: 'guarantee-broken', severity: 'error', message, hint: describeApplicant(applicant, policy), ...place };
}

/** The facts of an applicant, without the values of personal ones: lists of people may be among their sources. */
function describeApplicant({ example, facts }: Pick<DecidedApplicant, 'example' | 'facts'>, policy: Policy): string {
  const shown = Object.keys(example.facts).map((path) => {
    const fact = facts.get(path);
    if (!fact || isMissing(fact) || namesPeople(path, policy.facts)) return path;
    return `${path} ${printable(String(fact.value))}`;
  });
  return `for example, of an applicant with ${shown.join(', ') || 'no known facts'}`;
}
