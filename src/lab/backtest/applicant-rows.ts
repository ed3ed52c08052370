/** Applicants of a file, or one after the other -> rows of columns, in which a tally takes them. */

import { type Columns, type Days, factAt } from '../../decision/matcher/columns.ts';
import { columnsOf, daysOf } from '../../decision/matcher/row-columns.ts';
import type { FileChunk } from '../../decision/rows/parquet-rows.ts';
import type { Fact, Facts } from '../../facts/fact.ts';
import { markRead, newFacts } from '../../facts/fact-reader.ts';
import type { Applicant, ApplicantName } from './applicants.ts';
import { type DecidedThen, readDecided } from './decided-then.ts';
import type { JoinedFacts } from './joint-facts.ts';

/** Applicants, a row each. */
export interface ApplicantRows extends Columns {
  readonly days: Days;
  timeAt(row: number): number | undefined;
  applicantAt(row: number): Applicant;
  factAt(row: number, path: string): Fact | undefined;
}

/** What takes rows: those that are meant. */
export interface TakesRows {
  addRows(rows: ApplicantRows, isMeant: (row: number) => boolean): void;
}

/** What applicants are added to. */
export interface ApplicantTally extends TakesRows {
  /** Counts applicants who cannot be judged. `problem`: why a row or record is unreadable, without its values. */
  addUnjudged(why: 'unreadable' | 'erased' | 'aborted', number?: number, problem?: string): void;
  /** How many rows or records could not be read. */
  readonly unreadable: number;
}

/** The rows of a chunk of a Parquet file, until the next chunk is asked for. */
export class ChunkRows implements ApplicantRows {
  readonly rows: number;
  readonly columns: Columns['columns'];
  readonly days: Days;
  readonly chunk: FileChunk;
  readonly joint: JoinedFacts;

  constructor(chunk: FileChunk, joint: JoinedFacts) {
    [this.chunk, this.joint] = [chunk, joint];
    [this.rows, this.columns, this.days] = [chunk.rows, chunk.columns, chunk.days];
  }

  timeAt(row: number): number | undefined {
    return this.chunk.timeAt(row);
  }

  applicantAt(row: number): Applicant {
    return new ApplicantInChunk(this, row);
  }

  factAt(row: number, path: string): Fact {
    return factAt(this.chunk, this.joint.facts, path, row, this.days.at(row));
  }
}

/** Reads only what it is asked for: most applicants are just counted. */
class ApplicantInChunk implements Applicant {
  readonly #rows: ChunkRows;
  readonly #row: number;

  constructor(rows: ChunkRows, row: number) {
    [this.#rows, this.#row] = [rows, row];
  }

  get day(): string {
    return this.#rows.days.at(this.#row);
  }

  get timeMs(): number | undefined {
    return this.#rows.timeAt(this.#row);
  }

  get reference(): string | undefined {
    return this.#rows.chunk.referenceAt(this.#row);
  }

  get decided(): DecidedThen {
    const decided = readDecided(this.#rows.chunk.decidedAt(this.#row).decided);
    // A backtest with labels does not count a row that cannot be read, and nobody else asks.
    return 'problem' in decided ? {} : decided;
  }

  get name(): ApplicantName {
    const { reference } = this;
    const clientReference = reference === undefined ? {} : { clientReference: reference };
    return { row: this.#rows.chunk.numberAt(this.#row), ...clientReference };
  }

  get facts(): Facts {
    const { joint } = this.#rows;
    const facts = [...joint.read].map((path) => [path, this.#rows.factAt(this.#row, path)] as const);
    return markRead(newFacts(new Map(facts)), joint.facts, this.day);
  }
}

/** So many applicants outweigh what a matcher does once for all rows. */
const MOST_IN_BUFFER = 2048;

/** Where an applicant is counted, and by which facts they are read. */
export interface Counting {
  readonly tally: TakesRows;
  readonly joint: JoinedFacts;
}

/** Adds applicants, one after the other, in rows; those that are left when it is flushed. */
export class ApplicantBuffer {
  readonly #applicants = new Map<Counting, Applicant[]>();
  #size = 0;

  add(applicant: Applicant, counting: Counting): void {
    const others = this.#applicants.get(counting);
    if (others) others.push(applicant);
    else this.#applicants.set(counting, [applicant]);
    this.#size += 1;
    if (this.#size === MOST_IN_BUFFER) this.flush();
  }

  flush(): void {
    for (const [{ tally, joint }, applicants] of this.#applicants) tally.addRows(rowsOf(applicants, joint), () => true);
    this.#applicants.clear();
    this.#size = 0;
  }
}

function rowsOf(applicants: readonly Applicant[], { read, facts }: JoinedFacts): ApplicantRows {
  const applicantAt = (row: number) => applicants[row] as Applicant;
  return {
    ...columnsOf(
      applicants.map((each) => each.facts),
      read,
      facts,
    ),
    days: daysOf(applicants.map(({ day }) => day)),
    timeAt: (row) => applicantAt(row).timeMs,
    applicantAt,
    factAt: (row, path) => applicantAt(row).facts.get(path),
  };
}
