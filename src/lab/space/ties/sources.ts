/** Variables -> what their states say of facts, and how they say that two facts compare. */

import type { FactTable } from '../../../facts/catalog.ts';
import type { Fact } from '../../../facts/fact.ts';
import type { Geodata } from '../../../platform/formats/geo/geodata.ts';
import {
  type Alternatives,
  alternativesIn,
  COMPARISONS,
  compareForms,
  compareTexts,
  DERIVED_TEXTS,
  deriveForm,
  inputsOf,
  liesIn,
} from '../../../policy/cells/derivations.ts';
import { ranksOf } from '../../../policy/cells/sample-values.ts';
import { endsOf } from '../../../policy/cells/segments.ts';
import type { TextForm } from '../../../policy/cells/text-forms.ts';
import type { Relation, Variable } from '../variable.ts';
import { always, type Reader, type Tied } from './apart.ts';

/** The numbers from the least to the most, both included. */
export type Range = readonly [least: number, most: number];

/** What is left of a value that has an order: ranges, and for dates whether it may be `never`. */
interface Ordered {
  readonly ranges: readonly Range[];
  readonly canBeNever: boolean;
}

/** What a state says of a value: all of it holds together. */
interface Said {
  /** By axis. */
  readonly ordered: readonly Ordered[];
  readonly texts: readonly Alternatives[];
}

/** How two facts can compare, by the states of a variable about both. */
interface Comparison extends Reader<ReadonlySet<Relation>> {
  readonly facts: readonly string[];
}

/** What is known beside the variables. */
export interface Known {
  /** Ascending: the calendar, if there is one, is the first variable. */
  readonly days: readonly string[];
  /** The facts of all policies. */
  readonly table: FactTable;
  readonly geodata: Geodata;
}

/** The variables of a space, by what they say. */
export class Sources {
  readonly variables: readonly Variable[];
  readonly table: FactTable;
  readonly geodata: Geodata;
  readonly firstDay: string;
  /** The days. What no calendar day is says the same as the first one, so that ties of all days name none. */
  readonly calendar: Reader<string>;
  /** One fact against another. */
  readonly pairs: readonly Comparison[];
  /** Derived facts that compare two texts. */
  readonly derived: readonly Comparison[];
  readonly #byPath: ReadonlyMap<string, readonly Tied[]>;

  constructor(variables: readonly Variable[], { days, table, geodata }: Known) {
    this.variables = variables;
    this.table = table;
    this.geodata = geodata;
    this.firstDay = days[0] as string;
    this.calendar = days.length > 1 ? { variable: 0, says: [this.firstDay, ...days] } : always(this.firstDay);
    const tied = variables.map((each, variable) => ({ ...each, variable }));
    const single = tied.filter(({ axes }) => axes.every(({ other }) => other === undefined));
    this.#byPath = Map.groupBy(single, ({ path }) => path);
    this.pairs = tied.flatMap((each): readonly Comparison[] => {
      const { fact, other } = each.axes[0] ?? {};
      // A fact is always the same as itself: that says nothing of it.
      if (fact === undefined || other === undefined || other === fact) return [];
      return [{ ...this.read(each, ({ relations }, state) => relations?.[state]), facts: [fact, other] }];
    });
    this.derived = COMPARISONS.flatMap((fact) => {
      const relations = (['same', 'different'] as const).map((relation) => {
        return [relation, compareTexts(fact, relation === 'same', geodata)] as const;
      });
      const canBe = (variable: Variable, state: number) =>
        new Set(relations.flatMap(([relation, by]) => (!by || lies(variable, state, by) ? relation : [])));
      return this.of(fact).map((each) => ({ ...this.read(each, canBe), facts: inputsOf(fact) }));
    });
  }

  /** The variables of a fact alone. */
  of(path: string): readonly Tied[] {
    return this.#byPath.get(path) ?? [];
  }

  /** What the known states of a variable say. */
  read<What>({ variable }: Tied, say: (of: Variable, state: number) => What | undefined): Reader<What> {
    const of = this.variables[variable] as Variable;
    return { variable, says: of.states.map(({ isMissing }, state) => (isMissing ? undefined : say(of, state))) };
  }

  numbers(path: string): readonly Reader<readonly Range[]>[] {
    return this.of(path).map((each) => this.read(each, rangesOf));
  }

  /** What is said of a fact alone; of a date, on this day. */
  values(of: Tied, day = this.firstDay): Reader<Said> {
    return this.read(of, (variable, state) => {
      return { ordered: orderedIn(variable, state, day), texts: textsIn(variable, state) };
    });
  }

  /** What is said of a derived text by the variables of the text that it is derived from. */
  inputs(fact: string): readonly Reader<Said>[] {
    const [input] = DERIVED_TEXTS.includes(fact) ? inputsOf(fact) : [];
    return this.of(input ?? '').map((each) =>
      this.read(each, (variable, state) => {
        const derive = (form: TextForm) => deriveForm(fact, form, this.geodata);
        return { ordered: [], texts: textsIn(variable, state).map((forms) => forms.map(derive)) };
      }),
    );
  }
}

/** Whether a variable can have a value of its fact in a state. */
export function lies({ axes, cells }: Variable, state: number, fact: Fact): boolean {
  return axes.every((axis, a) => liesIn(axis, fact, (cell) => cells[a]?.[state]?.includes(cell) === true));
}

/** The numbers in a state of a number; undefined where nothing is known of them. */
export function rangesOf({ axes, cells }: Variable, state: number): readonly Range[] | undefined {
  const [axis] = axes;
  if (axes.length !== 1 || axis?.numbers?.unit !== 'number') return undefined;
  const { firstValue, numbers } = axis;
  const ownCells = cells[0]?.[state]?.filter((cell) => cell >= firstValue) ?? [];
  return ownCells.length === 0 ? undefined : ownCells.map((cell) => endsOf(numbers.steps, cell - firstValue));
}

/** The values in a state, if all axes of the fact are ordered. */
function orderedIn({ axes, cells }: Variable, state: number, day: string): readonly Ordered[] {
  const ordered = axes.flatMap(({ numbers, firstValue }, a): readonly Ordered[] => {
    if (!numbers) return [];
    const { unit, steps } = numbers;
    const ownCells = cells[a]?.[state] ?? [];
    const values = ownCells.filter((cell) => cell >= firstValue);
    const ranges = values.map((cell) => ranksOf(unit, endsOf(steps, cell - firstValue), day));
    return [{ ranges, canBeNever: firstValue === 2 && ownCells.includes(1) }];
  });
  return ordered.length === axes.length ? ordered : [];
}

function textsIn({ axes, cells }: Variable, state: number): readonly Alternatives[] {
  return axes.flatMap((axis, a) => {
    const alternatives = alternativesIn(axis, cells[a]?.[state] ?? []);
    return alternatives ? [alternatives] : [];
  });
}

/** Whether a range of numbers has some that one of these has. */
export function overlapsAny(ranges: readonly Range[]): (own: Range) => boolean {
  return ([least, most]) => ranges.some(([from, to]) => from <= most && to >= least);
}

const NONE: ReadonlySet<Relation> = new Set();
const SAME: ReadonlySet<Relation> = new Set(['same']);
const OTHER: ReadonlySet<Relation> = new Set(['less', 'greater', 'different']);
const ALL = SAME.union(OTHER);

/** How a value of which one state speaks can compare with one of which another does. */
export function relationsBetween(one: Said, other: Said): ReadonlySet<Relation> {
  const { canBeSame, canDiffer } = compareForms(one.texts, other.texts);
  let possible = canBeSame ? (canDiffer ? ALL : SAME) : canDiffer ? OTHER : NONE;
  for (const left of one.ordered) {
    for (const right of other.ordered) possible = possible.intersection(relationsInOrder(left, right));
  }
  return possible;
}

function relationsInOrder(one: Ordered, other: Ordered): Set<Relation> {
  const relations = new Set<Relation>();
  if (one.canBeNever && other.canBeNever) relations.add('same');
  if (one.canBeNever && other.ranges.length > 0) relations.add('different');
  if (other.canBeNever && one.ranges.length > 0) relations.add('different');
  for (const [least, most] of one.ranges) {
    for (const [from, to] of other.ranges) {
      if (least < to) relations.add('less');
      if (most > from) relations.add('greater');
      if (least <= to && from <= most) relations.add('same');
    }
  }
  return relations;
}
