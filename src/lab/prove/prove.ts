/**
 * A policy and properties -> for each whether it is proved, refuted by an applicant, or undecided; of a refuted
 * one, the case of a `*.test.yaml` that fails until it holds.
 */

import type { Diagnostic } from '../../diagnostics.ts';
import { type Facts, isMissing } from '../../facts/fact.ts';
import { readFacts } from '../../facts/read.ts';
import { listOf, optionsReader, readArgument, TEXT } from '../../given/options.ts';
import { isPersonal } from '../../policy/identities.ts';
import { type Claim, type Guarantee, OUTCOMES, type Outcome, type Policy } from '../../policy/language.ts';
import { POLICY, placeOf } from '../../policy/source-map.ts';
import { printable } from '../../text.ts';
import { testLines } from '../cases/test-yaml.ts';
import { type ExampleLine, exampleLine } from '../question/find-applicant.ts';
import { createReasoner, QUESTION_OPTIONS, type Reasoner, type Time } from '../question/reasoner.ts';
import { findIneffectiveRules } from './ineffective-rules.ts';
import { describeProperty, type Property, readProperties, USUAL_PROPERTIES } from './property.ts';
import { answer, QUESTIONS, type Subject, subjectOf } from './question.ts';

export interface ProofOptions {
  /** The day of the decisions, yyyy-MM-dd. */
  readonly at: string;
  /** After this time, in milliseconds, what is not proved is undecided. 60,000 by default. */
  readonly timeoutMs?: number;
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

/** What is known of a property. */
export interface Proof {
  readonly property: Property;
  /** `undecided` in the time, or because no applicant was found for the facts that the solver names. */
  readonly result: 'proved' | 'refuted' | 'undecided';
  /**
   * The applicants who break a refuted property or, for `reachable`, get the outcome. The second of two is the first
   * with fewer facts, or with a higher value of one. As few facts as possible.
   */
  readonly applicants: readonly DecidedApplicant[];
  /** The ids of the rules that refute `every-rule-matters`. */
  readonly rules?: readonly string[];
}

const readOptions = optionsReader<PropertyOptions>('the options of the proof', {
  ...{ ...QUESTION_OPTIONS, 'properties?': listOf(TEXT, 'a list of names of properties') },
});

/**
 * Proves or refutes properties of a policy, by their names: `guarantee` (all of the policy's) or `guarantee:ID`,
 * `missing-never-helps`, `outage` (of each source) or `outage:phone`, `monotone:FACT`, `reachable` or
 * `reachable:reject`, `every-rule-matters`. Throws REQUEST_INVALID for a name that means none, and
 * CONFIGURATION_INVALID if the solver is not installed.
 */
export async function proveProperties(policy: Policy, options: PropertyOptions): Promise<readonly Proof[]> {
  readArgument('the policy', POLICY, policy);
  const { at, timeoutMs = 60_000, properties: names = USUAL_PROPERTIES } = readOptions(options);
  const properties = readProperties(names, policy);
  const endsAt = performance.now() + timeoutMs;
  const reasoner = await createReasoner(
    [policy],
    at,
    policy.guarantees.map(({ when }) => when),
  );
  const subject = subjectOf(reasoner);
  const proofs: Proof[] = [];
  for (const property of properties) {
    // Each has its share of the time that is left.
    const left = (endsAt - performance.now()) / (properties.length - proofs.length);
    proofs.push(await prove(property, subject, { timeoutMs: left, endsAt: performance.now() + left }));
  }
  return proofs;
}

async function proveRules(property: Property, reasoner: Reasoner, time: Time): Promise<Proof> {
  const rules = reasoner.space.sides[0]?.rules ?? [];
  const { neverFire, neverMatter, undecided } = await findIneffectiveRules(reasoner, rules, time);
  const ineffective = [...neverFire, ...neverMatter].map(({ id }) => id);
  const result = ineffective.length > 0 ? 'refuted' : undecided.length > 0 ? 'undecided' : 'proved';
  return { property, result, applicants: [], ...(ineffective.length > 0 ? { rules: ineffective } : {}) };
}

async function prove(property: Property, subject: Subject, time: Time): Promise<Proof> {
  if (property.kind === 'every-rule-matters') return proveRules(property, subject.reasoner, time);
  const found = await answer(subject.reasoner, QUESTIONS[property.kind](subject, property.about), time, 1);
  // An applicant with the outcome proves `reachable`; an applicant who breaks another property refutes it.
  const [ifFound, ifNone] =
    property.kind === 'reachable' ? (['proved', 'refuted'] as const) : (['refuted', 'proved'] as const);
  if (found === undefined || found === 'none') {
    return { property, result: found ? ifNone : 'undecided', applicants: [] };
  }
  return { property, result: ifFound, applicants: found.map((each) => decided(each, subject)) };
}

function decided(given: Facts, { policy, reasoner, decide }: Subject): DecidedApplicant {
  return {
    example: exampleLine(given, policy.facts),
    facts: readFacts(given, reasoner.table, reasoner.space.day),
    outcome: decide(given).outcome,
  };
}

/** A test, as in `tests` of a `*.test.yaml`. */
export interface KeptCase extends ExampleLine {
  readonly name: string;
  readonly at: string;
  readonly expect: { readonly outcome: Outcome };
}

/** The mildest outcome that keeps to each claim. */
const EXPECTED: Readonly<Record<Claim, (outcome: Outcome) => Outcome>> = {
  never: (outcome) => OUTCOMES.find((each) => each !== outcome) as Outcome,
  always: (outcome) => outcome,
  atLeast: (outcome) => outcome,
};

/** A case for an applicant who breaks a property, with the mildest outcome that keeps to it; undefined without one. */
export function caseToKeep(proof: Proof, policy: Policy, at: string): KeptCase | undefined {
  const { property, result, applicants } = proof;
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
 * neither proved nor refuted in the time. Throws CONFIGURATION_INVALID if the solver is not installed.
 */
export async function checkGuarantees(policy: Policy, options: ProofOptions): Promise<readonly Diagnostic[]> {
  const proofs = await proveProperties(policy, { ...options, properties: ['guarantee'] });
  return proofs.flatMap((proof, i) => {
    const guarantee = policy.guarantees[i];
    return guarantee && proof.result !== 'proved' ? [problemOf(guarantee, proof, policy)] : [];
  });
}

function problemOf(guarantee: Guarantee, { property, applicants: [applicant] }: Proof, policy: Policy): Diagnostic {
  const place = placeOf(guarantee) ?? { file: policy.name };
  const says = describeProperty(property, policy);
  if (!applicant) {
    const message = `the guarantee "${guarantee.id}" is neither proved nor refuted: ${says}`;
    const hint = 'give it more time, or say it of facts that rules compare with whole values';
    return { code: 'guarantee-unproved', severity: 'warning', message, hint, ...place };
  }
  const message = `the guarantee "${guarantee.id}" is broken: ${says}; found ${applicant.outcome}`;
  return { code: 'guarantee-broken', severity: 'error', message, hint: describeApplicant(applicant, policy), ...place };
}

/** The facts of an applicant, without the values of personal ones: lists of people may be among their sources. */
export function describeApplicant(
  { example, facts }: Pick<DecidedApplicant, 'example' | 'facts'>,
  policy: Policy,
): string {
  const shown = Object.keys(example.facts).map((path) => {
    const fact = facts.get(path);
    if (!fact || isMissing(fact) || isPersonal(path, policy.facts)) return path;
    return `${path} ${printable(String(fact.value))}`;
  });
  return `for example, of an applicant with ${shown.join(', ') || 'no known facts'}`;
}
