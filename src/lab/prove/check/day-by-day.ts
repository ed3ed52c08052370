/** What a policy asks for, and a day -> what happens to no applicant on it, nor on any later day that differs. */

import type { DiagnosticCode } from '../../../diagnostics.ts';
import { dayNumber, dayOfNumber, isDay, lastDayWithYears } from '../../../facts/day.ts';
import { allowancesOf } from '../../../platform/files/allowance.ts';
import type { Span } from '../../../platform/files/source.ts';
import { isNamedList, type YearsTest } from '../../../policy/arguments.ts';
import { type Policy, type Test, testsOf } from '../../../policy/language.ts';
import type { Reasoner, Time } from '../../question/reasoner.ts';

/** What is known of things of one kind on one day; what is not named happens to some applicant. */
export interface DayFindings<Item, Proof> {
  readonly never: ReadonlyMap<Item, Proof>;
  readonly undecided: readonly Item[];
}

/** Things of one kind, and the question whether they happen to any applicant. */
export interface Kind<Item, Proof> {
  itemsOn(day: string): readonly Item[];
  ask(reasoner: Reasoner, items: readonly Item[], time: Time): Promise<DayFindings<Item, Proof>>;
}

/** Asks about things day by day, until they happen to some applicant. */
export class DayByDay<Item, Proof> {
  readonly #kind: Kind<Item, Proof>;
  readonly #happens = new Set<Item>();
  readonly #undecided = new Set<Item>();
  readonly #never = new Map<Item, Proof[]>();

  constructor(kind: Kind<Item, Proof>) {
    this.#kind = kind;
  }

  /** Those that happen to no applicant, as far as is known. */
  openOn(day: string): readonly Item[] {
    return this.#kind.itemsOn(day).filter((item) => !this.#happens.has(item));
  }

  async ask(reasoner: Reasoner, time: Time): Promise<void> {
    const open = this.openOn(reasoner.space.day);
    if (open.length === 0) return;
    const { never, undecided } = await this.#kind.ask(reasoner, open, time);
    for (const [item, proof] of never) this.#never.set(item, [...(this.#never.get(item) ?? []), proof]);
    for (const item of undecided) this.#undecided.add(item);
    for (const item of open) if (!never.has(item) && !undecided.includes(item)) this.#happens.add(item);
  }

  /** Says that there was no time for a day. */
  leaveOpen(day: string): void {
    for (const item of this.openOn(day)) this.#undecided.add(item);
  }

  /** Those that happen to no applicant on any of the days, each with what was found on each day. */
  get never(): readonly (readonly [item: Item, proofs: readonly Proof[]])[] {
    return [...this.#never].filter(([item]) => !this.#happens.has(item) && !this.#undecided.has(item));
  }

  get undecided(): readonly Item[] {
    return [...this.#undecided].filter((item) => !this.#happens.has(item));
  }
}

/**
 * Ascending: the days on which a rule begins, or a rule or an entry of a list that rules read has ended, and those on
 * which a date that tests name reaches an age that tests ask for. Facts that are compared with each other are taken one
 * by one.
 */
export function daysFrom(day: string, { rules }: Policy): readonly string[] {
  const tests = new Set(rules.flatMap(({ when }) => [...testsOf(when)]));
  const lists = new Set([...tests].flatMap(({ argument }) => (isNamedList(argument) ? argument : [])));
  const ends = [...lists].flatMap(({ entries, blocks }) => [
    ...entries.values(),
    ...(blocks?.all ?? []).map(({ until }) => until),
  ]);
  const lastDays = [...rules.map(({ until }) => until), ...ends].filter((until) => until !== undefined);
  const dates = Map.groupBy(
    [...tests].filter(({ type }) => type === 'date'),
    ({ fact }) => fact,
  );
  const changes = [
    ...rules.flatMap(({ from }) => from ?? []),
    ...[...new Set(lastDays)].map((until) => dayOfNumber(dayNumber(until) + 1)),
    ...[...dates.values()].flatMap(daysOfAges),
  ];
  return [day, ...[...new Set(changes)].filter((each) => isDay(each) && each > day).sort()];
}

/** The days from which dates that tests of a fact name have an age that these tests ask for, or are tomorrow. */
function daysOfAges(tests: readonly Test[]): readonly string[] {
  const named = tests.flatMap(({ argument }) => [argument].flat().filter((each) => isDay(String(each))));
  const ages = tests.flatMap(({ argument }) => (typeof argument === 'number' ? argument : []));
  const years = tests.flatMap(({ operator, argument }) =>
    operator === 'yearsSince' ? (argument as readonly YearsTest[]).flatMap(yearsOf) : [],
  );
  // A test cuts before or behind a date, and so does one of its age.
  const from = (number: number) => [0, 1, 2].map((more) => dayOfNumber(number + more));
  return [...new Set(named.map(String))].flatMap((date) => [
    ...[-1, ...ages].flatMap((age) => from(dayNumber(date) + age)),
    ...years.flatMap((each) => from(lastDayWithYears(-each, date))),
  ]);
}

/** The numbers of years that a test names, as whole ones on both sides. */
function yearsOf({ argument }: YearsTest): readonly number[] {
  return [argument].flat().flatMap((each) => [Math.floor(Number(each)), Math.floor(Number(each)) + 1]);
}

/** The codes of warnings that a rule does nothing. */
export const INEFFECTIVE_CODES: readonly DiagnosticCode[] = [
  'never-true',
  'never-fires',
  'never-matters',
  'same-condition',
  'covered',
  'never-decides',
  'accept-no-effect',
];

/** A warning that a comment silences counts too. */
export function wasReported(at: Span | undefined, codes: readonly DiagnosticCode[]): boolean {
  if (!at) return false;
  const { source, start, end } = at;
  const [first, last] = [source.lineAt(start), source.lineAt(end)];
  const found = [...source.diagnostics, ...allowancesOf(source.diagnostics).silenced];
  return found.some(({ file, code, position }) => {
    const isThere = position !== undefined && position.line >= first && position.line <= last;
    return isThere && file === source.file && codes.includes(code);
  });
}
