/** Applicants of the past and a policy -> outcomes, what each rule did, and how that differs from another policy. */

import { OpenCounter } from '../../audit/query/replay/open-decisions.ts';
import { matcherOf, type RuleMatcher } from '../../decision/matcher/matcher.ts';
import { gatherMissing } from '../../decision/meaning/evidence.ts';
import { type RuleTruth, settle } from '../../decision/meaning/outcome.ts';
import { TRUE } from '../../decision/meaning/truth.ts';
import type { FactTable } from '../../facts/catalog.ts';
import { daysBetween } from '../../facts/day.ts';
import type { Facts } from '../../facts/fact.ts';
import { asRead } from '../../facts/fact-reader.ts';
import { hasBands, type Outcome, type Policy, type ScoreBands } from '../../policy/language.ts';
import { canonicalData, keepData } from '../../policy/source-map.ts';
import {
  type Applicant,
  type ApplicantTally,
  BY_SEVERITY,
  type ChangedApplicant,
  decidingReasons,
  type Flow,
  flowsOf,
  type JointFacts,
  readerFor,
  type Unjudged,
} from '../impact/impact.ts';
import { MOST_ALIKE, MOST_PROBLEMS } from '../limits.ts';
import { isFrom, type SourceName } from '../space/source-facts.ts';
import { type LabelCounts, type Labelled, LabelTally } from './label-counts.ts';
import {
  add,
  type Grouped,
  groupedBy,
  groupValue,
  noOutcomes,
  type OutcomeCounts,
  outcomesOf,
} from './outcome-counts.ts';

/** What one rule did. */
export interface RuleCount {
  readonly rule: string;
  /** Whether it is only observed: then `alone` counts the outcomes that it would change. */
  readonly shadow?: true;
  readonly fired: number;
  /** By the policy before, if it has a rule of that id. */
  readonly firedBefore?: number;
  readonly undetermined: number;
  /** The missing facts that leave it undetermined, the commonest first; applicants may have several. */
  readonly missing: readonly { readonly fact: string; readonly cause: string; readonly applicants: number }[];
  /** Those for whom it fired, and whose outcome is another one without it. */
  readonly alone: number;
  /** What becomes of those for whom it fired, without it. */
  readonly without: OutcomeCounts;
  /** Those of `alone`, from their outcome to the other one. */
  readonly changes: readonly Omit<Flow, 'share'>[];
  /** The rule that fires most often with it, and for how many. */
  readonly overlap?: { readonly rule: string; readonly applicants: number };
  /** Those for whom it fired, by their labels. */
  readonly labels?: Labelled;
}

/** How the scores of applicants are spread over the policy's bands. */
export interface Scores extends ScoreBands {
  /** From the least score to the greatest, those whose score is certain. */
  readonly values: readonly { readonly points: number; readonly applicants: number }[];
  /** Those whose score depends on missing facts. */
  readonly open: number;
}

/** What a policy would have done. */
export interface Backtest {
  /** All rows or records, decided or not. */
  readonly rows: number;
  readonly decided: number;
  /** From the first day of an applicant to the last; absent without any. */
  readonly period?: { readonly from: string; readonly to: string; readonly days: number };
  readonly outcomes: OutcomeCounts;
  /** By the policy before, where there is one. */
  readonly before?: OutcomeCounts;
  /** All nine, from mild to strict; with a policy before. */
  readonly flows?: readonly Flow[];
  /** In the order of the policy. */
  readonly rules: readonly RuleCount[];
  /** Absent where the score asks for nothing. */
  readonly scores?: Scores;
  readonly groups: readonly Grouped[];
  readonly labels?: LabelCounts;
  /** The worst changes first. */
  readonly worst: readonly ChangedApplicant[];
  /** Those that are not decided, and the problems of those that cannot be read. */
  readonly undecided: Unjudged & { readonly problems: Readonly<Record<string, number>> };
}

export interface BacktestOptions {
  /** The source that is down for the new policy: its facts are missing. */
  readonly down?: SourceName | undefined;
  /** Facts of the joint table, `week` or `month`. */
  readonly by: readonly string[];
  /** The most changed applicants that are kept. */
  readonly worst: number;
  /** Whether there is a policy before; else both are the same. */
  readonly compares: boolean;
  /**
   * The fact with the probability of the holdout, for an applicant who was let in although they are rejected: their
   * label counts for those who were not let in too.
   */
  readonly holdout?: string;
  /** What is known of an applicant by now; undefined without labels. */
  readonly labelOf?: (applicant: Applicant, before: Outcome) => keyof Labelled;
  /** Called for each applicant who is decided. */
  readonly onDecided?: (applicant: Applicant) => void;
}

/** Applicants whom both policies treat alike, and who count alike. */
interface Alike {
  readonly before: readonly RuleTruth[];
  readonly now: readonly RuleTruth[];
  readonly groups: readonly (string | null)[];
  readonly label: keyof Labelled | undefined;
  readonly change: Pick<Flow, 'from' | 'to'>;
  /** For how many each of them stands. */
  readonly weight: number;
  applicants: number;
}

interface Side {
  readonly matcher: RuleMatcher;
  readonly asking: Policy;
  read(facts: Facts, day: string): Facts;
}

/** The counts of a rule while they are made. */
class RuleTally {
  fired = 0;
  firedBefore = 0;
  undetermined = 0;
  alone = 0;
  readonly without = noOutcomes();
  readonly changes = new Map<string, number>();
  readonly missing = new Map<string, number>();
  readonly with = new Map<string, number>();
  readonly labels = { fraud: 0, good: 0, unlabelled: 0, immature: 0 };
}

/**
 * Counts applicants, one after the other. Those with the same truth of every rule are counted together: what the truths
 * lead to is read once for all of them. The memory does not grow with the applicants.
 */
export class BacktestTally implements ApplicantTally {
  readonly #policy: Policy;
  readonly #old: Policy;
  readonly #sides: readonly [old: Side, now: Side];
  readonly #options: BacktestOptions;
  readonly #down: ReadonlySet<string>;
  readonly #open: OpenCounter;
  readonly #unjudged = { unreadable: 0, erased: 0, aborted: 0 };
  readonly #problems = new Map<string, number>();
  readonly #alike = new Map<string, Alike>();
  /** By the names of the truths: what they lead to. */
  readonly #changes = new Map<string, Alike['change']>();
  readonly #numbers = new Map<RuleTruth['rule'], string>();
  readonly #rules = new Map<string, RuleTally>();
  readonly #flows = new Map<string, number>();
  readonly #groups: readonly Map<string | null, Map<string, number>>[];
  readonly #scores = new Map<number, number>();
  #openScores = 0;
  readonly #labels = new LabelTally();
  readonly #worst = new Map<string, ChangedApplicant[]>();
  #rows = 0;
  #days: readonly [first: string, last: string] | undefined;

  constructor([old, now]: readonly [old: Policy, now: Policy], joint: JointFacts, options: BacktestOptions) {
    [this.#old, this.#policy] = [old, now];
    this.#options = options;
    this.#open = new OpenCounter(joint.read);
    const side = (policy: Policy, asking: Policy): Side => {
      return { matcher: matcherOf(policy), asking, read: readerFor(asking, joint) };
    };
    this.#sides = [side(old, joint.policies[0]), side(now, joint.policies[1])];
    this.#down = factsOf(options.down, joint.facts);
    this.#groups = options.by.map(() => new Map());
    for (const { id } of now.rules) this.#rules.set(id, new RuleTally());
  }

  add(applicant: Applicant): void {
    const { day, facts, isUnknown } = applicant;
    const [old, now] = this.#sides;
    this.#rows += 1;
    const before = old.read(facts, day);
    const after = now.read(this.#down.size === 0 ? facts : without(facts, this.#down), day);
    const asked = [
      { policy: old.asking, facts: before },
      { policy: now.asking, facts: after },
    ];
    if (!this.#open.isCertain(asked, isUnknown, day)) return;
    this.#options.onDecided?.(applicant);
    const [first, last] = this.#days ?? [day, day];
    this.#days = [day < first ? day : first, day > last ? day : last];
    const truths = {
      before: this.#options.compares ? old.matcher.truths(before, day) : [],
      now: now.matcher.truths(after, day),
    };
    this.#addMissing(truths.now, after, day);
    const name = `${this.#nameOf(truths.before)}/${this.#nameOf(truths.now)}`;
    const change = this.#changes.get(name) ?? this.#changeBy(truths);
    this.#changes.set(name, change);
    if (change.from !== change.to) this.#keepWorst(applicant, change, [before, after]);
    const weight = this.#weightOf(applicant);
    const label = this.#options.labelOf?.(...(weight === 1 ? ([applicant, change.from] as const) : letIn(applicant)));
    const groups = this.#options.by.map((by) => groupValue(by, applicant));
    const whole = [name, label, weight, ...groups].join('\0');
    const alike = this.#alike.get(whole) ?? { ...truths, groups, label, change, weight, applicants: 0 };
    alike.applicants += 1;
    this.#alike.set(whole, alike);
    if (this.#alike.size > MOST_ALIKE) this.#count();
  }

  get unreadable(): number {
    return this.#unjudged.unreadable;
  }

  /** Counts an applicant who cannot be decided. */
  addUnjudged(why: 'unreadable' | 'erased' | 'aborted', number = 1, problem?: string): void {
    this.#unjudged[why] += number;
    if (problem !== undefined) add(this.#problems, this.#nameOfProblem(problem), number);
    this.#rows += number;
  }

  result(): Backtest {
    this.#count();
    const { compares, by, labelOf, worst } = this.#options;
    const decided = [...this.#flows.values()].reduce((sum, n) => sum + n, 0);
    const [from, to] = this.#days ?? [];
    return {
      rows: this.#rows,
      decided,
      ...(from === undefined || to === undefined ? {} : { period: { from, to, days: daysBetween(from, to) + 1 } }),
      outcomes: outcomesOf(this.#flows, 'to'),
      ...(compares ? { before: outcomesOf(this.#flows, 'from'), flows: flowsOf(this.#flows, decided) } : {}),
      rules: this.#policy.rules.map(({ id, shadow }) => this.#ruleCount(id, shadow)),
      ...(hasBands(this.#policy) ? { scores: this.#scoresOf() } : {}),
      groups: by.map((each, i) => groupedBy(each, this.#groups[i] ?? new Map(), compares)),
      ...(labelOf ? { labels: this.#labels.result() } : {}),
      worst: BY_SEVERITY.flatMap(([from, to]) => this.#worst.get(`${from} ${to}`) ?? []).slice(0, worst),
      undecided: { ...this.#unjudged, ...this.#open.result(), problems: Object.fromEntries(this.#problems) },
    };
  }

  #scoresOf(): Scores {
    const values = [...this.#scores].toSorted(([one], [other]) => one - other);
    return {
      ...this.#policy.score,
      values: values.map(([points, applicants]) => ({ points, applicants })),
      open: this.#openScores,
    };
  }

  #weightOf({ facts }: Applicant): number {
    const { holdout } = this.#options;
    const fact = holdout === undefined ? undefined : facts.get(holdout);
    const probability = fact && 'value' in fact ? Number(fact.value) : 1;
    return probability > 0 && probability <= 1 ? 1 / probability : 1;
  }

  #changeBy({ before, now }: Pick<Alike, 'before' | 'now'>): Alike['change'] {
    const to = outcomeOf(this.#policy, now);
    return { from: this.#options.compares ? outcomeOf(this.#old, before) : to, to };
  }

  #keepWorst({ name, day }: Applicant, { from, to }: Alike['change'], [before, after]: readonly [Facts, Facts]): void {
    const kept = this.#worst.get(`${from} ${to}`) ?? [];
    if (kept.length >= this.#options.worst) return;
    const [old, now] = this.#sides;
    const reasons = decidingReasons(old.matcher.verdict(before, day), now.matcher.verdict(after, day));
    this.#worst.set(`${from} ${to}`, [...kept, { name, day, from, to, ...reasons }]);
  }

  #addMissing(truths: readonly RuleTruth[], facts: Facts, day: string): void {
    const open = truths.filter(({ truth }) => truth !== TRUE);
    if (open.length === 0) return;
    const read = asRead(facts, this.#policy.facts, day);
    for (const { rule } of open) {
      const tally = this.#rules.get(rule.id);
      if (!tally) continue;
      for (const { fact, cause } of gatherMissing(rule.when, read, day)) add(tally.missing, `${fact}\0${cause}`, 1);
    }
  }

  /** Each of the first, and all others together: a file may have another problem in each line. */
  #nameOfProblem(problem: string): string {
    return this.#problems.has(problem) || this.#problems.size < MOST_PROBLEMS ? problem : 'other problems';
  }

  #nameOf(truths: readonly RuleTruth[]): string {
    return truths.map(({ rule, truth }) => `${this.#numberOf(rule)}${truth === TRUE ? '' : '?'}`).join(' ');
  }

  #numberOf(rule: RuleTruth['rule']): string {
    const number = this.#numbers.get(rule) ?? String(this.#numbers.size);
    this.#numbers.set(rule, number);
    return number;
  }

  #count(): void {
    for (const alike of this.#alike.values()) this.#countAlike(alike);
    this.#alike.clear();
    this.#changes.clear();
  }

  #countAlike({ before, now, groups, label, change: { from, to }, weight, applicants }: Alike): void {
    const change = `${from} ${to}`;
    add(this.#flows, change, applicants);
    this.#countScore(now, applicants);
    for (const [i, value] of groups.entries()) {
      const counts = this.#groups[i]?.get(value) ?? new Map<string, number>();
      this.#groups[i]?.set(value, add(counts, change, applicants));
    }
    if (label !== undefined) this.#labels.add(label, { from, to }, applicants, weight);
    for (const { rule, truth } of before) {
      const tally = this.#rules.get(rule.id);
      if (tally && truth === TRUE) tally.firedBefore += applicants;
    }
    const fired = now.filter(({ truth }) => truth === TRUE);
    for (const each of now) {
      const { rule, truth } = each;
      const tally = this.#rules.get(rule.id);
      if (!tally) continue;
      if (truth !== TRUE) {
        tally.undetermined += applicants;
        continue;
      }
      tally.fired += applicants;
      if (label !== undefined) tally.labels[label] += applicants;
      const other = otherOutcome(this.#policy, now, each);
      tally.without[other] += applicants;
      if (other !== to) {
        tally.alone += applicants;
        add(tally.changes, `${to} ${other}`, applicants);
      }
      for (const also of fired) if (also !== each) add(tally.with, also.rule.id, applicants);
    }
  }

  #countScore(now: readonly RuleTruth[], applicants: number): void {
    if (!hasBands(this.#policy)) return;
    const { least, most } = settle(this.#policy, now.filter(takesPart)).score;
    if (least === most) this.#scores.set(least, (this.#scores.get(least) ?? 0) + applicants);
    else this.#openScores += applicants;
  }

  #ruleCount(rule: string, shadow: boolean): RuleCount {
    const tally = this.#rules.get(rule) ?? new RuleTally();
    const [overlap] = [...tally.with].toSorted(([, one], [, other]) => other - one);
    const missing = [...tally.missing].toSorted(([, one], [, other]) => other - one);
    return {
      rule,
      ...(shadow ? { shadow } : {}),
      fired: tally.fired,
      ...(this.#options.compares && this.#old.rules.some(({ id }) => id === rule)
        ? { firedBefore: tally.firedBefore }
        : {}),
      undetermined: tally.undetermined,
      missing: missing.map(([name, applicants]) => {
        const [fact = '', cause = ''] = name.split('\0');
        return { fact, cause, applicants };
      }),
      alone: tally.alone,
      without: tally.without,
      changes: BY_SEVERITY.flatMap(([from, to]) => {
        const applicants = tally.changes.get(`${from} ${to}`);
        return applicants === undefined ? [] : [{ from, to, applicants }];
      }),
      ...(overlap ? { overlap: { rule: overlap[0], applicants: overlap[1] } } : {}),
      ...(this.#options.labelOf ? { labels: tally.labels } : {}),
    };
  }
}

/** The policy with some of its rules alone. Its data and digest are still those of the policy. */
export function withRules(policy: Policy, isKept: (rule: string) => boolean): Policy {
  return keepData({ ...policy, rules: policy.rules.filter(({ id }) => isKept(id)) }, canonicalData(policy));
}

/** Somebody of the holdout has labels, as everybody who is accepted. */
function letIn(applicant: Applicant): readonly [Applicant, Outcome] {
  return [{ ...applicant, recorded: 'accept' }, 'accept'];
}

/** The outcome of truths, without those of shadow rules. */
function outcomeOf(policy: Policy, truths: readonly RuleTruth[]): Outcome {
  return settle(policy, truths.filter(takesPart)).outcome;
}

function takesPart({ rule }: RuleTruth): boolean {
  return !rule.shadow;
}

/** The outcome if one of the rules did not take part, or if a shadow rule did. */
function otherOutcome(policy: Policy, truths: readonly RuleTruth[], one: RuleTruth): Outcome {
  return settle(
    policy,
    truths.filter((each) => takesPart(each) !== (each === one)),
  ).outcome;
}

/** The facts that a source returns, and those that are computed or derived from them. */
function factsOf(source: SourceName | undefined, table: FactTable): ReadonlySet<string> {
  if (source === undefined) return new Set();
  const isDown = (path: string): boolean => isFrom(source, path, table) || (table.get(path)?.inputs ?? []).some(isDown);
  return new Set([...table.keys()].filter(isDown));
}

function without(facts: Facts, paths: ReadonlySet<string>): Facts {
  return new Map([...facts].filter(([path]) => !paths.has(path))) as Facts;
}
