/** A space -> formulas: which states lie together, when a rule fires or may fire, and what each policy decides. */

import { asksWhenUnknown, type Condition, type Outcome, type Rule, type ScoreBands } from '../../policy/language.ts';
import type { Side, Space } from '../space/space.ts';
import type { Box } from '../space/truths.ts';
import type { StateSet } from '../space/variable.ts';

/** When a condition is true, and when it is true or unknown. */
export interface TruthFormulas {
  readonly certain: string;
  readonly possible: string;
}

export const TRUE = 'true';
export const FALSE = 'false';

export function and(parts: readonly string[]): string {
  const needed = parts.filter((part) => part !== TRUE);
  if (needed.includes(FALSE)) return FALSE;
  return needed.length > 1 ? `(and ${needed.join(' ')})` : (needed[0] ?? TRUE);
}

export function or(parts: readonly string[]): string {
  const needed = parts.filter((part) => part !== FALSE);
  if (needed.includes(TRUE)) return TRUE;
  return needed.length > 1 ? `(or ${needed.join(' ')})` : (needed[0] ?? FALSE);
}

export function not(part: string): string {
  if (part === TRUE) return FALSE;
  return part === FALSE ? TRUE : `(not ${part})`;
}

/** Whether the sum of the weights of the formulas that hold is at least this; all are whole numbers. */
export function sumAtLeast(least: number, terms: readonly (readonly [weight: number, formula: string])[]): string {
  // A negative weight counts where its formula does not hold, from a lower start.
  const counted = terms.filter(([weight, formula]) => weight !== 0 && formula !== FALSE);
  const start = counted.reduce((sum, [weight]) => sum + Math.min(weight, 0), 0);
  const needed = least - start;
  const most = counted.reduce((sum, [weight]) => sum + Math.abs(weight), 0);
  if (needed <= 0) return TRUE;
  if (needed > most) return FALSE;
  const weights = counted.map(([weight]) => Math.abs(weight)).join(' ');
  const formulas = counted.map(([weight, formula]) => (weight < 0 ? not(formula) : formula)).join(' ');
  return `((_ pbge ${needed} ${weights}) ${formulas})`;
}

/** The formulas of a space. The definitions that they use are collected until `takeDefinitions`. */
export class Encoding {
  readonly #space: Space;
  readonly #byCondition = new Map<Condition, TruthFormulas>();
  readonly #definitions: string[] = [];
  #names = 0;

  constructor(space: Space) {
    this.#space = space;
    for (const [variable, { states }] of space.variables.entries()) {
      for (let at = 1; at < states.length; at++) this.#definitions.push(`(declare-const ${bound(variable, at)} Bool)`);
      for (let at = 2; at < states.length; at++)
        this.#definitions.push(`(assert (=> ${bound(variable, at)} ${bound(variable, at - 1)}))`);
    }
    for (const tie of space.ties) {
      this.#definitions.push(`(assert ${not(and(tie.map(([variable, states]) => this.isIn(variable, states))))})`);
    }
  }

  /** The declarations and definitions since this was last asked, as text. */
  takeDefinitions(): string {
    return this.#definitions.splice(0).join('\n');
  }

  /** Whether the state of a variable is one of a set: by the runs of adjacent states. */
  isIn(variable: number, states: StateSet): string {
    const runs: string[] = [];
    for (let from = 0; from < states.length; from++) {
      if (!states[from]) continue;
      let to = from;
      while (states[to + 1]) to += 1;
      const starts = from === 0 ? TRUE : bound(variable, from);
      const ends = to === states.length - 1 ? TRUE : not(bound(variable, to + 1));
      runs.push(and([starts, ends]));
      from = to;
    }
    return or(runs);
  }

  /** Whether all variables are in their states of a box. */
  isInBox(box: Box): string {
    return and(box.map((states, variable) => (states.every(Boolean) ? TRUE : this.isIn(variable, states))));
  }

  /** The state of each variable, given the constants that are true. */
  statesIn(isTrue: (constant: string) => boolean): number[] {
    return this.#space.variables.map(({ states }, variable) => {
      let at = 0;
      while (at + 1 < states.length && isTrue(bound(variable, at + 1))) at += 1;
      return at;
    });
  }

  /** When a condition is true, and when it is true or unknown. */
  truth(condition: Condition): TruthFormulas {
    let truth = this.#byCondition.get(condition);
    if (!truth) {
      truth = this.#encode(condition);
      this.#byCondition.set(condition, truth);
    }
    return truth;
  }

  /** A name for a formula, so that its text stands once. */
  define(formula: string): string {
    if (!formula.startsWith('(')) return formula;
    const name = `d${this.#names++}`;
    this.#definitions.push(`(define-fun ${name} () Bool ${formula})`);
    return name;
  }

  #encode(condition: Condition): TruthFormulas {
    if (condition.kind === 'test') {
      const { variable, isTrue, isUnknown } = this.#space.statesOf(condition);
      const possible = isTrue.map((each, i) => each || isUnknown[i] === true);
      return { certain: this.isIn(variable, isTrue), possible: this.isIn(variable, possible) };
    }
    const parts = condition.of.map((part) => this.truth(part));
    const [first] = parts as [TruthFormulas];
    const both = (join: (formulas: readonly string[]) => string): TruthFormulas => ({
      certain: this.define(join(parts.map(({ certain }) => certain))),
      possible: this.define(join(parts.map(({ possible }) => possible))),
    });
    switch (condition.kind) {
      case 'named':
        return first;
      case 'not':
        return { certain: not(first.possible), possible: not(first.certain) };
      case 'all':
        return both(and);
      case 'any':
        return both(or);
      case 'atLeastOf':
        return both((formulas) =>
          sumAtLeast(
            condition.count,
            formulas.map((formula) => [1, formula]),
          ),
        );
    }
  }
}

/** The constant that says that the state of a variable is at least this one. */
function bound(variable: number, state: number): string {
  return `v${variable}_${state}`;
}

/** What some rules ask for, as formulas. */
export interface Asked {
  /** A final rule with this `then` fired; one that asks for review is undetermined. */
  readonly finalFired: Readonly<Record<Outcome, string>>;
  readonly finalOpen: Readonly<Record<Outcome, string>>;
  /** A rule with this `then` fired. */
  readonly fired: Readonly<Record<Outcome, string>>;
  /** A rule that asks for review is undetermined. */
  readonly open: string;
  /** The points of the lower and of the upper end of the score. */
  readonly least: readonly (readonly [number, string])[];
  readonly most: readonly (readonly [number, string])[];
}

/** What rules ask for. */
export function asked(rules: readonly Rule[], encoding: Encoding): Asked {
  const truths = rules.map((rule) => ({ rule, ...encoding.truth(rule.when) }));
  const isOpen = ({ certain, possible }: TruthFormulas) => and([possible, not(certain)]);
  const byThen = (
    is: (each: (typeof truths)[number], then: Outcome) => boolean,
    formula: (each: TruthFormulas) => string,
  ) => {
    const of = (then: Outcome) => encoding.define(or(truths.filter((each) => is(each, then)).map(formula)));
    return { accept: of('accept'), review: of('review'), reject: of('reject') };
  };
  const asks = (rule: Rule) => asksWhenUnknown(rule) !== null;
  const points = (end: 'least' | 'most') =>
    truths.flatMap(({ rule, certain, possible }): [number, string][] => {
      const { points: own = 0, whenUnknown } = rule;
      if (own === 0) return [];
      const widens = whenUnknown !== 'ignore' && own < 0 === (end === 'least');
      return [[own, widens ? possible : certain]];
    });
  return {
    finalFired: byThen(
      ({ rule }, then) => rule.final && rule.then === then,
      ({ certain }) => certain,
    ),
    finalOpen: byThen(({ rule }, then) => rule.final && rule.then === then && asks(rule), isOpen),
    fired: byThen(
      ({ rule }, then) => rule.then === then,
      ({ certain }) => certain,
    ),
    open: encoding.define(or(truths.filter(({ rule }) => asks(rule)).map(isOpen))),
    least: points('least'),
    most: points('most'),
  };
}

/** When a policy decides each outcome. Its counterpart for one applicant is `OutcomeTally`. */
export function outcomeFormulas(side: Side, encoding: Encoding): Readonly<Record<Outcome, string>> {
  const { default: fallback, score } = side.policy;
  const { finalFired, finalOpen, fired, open, least, most } = asked(side.rules, encoding);
  const isAlone = or([finalFired.accept, finalFired.review, finalFired.reject]);
  const reaches = (band: keyof ScoreBands, terms: Asked['least']) => {
    const limit = score[band];
    return limit === undefined ? FALSE : encoding.define(sumAtLeast(limit, terms));
  };
  const rejects = or([fired.reject, reaches('reject', least)]);
  const reviews = or([fired.review, reaches('review', least)]);
  const isDefault = not(or([rejects, reviews, fired.accept]));
  const together = {
    reject: or([rejects, fallback === 'reject' ? isDefault : FALSE]),
    // A band that only the upper end reaches asks for review.
    strict: or([
      rejects,
      reviews,
      open,
      reaches('review', most),
      reaches('reject', most),
      fallback === 'accept' ? FALSE : isDefault,
    ]),
  };
  const reject = encoding.define(or([finalFired.reject, and([not(isAlone), together.reject])]));
  const alone = or([finalFired.reject, finalFired.review, finalOpen.reject, finalOpen.review]);
  const strict = encoding.define(or([and([isAlone, alone]), and([not(isAlone), together.strict])]));
  return { accept: not(strict), review: and([strict, not(reject)]), reject };
}
