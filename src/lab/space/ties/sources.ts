/** Variables -> what their states say of texts: parts that a text has, and whether two texts are the same. */

import type { Fact } from '../../../facts/fact.ts';
import type { Geodata } from '../../../platform/formats/geo/geodata.ts';
import {
  type Alternatives,
  alternativesIn,
  compareTexts,
  DERIVED_TEXTS,
  deriveForm,
  inputsOf,
  liesIn,
} from '../../../policy/cells/derivations.ts';
import type { TextForm } from '../../../policy/cells/text-forms.ts';
import type { Relation, StateSet, Variable } from '../variable.ts';
import type { Tied } from './state-sets.ts';

/** A variable about a text, and what each of its states says: all of it holds together. */
export interface Source extends Tied {
  forms(state: number): readonly Alternatives[];
}

/** A variable that tells whether two values are the same: the states in which they can be, and can differ. */
export interface Comparison extends Tied {
  readonly facts: readonly string[];
  readonly same: StateSet;
  readonly different: StateSet;
}

/** The variables of a space, by what they say of texts. */
export class Sources {
  /** One fact against another. */
  readonly pairs: readonly Comparison[];
  readonly #variables: readonly Variable[];
  readonly #geodata: Geodata;
  readonly #byPath: ReadonlyMap<string, readonly Source[]>;

  constructor(variables: readonly Variable[], geodata: Geodata) {
    this.#variables = variables;
    this.#geodata = geodata;
    const single = [...variables.entries()].filter(([, { axes }]) => axes.every(({ other }) => other === undefined));
    const byPath = Map.groupBy(single, ([, { path }]) => path);
    this.#byPath = new Map([...byPath].map(([path, own]) => [path, own.map(([i, variable]) => sourceOf(i, variable))]));
    this.pairs = variables.flatMap((variable, i) => this.#pair(variable, i));
  }

  paths(): Iterable<string> {
    return this.#byPath.keys();
  }

  /** The variables of a fact alone. */
  of(path: string): readonly Source[] {
    return this.#byPath.get(path) ?? [];
  }

  /** The variables of the text that a text is derived from, as they describe the derived text. */
  inputOf(fact: string): readonly Source[] {
    const [input] = DERIVED_TEXTS.includes(fact) ? inputsOf(fact) : [];
    if (input === undefined) return [];
    const derive = (form: TextForm) => deriveForm(fact, form, this.#geodata);
    return this.of(input).map(({ variable, forms }) => ({
      variable,
      forms: once((state) => forms(state).map((each) => each.map(derive))),
    }));
  }

  /** A derived fact that compares two texts. */
  comparisons(fact: string): readonly Comparison[] {
    return this.of(fact).map(({ variable }) => {
      const statesFor = (isSame: boolean) => {
        const derived = compareTexts(fact, isSame, this.#geodata);
        return this.statesWhere(variable, (state) => derived === undefined || this.canBe(variable, state, derived));
      };
      return { variable, facts: inputsOf(fact), same: statesFor(true), different: statesFor(false) };
    });
  }

  /** Whether a variable can have a value of its fact in a state. */
  canBe(variable: number, state: number, fact: Fact): boolean {
    const { axes = [], cells = [] } = this.#variables[variable] ?? {};
    return axes.every((axis, a) => liesIn(axis, fact, (cell) => cells[a]?.[state]?.includes(cell) === true));
  }

  /** The states other than the missing one for which something holds. */
  statesWhere(variable: number, holds: (state: number) => boolean): StateSet {
    return this.#variables[variable]?.states.map(({ isMissing }, state) => !isMissing && holds(state)) ?? [];
  }

  #pair({ axes: [axis], relations }: Variable, variable: number): readonly Comparison[] {
    // A fact is always the same as itself: that says nothing of it.
    if (axis?.other === undefined || axis.other === axis.fact || !relations) return [];
    const statesWith = (isWanted: (relation: Relation) => boolean) =>
      this.statesWhere(variable, (state) => [...(relations[state] ?? [])].some(isWanted));
    const same = statesWith((relation) => relation === 'same');
    const different = statesWith((relation) => relation !== 'same');
    return [{ variable, facts: [axis.fact, axis.other], same, different }];
  }
}

function sourceOf(variable: number, { axes, cells }: Variable): Source {
  const forms = (state: number) => axes.map((axis, a) => alternativesIn(axis, cells[a]?.[state] ?? []));
  return { variable, forms: once((state) => forms(state).filter((each) => each !== undefined)) };
}

/** Asks once for each state. */
function once<Value>(find: (state: number) => Value): (state: number) => Value {
  const values = new Map<number, Value>();
  return (state) => {
    const value = values.get(state) ?? find(state);
    values.set(state, value);
    return value;
  };
}
