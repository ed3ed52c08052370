/** A file of labels, or the notes of a log -> what became known of each applicant, and what nobody can know yet. */

import { closeSync } from 'node:fs';
import type { Entry, NoteFields } from '../../audit/entry/entry.ts';
import { judgementOf } from '../../audit/read/judgement.ts';
import { containsAny, findEntries } from '../../audit/read/read-log.ts';
import { openCsv, problemOf, readRecords } from '../../decision/rows/csv-file.ts';
import { VerdictError } from '../../errors.ts';
import { daysBetween, isDay } from '../../facts/day.ts';
import { type Disposition, type Outcome, questionOf } from '../../policy/language.ts';
import { didYouMean } from '../../text.ts';
import type { Applicant } from './applicants.ts';
import type { Labelled } from './label-counts.ts';

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
  /** What reviewers decided, by the id of the decision; absent where that is not known. */
  readonly reviews?: ReadonlyMap<string, Disposition>;
}

const COLUMNS = ['reference', 'decision', 'label', 'at'];

/**
 * Reads a CSV file with the column `reference` or `decision`, and optionally `label` and `at`: without `label`, all of
 * its rows are frauds. `fraud` is the label that means fraud. Throws CONFIGURATION_INVALID with the line of a mistake.
 */
export function readLabels(file: string, fraud: string): Labels {
  const wrong = (problem: string, line?: number) =>
    new VerdictError('CONFIGURATION_INVALID', `${file}${line === undefined ? '' : `, line ${line}`}: ${problem}`);
  const source = openCsv(file);
  try {
    const unknown = source.names.find((name) => !COLUMNS.includes(name));
    const by = (['reference', 'decision'] as const).find((name) => source.names.includes(name));
    if (by === undefined) {
      const { hint } = didYouMean(unknown ?? '', COLUMNS);
      throw wrong(`expected a column reference or decision${hint === undefined ? '' : `; ${hint}`}`);
    }
    const columnOf = (name: string) => source.names.indexOf(name);
    const labels = new Map<string, Label>();
    let lastDay: string | undefined;
    const values = new Set<string>();
    for (const record of readRecords(source)) {
      const problem = problemOf(record, source.names.length);
      if (problem !== undefined || !('values' in record)) throw wrong(problem ?? 'cannot be read', record.line);
      const cell = (name: string) => record.values[columnOf(name)]?.trim() || undefined;
      const key = cell(by);
      if (key === undefined) throw wrong(`there is no ${by}`, record.line);
      const day = cell('at')?.slice(0, 'yyyy-MM-dd'.length);
      if (day !== undefined && !isDay(day)) throw wrong('"at" is not a calendar day; expected yyyy-MM-dd', record.line);
      const value = cell('label');
      if (columnOf('label') >= 0 && value === undefined) throw wrong('there is no label', record.line);
      if (value !== undefined) values.add(value);
      const label = { isFraud: value === undefined || value === fraud, at: day };
      const other = labels.get(key);
      if (other && other.isFraud !== label.isFraud) throw wrong(`this ${by} has another label before`, record.line);
      // The last one is in time if one of them is, and one without a day is in any case.
      if (!other || (other.at !== undefined && (day === undefined || day > other.at))) labels.set(key, label);
      if (day !== undefined && (lastDay === undefined || day > lastDay)) lastDay = day;
    }
    if (labels.size === 0) throw wrong('there are no labels');
    if (values.size > 0 && !values.has(fraud)) {
      const found = [...values].slice(0, 5).join(', ');
      throw wrong(`no row has the label ${fraud}; --label names one of those that there are: ${found}`);
    }
    return { by, labels, lastDay };
  } finally {
    closeSync(source.opened);
  }
}

/** What people say of the decisions of a log by now. A label is of the day on which it became known, if it was told. */
export async function readNotedLabels(dir: string): Promise<Labels> {
  const notes = new Map<string, readonly (Entry & NoteFields)[]>();
  for await (const { parsed } of findEntries(dir, containsAny(['"kind":"note"']))) {
    if (!('line' in parsed) || parsed.line.kind !== 'note') continue;
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
  /** Labels that no applicant has. */
  readonly unused: number;
  /** Labels that several applicants have: a row stands twice, or the reference is not unique. */
  readonly several: number;
  /** Labels from before the day of their applicant: they are of somebody else, and do not count. */
  readonly tooEarly: number;
  /** Whether it is known what reviewers decided: who was declined, or waits for them, has no label but one given. */
  readonly isReviewed: boolean;
}

/** Joins labels to applicants. */
export class LabelJoin {
  readonly #labels: Labels;
  readonly #asOf: string;
  readonly #matureDays: number;
  readonly #used = new Map<string, number>();
  #tooEarly = 0;

  /**
   * @param asOf the day on which the labels were known, yyyy-MM-dd
   * @param matureDays so many days after its own, an applicant without a label counts as good
   */
  constructor(labels: Labels, { asOf, matureDays }: { readonly asOf: string; readonly matureDays: number }) {
    this.#labels = labels;
    [this.#asOf, this.#matureDays] = [asOf, matureDays];
  }

  /** `before`: what the policy before decides, where the outcome of then is not on record. */
  labelOf(applicant: Applicant, before: Outcome): keyof Labelled {
    const { name, day, reference, recorded = before } = applicant;
    const key = this.#labels.by === 'reference' ? reference : 'decision' in name ? name.decision : undefined;
    const found = key === undefined ? undefined : this.#labels.labels.get(key);
    if (found && key !== undefined) this.#used.set(key, (this.#used.get(key) ?? 0) + 1);
    // A label of a log is of the decision itself, whose day may be that of another time zone.
    const isTooEarly = found?.at !== undefined && !this.#labels.reviews && found.at < day;
    if (isTooEarly) this.#tooEarly += 1;
    const label = isTooEarly ? undefined : found;
    // Also with a label: frauds are known earlier than that somebody is good.
    if (daysBetween(day, this.#asOf) < this.#matureDays) return 'immature';
    if (label) return label.isFraud ? 'fraud' : 'good';
    return this.#isLetIn(key, recorded) ? 'good' : 'unlabelled';
  }

  /** Where reviews are not known, everybody counts as let in but the rejected. */
  #isLetIn(key: string | undefined, recorded: Outcome): boolean {
    const { reviews } = this.#labels;
    if (!reviews) return recorded !== 'reject';
    const review = key === undefined ? undefined : reviews.get(key);
    return review === undefined ? recorded === 'accept' : review === 'approve';
  }

  result(): Joined {
    const several = [...this.#used.values()].filter((n) => n > 1).length;
    const { labels, reviews } = this.#labels;
    const isReviewed = reviews !== undefined;
    return { unused: labels.size - this.#used.size, several, tooEarly: this.#tooEarly, isReviewed };
  }
}
