/** Applicants of the past and the edits of a policy -> what each edit does by itself, and what is left without it. */

import { matcherOf } from '../../decision/matcher/matcher.ts';
import { OUTCOMES, type Outcome, type Policy, strictness } from '../../policy/language.ts';
import type { ApplicantRows } from '../backtest/applicant-rows.ts';
import { BY_SEVERITY, type Flow } from '../backtest/applicants.ts';
import { type DecidedRows, daysIn } from '../backtest/backtest.ts';
import { type JointFacts, joinAll } from '../backtest/joint-facts.ts';
import { type SingleEdit, singleEdits } from '../diff/edits/single-edits.ts';
import { MOST_EDITS_COUNTED } from '../limits.ts';
import {
  byPath,
  OLD_NAME,
  type OwnName,
  ownCounts,
  WORDED_NAME,
  withOwnComputations,
} from '../space/own-computations.ts';

/** Whose outcome a policy changes, compared with the old one. */
export interface Effect {
  readonly changed: number;
  /** The changes that occur, the worst first. */
  readonly flows: readonly Omit<Flow, 'share'>[];
}

/** What one edit does. */
export interface EditEffect extends Pick<SingleEdit, 'kind' | 'name' | 'texts'> {
  /** The old policy with this edit; absent if it cannot be read. */
  readonly alone?: Effect;
  /** What is left when it is taken back: the new policy without this edit; absent if it cannot be read. */
  readonly left?: Effect;
  /** Those who change and whom this edit alone gives their new outcome, as no other edit does. */
  readonly only: number;
  /** Those whom this edit alone changes, and all edits together do not. */
  readonly notInWhole: number;
}

/** What the edits do, all together; `changed` is the sum of each `only`, of `severalAlone` and of `togetherOnly`. */
export interface EditEffects extends Effect {
  /** Those that change most alone first. */
  readonly edits: readonly EditEffect[];
  /** Those who get their new outcome by several edits, each alone. */
  readonly severalAlone: number;
  /** Those who get it by no edit alone. */
  readonly togetherOnly: number;
}

/** Counts edits beside a backtest of two policies. */
export interface EditCount {
  /** Of the two policies, and of all between them. */
  readonly joint: JointFacts;
  /** Takes the rows of the backtest, as its `onRows`. */
  addRows(rows: ApplicantRows, decided: DecidedRows): void;
  result(): EditEffects;
}

/**
 * Gives nothing without edits that can change a decision, and for more edits than people read one by one. `inForce`
 * gives a policy as both policies are taken. Throws as `joinFacts` does.
 */
export function countEdits(
  policies: readonly [old: Policy, now: Policy],
  inForce: (policy: Policy) => Policy = (policy) => policy,
): EditCount | undefined {
  const edits = singleEdits(...policies);
  if (edits.length === 0 || edits.length > MOST_EDITS_COUNTED) return undefined;
  const asked = edits.flatMap((edit) => [edit.alone(), edit.without()]).map((policy) => policy && inForce(policy));
  const [old, now] = [inForce(policies[0]), inForce(policies[1])];
  const present = asked.filter((policy) => policy !== undefined);
  const { policies: asking, ...joined } = joinAll([old, ...present, now], nameOfOwn(old, now));
  const joint: JointFacts = { ...joined, policies: [asking[0] ?? old, now] };
  const variants = asked.map((policy) => {
    const at = policy ? present.indexOf(policy) : -1;
    return policy && variantOf(policy, asking[at + 1] ?? policy, joint.timeZone);
  });
  const tallies = edits.map((edit, i) => new EditTally(edit, variants[2 * i], variants[2 * i + 1]));
  const whole = new Flows();
  let [severalAlone, togetherOnly] = [0, 0];
  return {
    joint,
    addRows(rows, { from, to }) {
      for (const tally of tallies) tally.decide(rows);
      for (let row = 0; row < rows.rows; row++) {
        const [was, is] = [from[row], to[row]];
        if (was === undefined || is === undefined) continue;
        const doing = tallies.filter((tally) => tally.add(row, was, is));
        whole.add(was, is);
        if (was === is) continue;
        const [one] = doing;
        if (!one) togetherOnly += 1;
        else if (doing.length > 1) severalAlone += 1;
        else one.only += 1;
      }
    },
    result() {
      const effects = tallies.map((tally) => tally.result());
      effects.sort((one, other) => (other.alone?.changed ?? 0) - (one.alone?.changed ?? 0));
      return { ...whole.result(), edits: effects, severalAlone, togetherOnly };
    },
  };
}

/** What the old policy computes or counts otherwise has the same name as in a comparison of the two alone. */
function nameOfOwn(old: Policy, now: Policy): OwnName {
  const named = withOwnComputations(old, now, OLD_NAME).facts;
  return (path, definition) => {
    const [ofOld, worded] = [OLD_NAME(path, definition), WORDED_NAME(path, definition)];
    const own = named.get(ofOld);
    return own && WORDED_NAME(path, own) === worded ? ofOld : worded;
  };
}

/** Gives the outcomes of rows, as `BatchResult` has them. */
type Variant = (rows: ApplicantRows) => Uint8Array;

function variantOf(policy: Policy, asking: Policy, timeZone: string): Variant {
  const { decideRows } = matcherOf(policy);
  const counts = ownCounts(policy, asking);
  return (rows) => {
    const columns = byPath(rows.columns, counts);
    return decideRows({ rows: rows.rows, columns }, daysIn(rows, policy.timeZone, timeZone)).outcomes;
  };
}

/** What one edit does so far. */
class EditTally {
  readonly #edit: SingleEdit;
  readonly #alone: VariantTally | undefined;
  readonly #without: VariantTally | undefined;
  #notInWhole = 0;
  only = 0;

  constructor(edit: SingleEdit, alone: Variant | undefined, without: Variant | undefined) {
    this.#edit = edit;
    this.#alone = alone && new VariantTally(alone);
    this.#without = without && new VariantTally(without);
  }

  /** Decides the rows that are added next. */
  decide(rows: ApplicantRows): void {
    this.#alone?.decide(rows);
    this.#without?.decide(rows);
  }

  /** Whether the edit alone gives a row the outcome that it has now. */
  add(row: number, from: Outcome, to: Outcome): boolean {
    this.#without?.add(row, from);
    const alone = this.#alone?.add(row, from);
    if (alone !== undefined && alone !== from && from === to) this.#notInWhole += 1;
    return alone === to;
  }

  result(): EditEffect {
    const { kind, name, texts } = this.#edit;
    const [alone, left] = [this.#alone?.result(), this.#without?.result()];
    return {
      ...{ kind, name, texts },
      ...(alone ? { alone } : {}),
      ...(left ? { left } : {}),
      ...{ only: this.only, notInWhole: this.#notInWhole },
    };
  }
}

/** The flows from the outcomes of the old policy to those of a variant. */
class VariantTally {
  readonly #variant: Variant;
  #outcomes: Uint8Array = new Uint8Array();
  readonly #flows = new Flows();

  constructor(variant: Variant) {
    this.#variant = variant;
  }

  decide(rows: ApplicantRows): void {
    this.#outcomes = this.#variant(rows);
  }

  add(row: number, from: Outcome): Outcome {
    const to = OUTCOMES[this.#outcomes[row] as number] as Outcome;
    this.#flows.add(from, to);
    return to;
  }

  result(): Effect {
    return this.#flows.result();
  }
}

/** Counts applicants by two outcomes. */
class Flows {
  /** By three times the strictness of the one plus that of the other. */
  readonly #counts = new Float64Array(OUTCOMES.length ** 2);

  add(from: Outcome, to: Outcome): void {
    const at = OUTCOMES.length * strictness(from) + strictness(to);
    this.#counts[at] = (this.#counts[at] as number) + 1;
  }

  result(): Effect {
    const flows = BY_SEVERITY.flatMap(([from, to]) => {
      const applicants = this.#counts[OUTCOMES.length * strictness(from) + strictness(to)] as number;
      return applicants > 0 ? [{ from, to, applicants }] : [];
    });
    return { changed: flows.reduce((sum, { applicants }) => sum + applicants, 0), flows };
  }
}
