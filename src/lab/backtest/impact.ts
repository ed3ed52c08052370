/** Real applicants and two policies -> how many are decided differently, in which ways, and the worst of them. */

import { OpenCounter, type OpenDecisions } from '../../audit/query/replay/open-decisions.ts';
import type { Columns, Days } from '../../decision/matcher/columns.ts';
import { type Matcher, matcherOf } from '../../decision/matcher/matcher.ts';
import { decisiveCodes, type Verdict } from '../../decision/meaning/verdict.ts';
import type { FactTable } from '../../facts/catalog.ts';
import { withOperands } from '../../facts/compute.ts';
import { daysBetween } from '../../facts/day.ts';
import type { Facts, FactValue } from '../../facts/fact.ts';
import { readAgain } from '../../facts/read.ts';
import { conditionFacts, OUTCOMES, type Outcome, type Policy, type Rule } from '../../policy/language.ts';
import type { DiffRegion } from '../diff/regions.ts';
import { MOST_VALUES_COUNTED } from '../limits.ts';
import { byPath, OLD_NAME, ownCounts, WORDED_NAME, withOwnComputations } from '../space/own-computations.ts';
import { checkComparable, jointTable } from '../space/space.ts';

/** How an applicant is found again: the decision on record, or the place in a file. */
export type ApplicantName =
  | { readonly decision: string }
  | { readonly line: number; readonly clientReference?: string }
  | { readonly row: number; readonly clientReference?: string };

/** An applicant whom both policies decide. */
export interface Applicant {
  readonly name: ApplicantName;
  /** The day of the decision, yyyy-MM-dd. */
  readonly day: string;
  /** Read by the joint table. */
  readonly facts: Facts;
  /** Whether it is unknown what a fact is, even if it is missing. Default: everything that is not given is missing. */
  readonly isUnknown?: ((path: string) => boolean) | undefined;
  /** The caller's reference. */
  readonly reference?: string | undefined;
  /** The outcome on record. */
  readonly recorded?: Outcome;
}

/** Rows of a file, each with an applicant. */
export interface ApplicantRows extends Columns {
  readonly days: Days;
  /** The number of a row in its file. */
  numberAt(row: number): number;
  referenceAt(row: number): string | undefined;
}

/** What applicants are added to. */
export interface ApplicantTally {
  add(applicant: Applicant): void;
  /** Adds those rows that are meant; a tally without it takes applicants one by one. */
  addRows?(rows: ApplicantRows, isMeant: (row: number) => boolean): void;
  /** Counts applicants who cannot be judged. `problem`: why a row or record is unreadable, without its values. */
  addUnjudged(why: 'unreadable' | 'erased' | 'aborted', number?: number, problem?: string): void;
  /** How many rows or records could not be read. */
  readonly unreadable: number;
}

/** Applicants with one outcome by the old policy and one by the new one. */
export interface Flow {
  readonly from: Outcome;
  /** The same as `from` for applicants who are decided the same. */
  readonly to: Outcome;
  readonly applicants: number;
  /** Of all applicants, 0 to 1. */
  readonly share: number;
}

/** Why two policies decided. */
export interface DecidingReasons {
  /** The codes of the reasons that decided, as `decisiveCodes` gives them. */
  readonly reasons: { readonly old: readonly string[]; readonly new: readonly string[] };
  /** The rules that added points where the score decided; absent if it did for neither policy. */
  readonly scoredBy?: { readonly old: readonly string[]; readonly new: readonly string[] };
}

export function decidingReasons(old: Verdict, now: Verdict): DecidingReasons {
  const scoredBy = { old: rulesOfScore(old), new: rulesOfScore(now) };
  const reasons = { old: decisiveCodes(old), new: decisiveCodes(now) };
  return scoredBy.old.length + scoredBy.new.length > 0 ? { reasons, scoredBy } : { reasons };
}

function rulesOfScore({ reasons }: Verdict): readonly string[] {
  if (!reasons.some(({ because, decisive }) => because === 'score' && decisive)) return [];
  return reasons.flatMap((reason) => (reason.because === 'fired' && (reason.points ?? 0) > 0 ? reason.rule : []));
}

/** An applicant whose outcome changes. */
export interface ChangedApplicant extends DecidingReasons {
  readonly name: ApplicantName;
  readonly day: string;
  readonly from: Outcome;
  readonly to: Outcome;
}

/** Applicants who are not counted, because it is unknown what both policies decide. */
export interface Unjudged extends OpenDecisions {
  /** Rows or records that cannot be read. */
  readonly unreadable: number;
  /** Decisions whose facts were erased. */
  readonly erased: number;
  /** Decisions that were not returned to anyone. */
  readonly aborted: number;
}

/** Applicants with something in common, and those of them whose outcome changes. */
export interface ImpactGroup {
  readonly applicants: number;
  readonly changed: number;
  /** The changes that occur, the worst first. */
  readonly changes: readonly Omit<Flow, 'share'>[];
}

/** The counts by the values of a fact. */
export interface Breakdown {
  /** The path of the fact, or `month`: that of the decision. */
  readonly by: string;
  /** The commonest values first; months in their order. */
  readonly values: readonly (ImpactGroup & { readonly value: FactValue })[];
  /** All values beyond these, summed. */
  readonly others?: ImpactGroup & { readonly values: number };
  /** Those without a value. */
  readonly missing?: ImpactGroup;
}

/** What a change of the policy means for real applicants. */
export interface Impact {
  /** Those that both policies decide. */
  readonly applicants: number;
  /** Those whose outcome changes. */
  readonly changed: number;
  /** All nine, from mild to strict. */
  readonly flows: readonly Flow[];
  /** The same by the values of a fact, where it was asked for. */
  readonly breakdown?: Breakdown;
  /** Reviews by each policy for a day of the calendar, from the first day to the last; absent for a single day. */
  readonly reviewsADay?: { readonly days: number; readonly old: number; readonly new: number };
  /** The applicants in each region. */
  readonly inRegions: ReadonlyMap<DiffRegion, number>;
  /** Those whose outcome changes, and who are in no region. */
  readonly outsideRegions: number;
  /** The regions that begin after the first day and that of each applicant, so that they have none; absent for none. */
  readonly beginLater?: { readonly regions: number; readonly firstDay: string };
  /** The day whose rules and entries counted; absent for those of each applicant's own day. */
  readonly inForceOn?: string;
  /** The worst changes first. */
  readonly worst: readonly ChangedApplicant[];
  readonly unjudged: Unjudged;
}

/** The changes, the worst first: a risk that is let in, then a customer who is turned away. */
export const BY_SEVERITY: readonly (readonly [from: Outcome, to: Outcome])[] = [
  ['reject', 'accept'],
  ['review', 'accept'],
  ['reject', 'review'],
  ['accept', 'reject'],
  ['review', 'reject'],
  ['accept', 'review'],
];

/** One of the two policies. */
interface Side {
  /** Computes the facts that its policy computes. */
  readonly matcher: Matcher;
  /** The policy by the names of the joint facts. */
  readonly asking: Policy;
  read(facts: Facts, day: string): Facts;
}

/** What a tally counts. */
export interface TallyOptions {
  readonly regions: readonly DiffRegion[];
  /** The first day that the regions are about. */
  readonly at: string;
  /** The most changed applicants that are kept. */
  readonly worst: number;
  /** The day whose rules and entries the policies have on every day. Default: those of the applicant's own day. */
  readonly inForceOn?: string | undefined;
  /** A fact of the joint table, or `month`. */
  readonly by?: string | undefined;
}

/** Counts applicants by the value of a fact; `missing` counts those without it. */
class BreakdownTally {
  readonly #by: string;
  readonly #counts = new Map<FactValue | undefined, Map<string, number>>();

  constructor(by: string) {
    this.#by = by;
  }

  add({ facts, day }: Applicant, change: string): void {
    const fact = facts.get(this.#by);
    const value =
      this.#by === 'month' ? day.slice(0, 'yyyy-MM'.length) : fact && 'value' in fact ? fact.value : undefined;
    const counts = this.#counts.get(value) ?? new Map<string, number>();
    this.#counts.set(value, counts.set(change, (counts.get(change) ?? 0) + 1));
  }

  result(): Breakdown {
    const groups = [...this.#counts].map(([value, counts]) => ({ value, ...groupOf([counts]), counts }));
    groups.sort((one, other) => other.applicants - one.applicants);
    const known = groups.flatMap(({ value, counts, ...group }) =>
      value === undefined ? [] : { value, ...group, counts },
    );
    const rest = known.slice(MOST_VALUES_COUNTED);
    const missing = this.#counts.get(undefined);
    const values = known.slice(0, MOST_VALUES_COUNTED).map(({ counts: _, ...group }) => group);
    return {
      by: this.#by,
      values: this.#by === 'month' ? values.sort((one, other) => (one.value < other.value ? -1 : 1)) : values,
      ...(rest.length > 0 ? { others: { values: rest.length, ...groupOf(rest.map(({ counts }) => counts)) } } : {}),
      ...(missing ? { missing: groupOf([missing]) } : {}),
    };
  }
}

function groupOf(counts: readonly ReadonlyMap<string, number>[]): ImpactGroup {
  const sum = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0);
  const changes = BY_SEVERITY.flatMap(([from, to]) => {
    const applicants = sum(counts.map((each) => each.get(`${from} ${to}`) ?? 0));
    return applicants > 0 ? [{ from, to, applicants }] : [];
  });
  return {
    applicants: sum(counts.flatMap((each) => [...each.values()])),
    changed: sum(changes.map(({ applicants }) => applicants)),
    changes,
  };
}

/** Counts applicants, one after the other, and keeps only the worst. */
export class ImpactTally implements ApplicantTally {
  readonly #sides: readonly [old: Side, now: Side];
  readonly #mostWorst: number;
  readonly #at: string;
  readonly #inForceOn: string | undefined;
  readonly #regions: Map<DiffRegion, number>;
  readonly #flows = new Map<string, number>();
  readonly #worst = new Map<string, ChangedApplicant[]>();
  readonly #open: OpenCounter;
  readonly #breakdown: BreakdownTally | undefined;
  readonly #unjudged = { unreadable: 0, erased: 0, aborted: 0 };
  #applicants = 0;
  #outsideRegions = 0;
  #days: readonly [first: string, last: string] | undefined;

  /** Takes the policies as they are in force on the day of the options, if there is one. */
  constructor(
    policies: readonly [old: Policy, now: Policy],
    joint: JointFacts,
    { regions, at, worst, inForceOn, by }: TallyOptions,
  ) {
    this.#open = new OpenCounter(joint.read);
    this.#at = at;
    this.#inForceOn = inForceOn;
    this.#breakdown = by === undefined ? undefined : new BreakdownTally(by);
    const side = (at: 0 | 1): Side => {
      const asking = joint.policies[at];
      return { matcher: matcherOf(policies[at]), asking, read: readerFor(policies[at], asking, joint) };
    };
    this.#sides = [side(0), side(1)];
    this.#regions = new Map(regions.map((region) => [region, 0]));
    this.#mostWorst = worst;
  }

  add(applicant: Applicant): void {
    const { name, day, facts, isUnknown } = applicant;
    const [old, now] = this.#sides;
    const [before, after] = [old.read(facts, day), now.read(facts, day)];
    const asked = [
      { policy: old.asking, facts: before },
      { policy: now.asking, facts: after },
    ];
    if (!this.#open.isCertain(asked, isUnknown, day)) return;
    const from = old.matcher.outcome(before, day).outcome;
    const to = now.matcher.outcome(after, day).outcome;
    const change = `${from} ${to}`;
    this.#applicants += 1;
    this.#flows.set(change, (this.#flows.get(change) ?? 0) + 1);
    this.#breakdown?.add(applicant, change);
    const [first, last] = this.#days ?? [day, day];
    this.#days = [day < first ? day : first, day > last ? day : last];
    if (from === to) return;
    this.#addToRegion({ from, to }, facts, day);
    const worst = this.#worst.get(change) ?? [];
    if (worst.length >= this.#mostWorst) return;
    const reasons = decidingReasons(old.matcher.verdict(before, day), now.matcher.verdict(after, day));
    this.#worst.set(change, [...worst, { name, day, from, to, ...reasons }]);
  }

  /** Counts an applicant who cannot be judged. */
  addUnjudged(why: 'unreadable' | 'erased' | 'aborted', number = 1): void {
    this.#unjudged[why] += number;
  }

  get unreadable(): number {
    return this.#unjudged.unreadable;
  }

  #addToRegion({ from, to }: Pick<Flow, 'from' | 'to'>, facts: Facts, day: string): void {
    for (const [region, applicants] of this.#regions) {
      if (region.from !== from || region.to !== to || !region.contains(facts, day, this.#inForceOn)) continue;
      this.#regions.set(region, applicants + 1);
      return;
    }
    this.#outsideRegions += 1;
  }

  #beginLater(): Pick<Impact, 'beginLater'> {
    const days = [this.#at, ...(this.#days ?? [])];
    const isLater = (firstDay: string) => days.every((day) => firstDay > day);
    const later = [...this.#regions.keys()].flatMap(({ firstDay }) => (isLater(firstDay) ? firstDay : [])).sort();
    const [firstDay] = later;
    return this.#inForceOn === undefined && firstDay ? { beginLater: { regions: later.length, firstDay } } : {};
  }

  result(): Impact {
    const applicants = this.#applicants;
    const flows = flowsOf(this.#flows, applicants);
    const countIf = (isMeant: (flow: Flow) => boolean) =>
      flows.filter(isMeant).reduce((sum, flow) => sum + flow.applicants, 0);
    const days = this.#days === undefined ? 0 : daysBetween(...this.#days) + 1;
    const aDay = (end: 'from' | 'to') => countIf((flow) => flow[end] === 'review') / days;
    return {
      applicants,
      changed: countIf(({ from, to }) => from !== to),
      flows,
      ...(this.#breakdown ? { breakdown: this.#breakdown.result() } : {}),
      ...(days > 1 ? { reviewsADay: { days, old: aDay('from'), new: aDay('to') } } : {}),
      inRegions: this.#regions,
      outsideRegions: this.#outsideRegions,
      ...this.#beginLater(),
      ...(this.#inForceOn === undefined ? {} : { inForceOn: this.#inForceOn }),
      worst: BY_SEVERITY.flatMap(([from, to]) => this.#worst.get(`${from} ${to}`) ?? []).slice(0, this.#mostWorst),
      unjudged: { ...this.#unjudged, ...this.#open.result() },
    };
  }
}

/** All nine flows. `counts`: applicants by their outcomes, such as `accept review`; `all`: how many there are. */
export function flowsOf(counts: ReadonlyMap<string, number>, all: number): readonly Flow[] {
  return OUTCOMES.flatMap((from) =>
    OUTCOMES.map((to) => {
      const applicants = counts.get(`${from} ${to}`) ?? 0;
      return { from, to, applicants, share: all === 0 ? 0 : applicants / all };
    }),
  );
}

/** What several policies read, and the facts of all. */
export interface JoinedFacts {
  /** By the names of these facts: one that the last policy computes or counts otherwise has its own in the others. */
  readonly policies: readonly Policy[];
  readonly rules: readonly Rule[];
  readonly facts: FactTable;
  /** The facts that a rule of one of them reads, with the operands of computed ones. */
  readonly read: ReadonlySet<string>;
}

/** The same of two policies. */
export interface JointFacts extends JoinedFacts {
  readonly policies: readonly [old: Policy, now: Policy];
}

/** Joins the facts of two policies. Throws REQUEST_INVALID if they declare a fact in ways that cannot be compared. */
export function joinFacts(old: Policy, now: Policy): JointFacts {
  const { policies, ...joined } = joinAll([old, now], OLD_NAME);
  return { ...joined, policies: [policies[0] ?? old, now] };
}

/** Joins the facts of several policies. Throws as `joinFacts` does. */
export function joinAll(given: readonly Policy[], ownName = WORDED_NAME): JoinedFacts {
  const policies = given.map((policy) => withOwnComputations(policy, given.at(-1) ?? policy, ownName));
  const rules = policies.flatMap((policy) => policy.rules);
  const facts = jointTable(policies);
  const read = withOperands(conditionFacts(rules), facts);
  for (const path of read) {
    checkComparable(
      path,
      policies.flatMap((policy) => policy.facts.get(path) ?? []),
    );
  }
  return { policies, rules, facts, read };
}

/** A file is read with facts that no rule asks about; `month` and `week` are none. */
export function withFacts(by: readonly string[], joint: JointFacts): JointFacts {
  return { ...joint, read: new Set([...joint.read, ...by.filter((each) => joint.facts.has(each))]) };
}

/** Facts of the joint table -> the same as a policy reads them. `asking`: the policy by the names of that table. */
export function readerFor(policy: Policy, asking: Policy, joint: JointFacts): (facts: Facts, day: string) => Facts {
  const isSame = [...joint.read].every((path) => {
    const definition = asking.facts.get(path);
    return definition === undefined || definition.values?.length === joint.facts.get(path)?.values?.length;
  });
  const counts = ownCounts(policy, asking);
  return (facts, day) => byPath(isSame ? facts : readAgain(facts, asking.facts, day), counts);
}
