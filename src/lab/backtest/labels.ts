/** A file of labels, or the notes of a log -> what became known of each applicant, and what nobody can know yet. */

import { closeSync } from 'node:fs';
import type { Entry, NoteFields } from '../../audit/entry/entry.ts';
import { homeOf } from '../../audit/home.ts';
import type { LogPlace } from '../../audit/place.ts';
import { judgementOf } from '../../audit/read/judgement.ts';
import { containsAny, findEntries } from '../../audit/read/read-log.ts';
import type { ToldLabels } from '../../decision/rows/count-velocities.ts';
import type { ToldLabel } from '../../decision/rows/counted-rows.ts';
import { openCsv, problemOf, readRecords } from '../../decision/rows/csv-file.ts';
import { VerdictError } from '../../errors.ts';
import { daysBetween, isDay } from '../../facts/day.ts';
import { ANSWERS, type Disposition, type Outcome, questionOf } from '../../policy/language.ts';
import { didYouMean, joinWords, printable } from '../../text.ts';
import type { ApplicantRows } from './applicant-rows.ts';
import type { Applicant } from './applicants.ts';
import { type JudgedRows, outcomesBefore, type Sides } from './backtest.ts';
import { type DecidedThen, wasLetIn, weightOf } from './decided-then.ts';
import type { Judged } from './label-counts.ts';

/** What became known of an applicant; `at` is the last day on which it did, yyyy-MM-dd, if the file has it. */
export interface Label {
  readonly isFraud: boolean;
  readonly at: string | undefined;
}

/** Labels by the caller's reference, or by the id of the decision. */
export interface Labels {
  readonly by: 'reference' | 'decision';
  readonly labels: ReadonlyMap<string, Label>;
  /** The last day on which something became known, yyyy-MM-dd, if a file has days: so far the labels go. */
  readonly lastDay?: string | undefined;
  /** What reviewers decided, by the id of the decision; absent for applicants of a file. */
  readonly reviews?: ReadonlyMap<string, Disposition> | undefined;
  /** What velocities count of a file of labels. */
  readonly told?: ToldLabels;
}

const COLUMNS = ['reference', 'decision', 'label', 'at'];
const [FRAUD, GENUINE] = ANSWERS.label;

/**
 * Reads a CSV file with the column `reference` or `decision`, and optionally `label` and `at`: without `label`, all of
 * its rows are frauds. `fraud` is the word for fraud; the other label is `genuine`. Of both the last day's
 * counts. Other columns are left alone. Throws CONFIGURATION_INVALID with the line of a mistake.
 */
export function readLabels(file: string, fraud: string = FRAUD): Labels {
  const wrong = (problem: string, line?: number) =>
    new VerdictError('CONFIGURATION_INVALID', `${file}${line === undefined ? '' : `, line ${line}`}: ${problem}`);
  const source = openCsv(file);
  try {
    const unread = source.names.filter((name) => !COLUMNS.includes(name));
    const by = (['reference', 'decision'] as const).find((name) => source.names.includes(name));
    if (by === undefined) {
      const { hint } = didYouMean(unread[0] ?? '', COLUMNS);
      throw wrong(`expected a column reference or decision${hint === undefined ? '' : `; ${hint}`}`);
    }
    const lacking = ['label', 'at'].filter((name) => !source.names.includes(name));
    for (const name of unread) {
      const { hint } = didYouMean(name, lacking);
      if (hint !== undefined) throw wrong(`the column ${printable(name)} is not read; ${hint}`);
    }
    const columnOf = (name: string) => source.names.indexOf(name);
    const labels = new Map<string, Label>();
    const told: ToldLabel[] = [];
    let lastDay: string | undefined;
    let undated = 0;
    const words = [fraud, GENUINE];
    for (const record of readRecords(source)) {
      const problem = problemOf(record, source);
      if (problem !== undefined || !('values' in record)) throw wrong(problem ?? 'cannot be read', record.line);
      const cell = (name: string) => record.values[columnOf(name)]?.trim() || undefined;
      const key = cell(by);
      if (key === undefined) throw wrong(`there is no ${by}`, record.line);
      const day = cell('at')?.slice(0, 'yyyy-MM-dd'.length);
      if (day !== undefined && !isDay(day)) throw wrong('"at" is not a calendar day; expected yyyy-MM-dd', record.line);
      const value = cell('label');
      if (columnOf('label') >= 0 && value === undefined) throw wrong('there is no label', record.line);
      // Read as a file of frauds alone, it would make frauds of those who are genuine.
      const said = lacking.includes('label') ? unread.find((name) => words.includes(cell(name) ?? '')) : undefined;
      if (said !== undefined) {
        throw wrong(`the column ${printable(said)} has labels and is not read; expected the name label`, record.line);
      }
      if (value !== undefined && !words.includes(value)) {
        const { hint = '--label names another word for fraud' } = didYouMean(value, words);
        throw wrong(`the label is none of ${joinWords(words)}; ${hint}`, record.line);
      }
      const label = { isFraud: value === undefined || value === fraud, at: day };
      const other = labels.get(key);
      const isOther = other !== undefined && other.isFraud !== label.isFraud;
      if (isOther && (other.at === undefined || day === undefined || day === other.at)) {
        throw wrong(`this ${by} has another label before; expected the later day of the one that counts`, record.line);
      }
      // The last one is in time if one of them is, and one without a day is in any case.
      if (!other || (other.at !== undefined && (day === undefined || day > other.at))) labels.set(key, label);
      if (day === undefined) undated += 1;
      else told.push({ reference: key, label: label.isFraud ? 'fraud' : GENUINE, day });
      if (day !== undefined && (lastDay === undefined || day > lastDay)) lastDay = day;
    }
    if (labels.size === 0) throw wrong('there are no labels');
    const lack =
      by === 'decision' ? 'the labels name decisions, and rows have references' : 'the labels have no day (column at)';
    return { by, labels, lastDay, told: by === 'decision' || undated > 0 ? { lack } : told };
  } finally {
    closeSync(source.opened);
  }
}

/**
 * What people say of the decisions of a log by now, or in those notes that count. A label is of the day on which it
 * became known, if it was told.
 */
export async function readNotedLabels(place: LogPlace, counts: (note: Entry) => boolean = () => true): Promise<Labels> {
  const { log } = await homeOf(place);
  const notes = new Map<string, readonly (Entry & NoteFields)[]>();
  for await (const { parsed } of findEntries(log, containsAny(['"kind":"note"']))) {
    if (!('line' in parsed) || parsed.line.kind !== 'note' || !counts(parsed.line)) continue;
    const { decision } = parsed.line;
    notes.set(decision, Object.values(judgementOf([...(notes.get(decision) ?? []), parsed.line])));
  }
  const labels = new Map<string, Label>();
  const reviews = new Map<string, Disposition>();
  for (const { decision, disposition, at, knownOn } of [...notes.values()].flat()) {
    if (questionOf(disposition) === 'review') reviews.set(decision, disposition);
    else labels.set(decision, { isFraud: disposition === 'fraud', at: knownOn ?? at.slice(0, 'yyyy-MM-dd'.length) });
  }
  return { by: 'decision', labels, reviews };
}

/** What the join found that a reader has to know. */
export interface Joined {
  /** All that there are. */
  readonly labels: number;
  /** The day up to which they are known, yyyy-MM-dd. */
  readonly asOf: string;
  /** Whether a label has a day; else they are known up to today. */
  readonly isDated: boolean;
  /** Labels that no applicant has. */
  readonly unused: number;
  /** Labels that several applicants have: a row stands twice, or the reference is not unique. */
  readonly several: number;
  /** Applicants without an outcome of then, whose outcome is that of the policy of then. */
  readonly filled: number;
  /** Applicants whose outcome of then is not known. */
  readonly notDecided: number;
  /** Reviews that count as let in, because their file does not say what people decided. */
  readonly reviewsLetIn: number;
  /** Applicants who were let in by the holdout. */
  readonly heldOut: number;
}

/** Joins labels to applicants. */
export class LabelJoin {
  readonly #labels: Labels;
  readonly #asOf: string;
  readonly #matureDays: number;
  readonly #used = new Map<string, number>();
  readonly #counts = { filled: 0, notDecided: 0, reviewsLetIn: 0, heldOut: 0 };

  /**
   * @param asOf the day on which the labels were known, yyyy-MM-dd
   * @param matureDays so many days after its own, an applicant without a label counts as good
   */
  constructor(labels: Labels, { asOf, matureDays }: { readonly asOf: string; readonly matureDays: number }) {
    this.#labels = labels;
    [this.#asOf, this.#matureDays] = [asOf, matureDays];
  }

  /** What is known of rows. `then`: the policy before of these decided those without an outcome. */
  judgeRows(rows: ApplicantRows, isMeant: (row: number) => boolean, then?: Sides): JudgedRows {
    const isOpen = (row: number) => isMeant(row) && rows.applicantAt(row).decided?.outcome === undefined;
    const open = new Set(then ? Array.from({ length: rows.rows }, (_, row) => row).filter(isOpen) : []);
    const outcomes = then && open.size > 0 ? outcomesBefore(rows, then, (row) => open.has(row)) : [];
    const judged = Array.from({ length: rows.rows }, (_, row) =>
      isMeant(row) ? this.judge(rows.applicantAt(row), outcomes[row]) : undefined,
    );
    return (row) => judged[row];
  }

  /** `then`: the outcome by the policy of then, for an applicant without one. */
  judge(applicant: Applicant, then?: Outcome): Judged {
    const { day } = applicant;
    const key = this.#keyOf(applicant);
    const found = key === undefined ? undefined : this.#labels.labels.get(key);
    if (found && key !== undefined) this.#used.set(key, (this.#used.get(key) ?? 0) + 1);
    const decided = this.#decidedOf(applicant, then);
    const known = { weight: weightOf(decided) };
    // A label by the id of a decision is of this one, though its day may be that of another time zone.
    const isOfReference = this.#labels.by === 'reference';
    if (isOfReference && found?.at !== undefined && found.at < day) return { ...known, label: 'tooEarly' };
    // Also with a label: frauds are known earlier than that somebody is good.
    if (daysBetween(day, this.#asOf) < this.#matureDays) return { ...known, label: 'immature' };
    if (found) return { ...known, label: found.isFraud ? 'fraud' : 'good' };
    const isLetIn = wasLetIn(decided);
    return { ...known, label: isLetIn === undefined ? 'unknown' : isLetIn ? 'good' : 'notLetIn' };
  }

  get told(): ToldLabels | undefined {
    return this.#labels.told;
  }

  result(): Joined {
    const several = [...this.#used.values()].filter((n) => n > 1).length;
    const all = [...this.#labels.labels.values()];
    const isDated = all.length === 0 || all.some(({ at }) => at !== undefined);
    const known = { labels: all.length, asOf: this.#asOf, isDated };
    return { ...known, unused: all.length - this.#used.size, several, ...this.#counts };
  }

  #keyOf({ name, reference }: Applicant): string | undefined {
    if (this.#labels.by === 'reference') return reference;
    return 'decision' in name ? name.decision : undefined;
  }

  #decidedOf({ name, decided }: Applicant, then: Outcome | undefined): DecidedThen {
    const { reviews } = this.#labels;
    const review = reviews && { disposition: ('decision' in name ? reviews.get(name.decision) : undefined) ?? null };
    const outcome = decided?.outcome ?? then;
    const all = { ...decided, ...review, outcome };
    if (outcome === undefined && wasLetIn(all) === undefined) this.#counts.notDecided += 1;
    else if (decided?.outcome === undefined && outcome !== undefined) this.#counts.filled += 1;
    if (outcome === 'review' && all.disposition === undefined) this.#counts.reviewsLetIn += 1;
    if (all.holdout !== undefined) this.#counts.heldOut += 1;
    return all;
  }
}
