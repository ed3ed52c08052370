/** Applicants of the past and a policy -> outcomes, what each rule did, and how that differs from another policy. */

import { OpenCounter } from '../../audit/query/replay/open-decisions.ts';
import type { Days } from '../../decision/matcher/columns.ts';
import { matcherOf, type RuleMatcher } from '../../decision/matcher/matcher.ts';
import type { RowScan, RowTruths } from '../../decision/matcher/row-scan.ts';
import type { Score } from '../../decision/meaning/outcome.ts';
import type { FactTable } from '../../facts/catalog.ts';
import { dayNumber, dayOfInstant } from '../../facts/day.ts';
import type { Facts } from '../../facts/fact.ts';
import { hasBands, OUTCOMES, type Outcome, type Policy, type ScoreBands } from '../../policy/language.ts';
import { canonicalData, keepData } from '../../policy/source-map.ts';
import { MOST_PROBLEMS } from '../limits.ts';
import { byPath, type Names, ownCounts } from '../space/own-computations.ts';
import { isFrom, type SourceName } from '../space/source-facts.ts';
import type { ApplicantRows, ApplicantTally } from './applicant-rows.ts';
import {
  type Applicant,
  BY_SEVERITY,
  type ChangedApplicant,
  decidingReasons,
  type OutcomeChange,
  type Unjudged,
} from './applicants.ts';
import { type JointFacts, readerFor } from './joint-facts.ts';
import { type Costs, type Judged, type LabelCounts, LabelTally } from './label-counts.ts';
import { add, type Grouped, groupedBy, groupValue, type Totals, totalsOf } from './outcome-counts.ts';
import { type RuleCount, RuleTallies } from './rule-counts.ts';

/** How the scores of applicants are spread over the policy's bands. */
export interface Scores extends ScoreBands {
  /** From the least score to the greatest, those whose score is certain. */
  readonly values: readonly { readonly points: number; readonly applicants: number }[];
  /** Those whose score depends on missing facts. */
  readonly open: number;
}

/** What a policy would have done; with a policy before, compared with it. */
export interface Backtest extends Totals {
  /** All rows or records, decided or not. */
  readonly rows: number;
  /** In the order of the policy. */
  readonly rules: readonly RuleCount[];
  /** Absent where the score asks for nothing. */
  readonly scores?: Scores;
  readonly groups: readonly Grouped[];
  readonly labels?: LabelCounts;
  /** The worst changes first. */
  readonly worst?: readonly ChangedApplicant[];
  /** What a database does not count: fields of `rules`, or `worst`. They are absent. */
  readonly notCounted?: readonly ('missing' | 'alone' | 'overlap' | 'worst')[];
  /** Those that are not decided, and the problems of those that cannot be read. */
  readonly undecided: Unjudged & {
    /** Those from before the first policy that is at hand, or whose policy the log does not keep. */
    readonly policyMissing: number;
    readonly problems: Readonly<Record<string, number>>;
  };
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
  /** Whether rows come with what is known of their applicants. */
  readonly hasLabels?: boolean;
  /** What mistakes cost; with labels. */
  readonly costs?: Costs | undefined;
  /** Called for each applicant whose outcome changes. */
  readonly onChanged?: ((applicant: Applicant, change: OutcomeChange) => void) | undefined;
  /** Called for each applicant who is decided. */
  readonly onDecided?: (applicant: Applicant) => void;
  /** Called for rows that were added; with a policy before. */
  readonly onRows?: ((rows: ApplicantRows, decided: DecidedRows) => void) | undefined;
}

/** By row, the outcomes of both policies; undefined for those who are not decided or not meant. */
export interface DecidedRows {
  readonly from: readonly (Outcome | undefined)[];
  readonly to: readonly (Outcome | undefined)[];
  /** What is known of the applicants; with labels. */
  readonly judged?: JudgedRows | undefined;
}

interface Side {
  readonly policy: Policy;
  readonly matcher: RuleMatcher;
  readonly scanRows: RowScan;
  readonly tallies: RuleTallies;
  /** The policy by the names of the joint facts. */
  readonly asking: Policy;
  /** The names of the joint facts that it counts under other paths. */
  readonly counts: Names;
  read(facts: Facts, day: string): Facts;
}

/** A row that both policies decide, with what is known of it. */
interface Decided {
  readonly rows: ApplicantRows;
  readonly truths: RowTruths;
  readonly from: Outcome | undefined;
  readonly sides: Sides;
  readonly known: Judged | undefined;
}

/** Two policies as they read the facts of a joint table, with their counts in one backtest. */
export type Sides = readonly [old: Side, now: Side];

export function sidesOf(policies: readonly [old: Policy, now: Policy], joint: JointFacts): Sides {
  const side = (at: 0 | 1): Side => {
    const [policy, asking] = [policies[at], joint.policies[at]];
    const matcher = matcherOf(policy);
    const names = { asking, counts: ownCounts(policy, asking), read: readerFor(policy, asking, joint) };
    return { policy, matcher, scanRows: matcher.rowScan(), tallies: new RuleTallies(policy), ...names };
  };
  return [side(0), side(1)];
}

/** What takes rows of two policies: those of the whole backtest, or others. */
export interface ComparesRows extends ApplicantTally {
  addRows(rows: ApplicantRows, isMeant: (row: number) => boolean, sides?: Sides): void;
  /** `policyMissing`: from before the first policy that is at hand, or of one that the log does not keep. */
  addUnjudged(why: keyof Unreadable, number?: number, problem?: string): void;
}

type Unreadable = Record<'unreadable' | 'erased' | 'aborted' | 'policyMissing', number>;

/** What is known of the applicants of rows. */
export type JudgedRows = (row: number) => Judged | undefined;

/** The outcomes of rows by the policy before; undefined for those that are not meant. */
export function outcomesBefore(
  rows: ApplicantRows,
  sides: Sides,
  isMeant: (row: number) => boolean,
  outcomeOf: (truths: RowTruths) => Outcome = (truths) => sides[0].tallies.settle(truths).outcome,
): readonly (Outcome | undefined)[] {
  const [{ scanRows, counts }] = sides;
  const outcomes: (Outcome | undefined)[] = [];
  const days = daysIn(rows, sides[0].policy.timeZone, sides[1].policy.timeZone);
  scanRows({ rows: rows.rows, columns: byPath(rows.columns, counts) }, days, (truths) => {
    if (isMeant(truths.row)) outcomes[truths.row] = outcomeOf(truths);
  });
  return outcomes;
}

/** The day on which the policy before decides: rows have that of the new policy. */
function dayBefore({ day, timeMs }: Pick<Applicant, 'day' | 'timeMs'>, [old, now]: Sides): string {
  const [zone, own] = [old.policy.timeZone, now.policy.timeZone];
  return zone === own || timeMs === undefined ? day : dayOfInstant(timeMs, zone);
}

/** The days of rows in a zone, where they have those of another one. */
function daysIn(rows: ApplicantRows, zone: string, own: string): Days {
  if (zone === own) return rows.days;
  const at = (row: number): string => {
    const timeMs = rows.timeAt(row);
    return timeMs === undefined ? rows.days.at(row) : dayOfInstant(timeMs, zone);
  };
  return { at, numberAt: (row) => dayNumber(at(row)) };
}

/** Counts applicants by rows of columns. The memory does not grow with the applicants. */
export class BacktestTally implements ComparesRows {
  readonly #policy: Policy;
  readonly #sides: Sides;
  /** Those that applicants were added with. */
  readonly #used = new Set<Sides>();
  readonly #options: BacktestOptions;
  readonly #down: ReadonlySet<string>;
  readonly #open: OpenCounter;
  readonly #unjudged: Unreadable = { unreadable: 0, erased: 0, aborted: 0, policyMissing: 0 };
  readonly #problems = new Map<string, number>();
  readonly #now: RuleTallies;
  readonly #flows = new Map<string, number>();
  readonly #groups: readonly Map<string | null, Map<string, number>>[];
  readonly #scores = new Map<number, number>();
  #openScores = 0;
  readonly #labels: LabelTally;
  readonly #worst = new Map<string, ChangedApplicant[]>();
  #rows = 0;
  #days: readonly [first: string, last: string] | undefined;

  constructor(policies: readonly [old: Policy, now: Policy], joint: JointFacts, options: BacktestOptions) {
    this.#options = options;
    this.#labels = new LabelTally(options.costs);
    this.#open = new OpenCounter(joint.read);
    this.#sides = sidesOf(policies, joint);
    const [, now] = this.#sides;
    [this.#policy, this.#now] = [now.policy, now.tallies];
    this.#down = factsOf(options.down, joint.facts);
    this.#groups = options.by.map(() => new Map());
  }

  /**
   * Adds those rows that are meant. `sides`: others than those of the whole backtest, of the same new policy; the rows
   * are then by their joint facts.
   */
  addRows(rows: ApplicantRows, isMeant: (row: number) => boolean, sides = this.#sides, judged?: JudgedRows): void {
    const [old, now] = sides;
    this.#used.add(sides);
    const { days } = rows;
    const decided = Array.from({ length: rows.rows }, (_, row) => {
      const applicant = isMeant(row) ? rows.applicantAt(row) : undefined;
      return applicant && this.#isDecided(applicant, sides) ? applicant : undefined;
    });
    const isDecided = (row: number) => decided[row] !== undefined;
    const from = this.#options.compares
      ? outcomesBefore(rows, sides, isDecided, (truths) => settleBefore(old, truths))
      : [];
    const to: (Outcome | undefined)[] = [];
    const columns = new Map([...rows.columns].filter(([path]) => !this.#down.has(path)));
    now.scanRows({ rows: rows.rows, columns }, days, (truths) => {
      const applicant = decided[truths.row];
      const known = judged?.(truths.row);
      if (applicant) to[truths.row] = this.#count(applicant, { rows, truths, from: from[truths.row], sides, known });
    });
    this.#options.onRows?.(rows, { from, to, judged });
  }

  get unreadable(): number {
    return this.#unjudged.unreadable;
  }

  /** Counts an applicant who cannot be decided. */
  addUnjudged(why: keyof Unreadable, number = 1, problem?: string): void {
    this.#unjudged[why] += number;
    if (problem !== undefined) add(this.#problems, this.#nameOfProblem(problem), number);
    this.#rows += number;
  }

  result(): Backtest {
    const { compares, by, hasLabels, worst } = this.#options;
    return {
      rows: this.#rows,
      ...totalsOf(this.#flows, this.#days ?? [], compares),
      rules: this.#policy.rules.map(({ id }, index) => this.#ruleCount(id, index)),
      ...(hasBands(this.#policy) ? { scores: this.#scoresOf() } : {}),
      groups: by.map((each, i) => groupedBy(each, this.#groups[i] ?? new Map(), compares)),
      ...(hasLabels ? { labels: this.#labels.result() } : {}),
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

  #addDay(day: string): void {
    const [first, last] = this.#days ?? [day, day];
    if (this.#days === undefined || day < first || day > last) {
      this.#days = [day < first ? day : first, day > last ? day : last];
    }
  }

  /** Whether both policies decide an applicant, whatever is not known of them; else they are counted as open. */
  #isDecided(applicant: Applicant, sides: Sides): boolean {
    this.#rows += 1;
    const { day, isUnknown } = applicant;
    if (!isUnknown) return true;
    const [old, now] = sides;
    const [early, late] = this.#bothFacts(applicant, sides);
    const asked = [
      { policy: old.asking, facts: early },
      { policy: now.asking, facts: late },
    ];
    return this.#open.isCertain(asked, isUnknown, day);
  }

  #bothFacts({ facts, day, timeMs }: Applicant, [old, now]: Sides): readonly [old: Facts, now: Facts] {
    return [
      old.read(facts, dayBefore({ day, timeMs }, [old, now])),
      now.read(this.#down.size === 0 ? facts : without(facts, this.#down), day),
    ];
  }

  /** Gives the outcome of the new policy. */
  #count(applicant: Applicant, { rows, truths, known, ...given }: Decided): Outcome {
    const { by } = this.#options;
    const { row } = truths;
    const { day } = applicant;
    this.#options.onDecided?.(applicant);
    this.#addDay(day);
    const { outcome: to, score } = this.#now.settle(truths);
    const { from = to } = given;
    const change = CHANGES[from][to];
    add(this.#flows, change, 1);
    if (hasBands(this.#policy)) this.#countScore(score);
    for (let i = 0; i < by.length; i++) {
      const value = groupValue(by[i] as string, day, (path) => rows.factAt(row, path));
      const counts = this.#groups[i]?.get(value) ?? new Map<string, number>();
      this.#groups[i]?.set(value, add(counts, change, 1));
    }
    if (known) this.#labels.add(known.label, { from, to }, known.weight);
    this.#now.add(truths, to, known?.label);
    if (from === to) return to;
    this.#options.onChanged?.(applicant, { from, to });
    this.#keepWorst(applicant, { from, to }, given.sides);
    return to;
  }

  #keepWorst(applicant: Applicant, { from, to }: OutcomeChange, sides: Sides): void {
    const kept = this.#worst.get(`${from} ${to}`) ?? [];
    if (kept.length >= this.#options.worst) return;
    const { name, day } = applicant;
    const [old, now] = sides;
    const [early, late] = this.#bothFacts(applicant, sides);
    const reasons = decidingReasons(
      old.matcher.verdict(early, dayBefore(applicant, sides)),
      now.matcher.verdict(late, day),
    );
    this.#worst.set(`${from} ${to}`, [...kept, { name, day, from, to, ...reasons }]);
  }

  /** Each of the first, and all others together: a file may have another problem in each line. */
  #nameOfProblem(problem: string): string {
    return this.#problems.has(problem) || this.#problems.size < MOST_PROBLEMS ? problem : 'other problems';
  }

  #countScore({ least, most }: Score): void {
    if (least === most) this.#scores.set(least, (this.#scores.get(least) ?? 0) + 1);
    else this.#openScores += 1;
  }

  #ruleCount(rule: string, index: number): RuleCount {
    const { compares, hasLabels = false } = this.#options;
    const { fired, ...others } = this.#now.count(index, { hasLabels });
    const before = compares ? this.#firedBefore(rule) : [];
    return { ...others, fired, ...(before.length === 0 ? {} : { firedBefore: before.reduce((sum, n) => sum + n) }) };
  }

  /** By each policy before that has a rule of this id. */
  #firedBefore(rule: string): readonly number[] {
    const used = this.#used.size > 0 ? [...this.#used] : [this.#sides];
    return used.flatMap(([{ policy, tallies }]) => {
      const index = policy.rules.findIndex(({ id }) => id === rule);
      return index < 0 ? [] : tallies.fired(index);
    });
  }
}

function settleBefore({ tallies }: Side, truths: RowTruths): Outcome {
  tallies.addFired(truths);
  return tallies.settle(truths).outcome;
}

/** The name of each change, made once. */
const CHANGES = Object.fromEntries(
  OUTCOMES.map((from) => [from, Object.fromEntries(OUTCOMES.map((to) => [to, `${from} ${to}`]))]),
) as Record<Outcome, Record<Outcome, string>>;

/** The policy with some of its rules alone. Its data and digest are still those of the policy. */
export function withRules(policy: Policy, isKept: (rule: string) => boolean): Policy {
  return keepData({ ...policy, rules: policy.rules.filter(({ id }) => isKept(id)) }, canonicalData(policy));
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
