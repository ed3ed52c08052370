/** A die -> lines of a log that no writer wrote, for an index alone: in batches, each of one segment; and searches. */

import type { ReadTo } from '../../../src/audit/index/index-file.ts';
import type { IndexResult, IndexSearch, NewLine } from '../../../src/audit/index/index-sql.ts';
import { subjectText } from '../../../src/audit/read/criteria.ts';
import { filterOf, type Recorded } from '../../../src/audit/read/filter.ts';
import { judgementOf } from '../../../src/audit/read/judgement.ts';
import type { ClearFields, SearchEntry } from '../../../src/audit/read/search-entry.ts';
import { DISPOSITIONS } from '../../../src/policy/language.ts';
import { type Die, pick } from '../../bench/dice.ts';

/** Lines that are added in one transaction, and where their segment was read to before and after. */
export interface LineBatch {
  readonly chain: string;
  readonly from: ReadTo | undefined;
  readonly to: ReadTo;
  readonly lines: readonly NewLine[];
}

const BEGIN = Date.UTC(2026, 10, 1);
const DAY_MS = 86_400_000;
const DAYS = 4;
const OUTCOMES = ['accept', 'review', 'reject'] as const;
const CODES = ['A', 'B', 'C', 'DEFAULT', 'A\0\ud800'];
const RULES = ['one', 'two', 'three'];
const POLICIES = [
  { name: 'onboarding', version: '1', digest: `sha256:${'1'.repeat(64)}` },
  { name: 'onboarding', version: '2', digest: `sha256:${'2'.repeat(64)}` },
];
const SUBJECTS = Array.from({ length: 12 }, (_, i) => `${1 + (i % 2)}:${String(i).padStart(64, '0')}`);

/** What is asked, in the terms of the log. */
type Asked = Omit<Recorded, 'from' | 'to'> & { readonly from?: string | undefined; readonly to?: string | undefined };

/** The same as a search of an index. */
export interface LineSearch extends IndexSearch {
  readonly asked: Asked;
}

export class LineMaker {
  /** Of decisions; the last one is still to come. */
  readonly ids: string[];
  readonly #die: Die;
  readonly #chains: readonly string[];
  readonly #ends = new Map<string, ReadTo>();
  #seq = 0;

  /** `known`: decisions that are noted and erased too. */
  constructor(die: Die, chains: number, known: readonly string[] = []) {
    this.#die = die;
    this.ids = [...known, this.#newId()];
    this.#chains = Array.from({ length: chains }, () => this.#newId());
  }

  batch(size: number): LineBatch {
    const [chain, segment] = [pick(this.#chains, this.#die), 1 + this.#below(3)];
    const name = `${chain} ${segment}`;
    const from = this.#ends.get(name);
    let { line, start, end } = from ?? { line: 0, start: 0, end: 0 };
    const lines = Array.from({ length: size }, (): NewLine => {
      [line, start, end] = [line + 1, end, end + 100 + this.#below(900)];
      return { position: { chain, segment, line, start, end }, entry: this.#entry(chain) };
    });
    const to = { segment, line, start, end, digest: String(end) };
    this.#ends.set(name, to);
    return { chain, from, to, lines };
  }

  /** The segments begin again. */
  forget(chain: string, segments: readonly number[]): void {
    for (const segment of segments) this.#ends.delete(`${chain} ${segment}`);
  }

  search(): LineSearch {
    const after = { at: this.#at(), id: pick(this.ids, this.#die) };
    const { from, to, ...recorded } = this.#asked();
    const filter = filterOf(recorded, { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) });
    return {
      ...{ asked: { from, to, ...recorded }, filter, limit: pick([1, 5, 50], this.#die), ...this.#some({ after }) },
      ...this.#some({ mostCounted: pick([1, 10, 1000], this.#die) }),
    };
  }

  #asked(): Asked {
    const die = this.#die;
    const from = this.#at();
    const asked: Asked = {
      ...this.#some({ from: instantOf(from), ...this.#some({ to: instantOf(from + this.#below(DAY_MS)) }) }),
      ...this.#some({ outcomes: this.#several(OUTCOMES) }),
      ...this.#some({ reasons: this.#several(CODES) }),
      ...this.#some({ firedReasons: this.#several(CODES) }),
      ...this.#some({ rules: this.#several([...RULES, 'none']) }),
      ...this.#some({ policies: this.#several(['onboarding', 'onboarding@2', POLICIES[0]?.digest ?? '']) }),
      ...this.#some({ undetermined: pick([true as const, this.#several(RULES)], die) }),
      ...this.#some({ dispositions: this.#several(DISPOSITIONS) }),
      ...this.#some({
        subject: this.#several(SUBJECTS).map((hash) => subjectText(pick(['email', 'ip', 'ip/24'], die), hash)),
      }),
      ...this.#some({ reference: this.#several(SUBJECTS) }),
    };
    // Few decisions meet many criteria.
    return Object.fromEntries(Object.entries(asked).filter(() => die() < 0.5));
  }

  #entry(chain: string): SearchEntry {
    const die = this.#die;
    const [at, id, seq] = [instantOf(this.#at()), this.#newId(), ++this.#seq];
    const known = pick(this.ids, die);
    const kind = pick(['decision', 'decision', 'decision', 'note', 'event', 'erasure', 'open', 'seal'] as const, die);
    if (kind === 'open' || kind === 'seal') return { kind };
    if (kind === 'erasure') return { kind, at, records: [known, id, known] };
    if (kind === 'event') {
      const object = die() < 0.5 ? { object: known } : {};
      return { kind, at, id, type: 'case.opened', actor: 'A', ...object } as SearchEntry;
    }
    // Also about a decision that comes later, as from another chain.
    if (kind === 'note') return { kind, at, id, decision: known, disposition: pick(DISPOSITIONS, die), chain, seq };
    const codes = { decisive: this.#several(CODES), fired: this.#several(CODES), undetermined: [] };
    return {
      ...{ kind, at, id: this.#decision(), outcome: pick(OUTCOMES, die) },
      ...(die() < 0.8 ? { reasons: codes } : { codes: codes.fired }),
      ...{ rules: this.#several(RULES), undetermined: this.#several(RULES).slice(1), policy: pick(POLICIES, die) },
      missing: pick([{}, { notReturned: ['email.domain.type'], error: ['ip', 'email.domain.age'] }], die),
      ...{ subjects: { email: pick(SUBJECTS, die), ip: pick(SUBJECTS, die) }, reference: pick(SUBJECTS, die) },
      ...this.#some({ links: { 'ip/24': pick(SUBJECTS, die) } }),
    } as SearchEntry;
  }

  /** Notes about the next one may be there already. */
  #decision(): string {
    const id = this.ids.at(-1) ?? '';
    this.ids.push(this.#newId());
    return id;
  }

  #newId(): string {
    const hex = (digits: number) => Array.from({ length: digits }, () => this.#below(16).toString(16)).join('');
    return `0193${hex(4)}-${hex(4)}-7${hex(3)}-8${hex(3)}-${hex(12)}`;
  }

  /** Often the same instant. */
  #at(): number {
    return BEGIN + this.#below(DAYS) * DAY_MS + this.#below(4);
  }

  #below(limit: number): number {
    return Math.floor(this.#die() * limit);
  }

  #several<Item>(items: readonly Item[]): Item[] {
    return items.filter(() => this.#die() < 0.4);
  }

  #some<Fields extends object>(fields: Fields): Partial<Fields> {
    return this.#die() < 0.5 ? fields : {};
  }
}

/** What a search of lines finds, one by one: slow and obvious. */
export function searchLines(lines: readonly NewLine[], { asked, limit, after, mostCounted }: LineSearch): IndexResult {
  const decided = lines.flatMap(({ position, entry }) => {
    if (entry.kind !== 'decision') return [];
    const { id } = entry;
    const notes = lines.flatMap((line) =>
      line.entry.kind === 'note' && line.entry.decision === id ? [line.entry] : [],
    );
    const { review, label } = judgementOf(notes);
    const judged = { ...(review && { review: review.disposition }), ...(label && { label: label.disposition }) };
    const others = lines.filter((line) => line.entry !== entry && JSON.stringify(line.entry).includes(id));
    const found = { ...position, at: Date.parse(entry.at), id, others: others.map((line) => line.position) };
    return [{ found, isMatch: isMatch(entry, asked, Object.values(judged)) }];
  });
  const matching = decided.filter(({ isMatch }) => isMatch).map(({ found }) => found);
  const undecidable = decided.filter(({ isMatch }) => isMatch === undefined).length;
  const rank = ({ at, id }: { readonly at: number; readonly id: string }) => `${at} ${id}`;
  const page = matching.filter((each) => !after || rank(each) < rank(after));
  page.sort((one, other) => (rank(one) < rank(other) ? 1 : -1));
  const total = matching.length;
  const found = page.slice(0, limit);
  if (mostCounted === undefined) return { found, total: 0, undecidable: 0 };
  // Which ones are counted is not told.
  const isAll = total + undecidable <= mostCounted;
  return isAll ? { found, total, undecidable } : { found, total: mostCounted, undecidable: 0 };
}

/** Whether a decision is asked for; undefined if its record does not say what its codes did. */
function isMatch(decision: ClearFields, { from = '', to = '9', ...asked }: Asked, judged: readonly string[]) {
  const { at, outcome, rules, undetermined, subjects = {}, links = {}, reference = '', reasons, codes = [] } = decision;
  const { name, version, digest } = decision.policy;
  const has = (wanted: true | readonly string[] | undefined, texts: readonly string[]) =>
    wanted === undefined || (wanted === true ? texts.length > 0 : wanted.some((text) => texts.includes(text)));
  const people = Object.entries({ ...subjects, ...links }).map(([variable, hash]) => `${variable}\0${hash}`);
  const isRest =
    at >= from &&
    at <= to &&
    has(asked.outcomes, [outcome]) &&
    has(asked.rules, rules) &&
    has(asked.undetermined, undetermined) &&
    has(asked.policies, [name, `${name}@${version}`, digest]) &&
    has(asked.dispositions, judged) &&
    has(asked.subject, people) &&
    has(asked.reference, [reference]);
  const { decisive, fired } = reasons ?? { decisive: codes, fired: codes };
  if (!isRest || !has(asked.reasons, decisive) || !has(asked.firedReasons, fired)) return false;
  return reasons || (asked.reasons ?? asked.firedReasons) === undefined ? true : undefined;
}

function instantOf(at: number): string {
  return new Date(at).toISOString();
}
