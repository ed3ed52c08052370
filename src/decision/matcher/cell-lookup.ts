/** An axis and a fact -> the cell of the fact, by search, or by a lookup that is built once. */

import { type FactDefinition, LEVELS } from '../../facts/catalog.ts';
import { completedYears, dayNumber } from '../../facts/day.ts';
import { type Fact, type Facts, type FactValue, isMissing } from '../../facts/fact.ts';
import type { Axis } from '../../policy/cells/cells.ts';
import { type Steps, stepOf } from '../../policy/cells/segments.ts';
import type { NamedCells } from '../../policy/cells/value-axis.ts';
import type { Condition } from '../../policy/language.ts';
import { evaluate, factAt, TRUE, type Truth, UNKNOWN } from '../meaning/truth.ts';
import {
  type EncodedFacts,
  type Encoder,
  encoderOf,
  isText,
  MISSING_NUMBER,
  NEVER_NUMBER,
  numberOf,
  slotsOf,
  textOf,
} from './encoded-facts.ts';
import { type BitAxis, DIRECT_CELLS, type Program } from './program.ts';

/** The cell of a missing fact, on every axis. */
export const MISSING_CELL = 0;

/** Finds the cell in which facts lie on a day. */
type Finder = (facts: Facts, day: string) => number;

/** Creates the finder of an axis or a condition. */
function finderOf(source: Axis | Condition): Finder {
  if ('kind' in source) return (facts, day) => cellOfTruth(evaluate(source, facts, day));
  const { fact, other } = source;
  if (other !== undefined) return (facts, day) => findCell(source, factAt(facts, fact), factAt(facts, other), day);
  return (facts, day) => {
    const value = facts.get(fact);
    return value === undefined || isMissing(value) ? MISSING_CELL : findCell(source, value, undefined, day);
  };
}

/**
 * The cell of a fact, or of a pair of facts. If the evaluation of a test fails, its truth is unknown, as for a
 * missing fact; such a test has an axis of its own. INVARIANT: facts come from `readFacts`, so every other
 * value has a cell.
 */
export function findCell(axis: Axis, fact: Fact, other: Fact | undefined, day: string): number {
  try {
    return axis.find(fact, other, day) ?? MISSING_CELL;
  } catch {
    return MISSING_CELL;
  }
}

/** The cell of a condition's truth. */
export function cellOfTruth(truth: Truth): number {
  if (truth === TRUE) return DIRECT_CELLS.true;
  return truth === UNKNOWN ? DIRECT_CELLS.unknown : DIRECT_CELLS.false;
}

/** The cell of facts on an axis, among the cells of all axes. `encoded` are the same facts by the policy's table. */
type CellLookup = (axis: number, facts: Facts, encoded: EncodedFacts | undefined, day: string) => number;

/** How the cell of an axis is found. INVARIANT: the kinds below TEXT take the number of a fact. */
const NUMBER = 0;
const AGE = 1;
const YEARS = 2;
const CODE = 3;
const TEXT = 4;
const SEARCH = 5;

interface Plan {
  readonly kind: typeof NUMBER | typeof AGE | typeof YEARS | typeof CODE | typeof TEXT | typeof SEARCH;
  readonly path: string;
  /** The index of the fact among encoded numbers or texts. */
  readonly slot: number;
  readonly encode: Encoder;
  /** The cells of a missing fact, of a date that never happened, and of the first value. */
  readonly missing: number;
  readonly never: number;
  readonly first: number;
  readonly steps: Steps;
  /** The cells by the encoded value, and by text. */
  readonly byCode: Int32Array;
  readonly byText: ReadonlyMap<FactValue, number>;
  readonly otherTexts: number;
  readonly find: Finder;
}

/** Creates the look-up of a program. */
export function createCellLookup({ axes, policy }: Program): CellLookup {
  const slots = slotsOf(policy.facts);
  const plans = axes.map((axis) => planOf(axis, policy.facts, slots));
  let lastDay = '';
  let today = 0;

  const ofNumber = (plan: Plan, number: number, day: string): number => {
    // A missing code is NaN.
    if (plan.kind === CODE) return number >= 0 ? (plan.byCode[number] as number) : plan.missing;
    if (number === NEVER_NUMBER) return plan.never;
    if (plan.kind === NUMBER) return cellAmong(plan, number);
    if (day !== lastDay) {
      today = dayNumber(day);
      lastDay = day;
    }
    return cellAmong(plan, plan.kind === AGE ? today - number : completedYears(number, today));
  };
  const ofOther = (plan: Plan, facts: Facts, encoded: EncodedFacts | undefined, day: string): number => {
    const { kind, slot, path, missing } = plan;
    if (kind === SEARCH) return missing + plan.find(facts, day);
    if (kind !== TEXT) return ofNumber(plan, numberOf(facts.get(path), plan.encode), day);
    const text = encoded ? encoded.texts[slot] : textOf(facts.get(path));
    return text === undefined ? missing : (plan.byText.get(text) ?? plan.otherTexts);
  };

  // The code path of most facts is short, so that the JIT inlines it into the scan.
  return (axis, facts, encoded, day) => {
    const plan = plans[axis] as Plan;
    if (encoded !== undefined && plan.kind < TEXT) return ofNumber(plan, encoded.numbers[plan.slot] as number, day);
    return ofOther(plan, facts, encoded, day);
  };
}

/** The cell of the segment that contains a number; the cell of a missing fact if none does. */
function cellAmong({ steps, first, missing }: Plan, number: number): number {
  const step = stepOf(steps, number);
  return step < 0 ? missing : first + step;
}

function planOf(
  { source, firstCell }: BitAxis,
  table: Program['policy']['facts'],
  slots: ReadonlyMap<string, number>,
): Plan {
  const none: Plan = {
    kind: SEARCH,
    path: '',
    slot: -1,
    encode: () => MISSING_NUMBER,
    missing: firstCell,
    never: firstCell + 1,
    first: firstCell,
    steps: { firsts: new Float64Array(0), most: 0, isWhole: false },
    byCode: new Int32Array(0),
    byText: new Map(),
    otherTexts: firstCell,
    find: () => 0,
  };
  const definition = 'kind' in source || source.other !== undefined ? undefined : table.get(source.fact);
  if ('kind' in source || !definition || !(source.numbers || source.named)) return { ...none, find: finderOf(source) };
  const { fact: path, numbers, named, firstValue } = source;
  const plan = {
    ...none,
    path,
    slot: slots.get(path) ?? -1,
    encode: encoderOf(definition),
    first: firstCell + firstValue,
  };
  if (numbers && numbers.unit !== 'level') {
    return { ...plan, kind: KINDS_OF_NUMBERS[numbers.unit], steps: numbers.steps };
  }
  const cellOfNamed = ({ cells, others }: NamedCells, value: FactValue) => {
    const cell = cells.get(value) ?? others;
    return cell === undefined ? firstCell : plan.first + cell;
  };
  if (named && isText(definition)) {
    const byText = new Map([...named.cells].map(([value, cell]) => [value, plan.first + cell]));
    return {
      ...plan,
      kind: TEXT,
      byText,
      otherTexts: named.others === undefined ? firstCell : plan.first + named.others,
    };
  }
  const byCode = valuesOf(definition).map((value) =>
    named ? cellOfNamed(named, value) : firstCell + cellOfLevel(source, value),
  );
  return { ...plan, kind: CODE, byCode: Int32Array.from(byCode) };
}

const KINDS_OF_NUMBERS = { number: NUMBER, day: NUMBER, age: AGE, years: YEARS } as const;

/** The values of a fact, in the order of their encoding. */
function valuesOf({ type, values = [] }: FactDefinition): readonly FactValue[] {
  if (type === 'boolean') return [false, true];
  return type === 'level' ? LEVELS : values;
}

/** The cell of a level, which does not depend on the day. */
function cellOfLevel(axis: Axis, value: FactValue): number {
  return axis.find({ value }, undefined, '2000-01-01') ?? 0;
}
