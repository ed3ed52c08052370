/** A line of a log -> whether the facts in its encrypted body have the values that are sought, and meet a condition. */

import { evaluate, TRUE } from '../../decision/meaning/truth.ts';
import { type DiagnosticCode, DiagnosticsError } from '../../diagnostics.ts';
import { isMissing, shownValue } from '../../facts/fact.ts';
import { readFacts } from '../../facts/read.ts';
import type { PolicyAndCondition } from '../../policy/read/read-policy.ts';
import { dayOnRecord, readFactTexts } from '../entry/body.ts';
import { parseEntry } from '../entry/entry.ts';
import type { SearchableFields } from '../entry/searchable.ts';
import type { LogHome } from '../place.ts';
import { BodyReader } from '../read/read-log.ts';
import { ArtifactStore, SHOWN_CONDITION } from '../store/artifact-store.ts';

/** What a search asks of the facts on record. */
export interface SoughtFacts {
  /**
   * Values that facts on record must have, by path, as texts. It needs the keys, and opens the body of each decision
   * that matches otherwise.
   */
  readonly facts?: Readonly<Record<string, string>>;
  /**
   * A condition of the policy language, as YAML, that the facts on record must meet: `context.age: { below: 30 }`. It
   * is read in the names of the policy that decided, on the day of the decision; a policy without these names has no
   * decision that meets it. It opens bodies too.
   */
  readonly where?: string;
}

/** What a search for facts did not compare. */
export interface ComparedFacts {
  /** How many decisions match otherwise and cannot be opened. */
  readonly unopened: number;
  /** The paths that no opened decision has. */
  readonly unknownFacts: readonly string[];
}

/** What is wrong with a condition in the names of a policy that has others. */
const OF_NAMES: ReadonlySet<string> = new Set<DiagnosticCode>([
  ...(['unknown-fact', 'unknown-list', 'unknown-condition', 'unknown-parameter'] as const),
]);

/** Compares the facts in the bodies of decisions with values, and with a condition of the policy language. */
export class FactFilter {
  readonly #wanted: readonly (readonly [path: string, text: string])[];
  readonly #unknown: Set<string>;
  readonly #where: string | undefined;
  readonly #bodies: BodyReader;
  readonly #artifacts: ArtifactStore;
  /**
   * The condition in the names of each policy and mapping, or why it cannot be read in them; undefined for a policy
   * that this version cannot read.
   */
  readonly #conditions = new Map<string, PolicyAndCondition | DiagnosticsError | undefined>();
  #opened = 0;
  #unopened = 0;

  constructor({ facts = {}, where }: SoughtFacts, home: LogHome) {
    this.#wanted = Object.entries(facts);
    this.#unknown = new Set(Object.keys(facts));
    this.#where = where;
    this.#bodies = new BodyReader(home.keys);
    this.#artifacts = new ArtifactStore(home);
  }

  /** Whether the decision in a line has all values and meets the condition; false if its body cannot be opened. */
  async passes(line: Buffer): Promise<boolean> {
    const parsed = parseEntry(line);
    const record = 'line' in parsed && parsed.line.kind === 'decision' ? parsed.line : undefined;
    const opened = record && (await this.#bodies.open(record));
    const texts = opened && 'texts' in opened ? opened.texts : undefined;
    const facts = texts && readFactTexts(texts);
    if (!record || !facts) {
      this.#unopened += 1;
      return false;
    }
    this.#opened += 1;
    for (const path of this.#unknown) if (facts.has(path)) this.#unknown.delete(path);
    const hasAll = this.#wanted.every(([path, text]) => {
      const fact = facts.get(path);
      return fact && !isMissing(fact) && [String(fact.value), shownValue(fact)].includes(text);
    });
    if (!hasAll || this.#where === undefined) return hasAll;
    const read = await this.#conditionOf(record, this.#where);
    if (!read) this.#unopened += 1;
    if (!read || read instanceof DiagnosticsError) return false;
    const day = dayOnRecord(record, texts);
    const again = readFacts(facts, read.policy.facts, day);
    const computed = [...facts].filter(([path]) => read.policy.facts.get(path)?.compute);
    return evaluate(read.condition, new Map([...again, ...computed]), day) === TRUE;
  }

  /** Rejects with a `DiagnosticsError` if the condition has an error, but for names that the policy does not have. */
  async #conditionOf({ policy: { digest }, mapping }: SearchableFields, where: string) {
    const key = `${digest} ${mapping}`;
    if (this.#conditions.has(key)) return this.#conditions.get(key);
    const read = await this.#artifacts.condition(digest, mapping, where).catch((error: unknown) => {
      if (!(error instanceof DiagnosticsError)) throw error;
      if (error.diagnostics.some(({ file }) => file !== SHOWN_CONDITION)) return undefined;
      if (error.diagnostics.some(({ code }) => !OF_NAMES.has(code))) throw error;
      return error;
    });
    this.#conditions.set(key, read);
    return read;
  }

  /** Throws a `DiagnosticsError` if no policy that was read has the names of the condition: they may be misspelt. */
  throwIfUnread(): void {
    const read = [...this.#conditions.values()].filter((each) => each !== undefined);
    const [first] = read;
    if (first instanceof DiagnosticsError && read.every((each) => each instanceof DiagnosticsError)) throw first;
  }

  result(): ComparedFacts {
    return { unopened: this.#unopened, unknownFacts: this.#opened > 0 ? [...this.#unknown] : [] };
  }
}
