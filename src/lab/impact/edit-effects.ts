/** Applicants of the past and the edits of a policy -> what each edit does by itself, and what is left without it. */

import type { Outcome, Policy } from '../../policy/language.ts';
import type { ApplicantRows } from '../backtest/applicant-rows.ts';
import { applicantsIn, type ChangeCount, type OutcomeChange } from '../backtest/applicants.ts';
import { type DecidedRows, outcomesBefore, type Sides, sidesOf } from '../backtest/backtest.ts';
import { type JointFacts, joinAll } from '../backtest/joint-facts.ts';
import { type Costs, type Judged, type LabelCounts, LabelTally, type Range } from '../backtest/label-counts.ts';
import { OutcomePairs } from '../backtest/outcome-counts.ts';
import { type SingleEdit, singleEdits } from '../diff/edits/single-edits.ts';
import { MOST_EDITS_COUNTED } from '../limits.ts';
import { OLD_NAME, type OwnName, WORDED_NAME, withOwnComputations } from '../space/own-computations.ts';

/** Whose outcome a policy changes, compared with the old one. */
export interface Effect {
  readonly changed: number;
  /** The changes that occur, the worst first. */
  readonly flows: readonly ChangeCount[];
  /** How many more frauds are not accepted, how many more good applicants are rejected, and what more it costs. */
  readonly more?: LabelCounts['more'] & { readonly cost?: Range };
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
export type EditCount = NonNullable<ReturnType<typeof countEdits>>;

/**
 * Gives nothing without edits that can change a decision, and for more edits than people read one by one. `inForce`
 * gives a policy as both policies are taken; `costs` are those of mistakes, with labels. Throws as `joinFacts` does.
 */
export function countEdits(
  policies: readonly [old: Policy, now: Policy],
  { inForce = (policy) => policy, costs }: { inForce?: (policy: Policy) => Policy; costs?: Costs | undefined } = {},
) {
  const edits = singleEdits(...policies);
  if (edits.length === 0 || edits.length > MOST_EDITS_COUNTED) return undefined;
  const [old, now] = [inForce(policies[0]), inForce(policies[1])];
  const inEffect = (policy: Policy | undefined) => (policy ? [inForce(policy)] : []);
  const variants = edits.map((edit) => ({ edit, alone: inEffect(edit.alone()), without: inEffect(edit.without()) }));
  const all = [old, ...variants.flatMap(({ alone, without }) => [...alone, ...without]), now];
  const { policies: asking, ...joined } = joinAll(all, nameOfOwn(old, now));
  const joint: JointFacts = { ...joined, policies: [asking[0] ?? old, now] };
  const tallyOf = ([policy]: readonly Policy[]) => {
    if (!policy) return undefined;
    const own = asking[all.indexOf(policy)] ?? policy;
    return new PolicyTally(sidesOf([policy, now], { ...joint, policies: [own, now] }), costs);
  };
  const tallies = variants.map(({ edit, alone, without }) => new EditTally(edit, tallyOf(alone), tallyOf(without)));
  const whole = new EffectTally(costs);
  let [severalAlone, togetherOnly] = [0, 0];
  return {
    /** Of the two policies, and of all between them. */
    joint,
    /** Takes the rows of the backtest, as its `onRows`. */
    addRows(rows: ApplicantRows, { from, to, judged }: DecidedRows) {
      for (const each of tallies) each.scan(rows);
      for (let row = 0; row < rows.rows; row++) {
        const [was, is] = [from[row], to[row]];
        if (was === undefined || is === undefined) continue;
        const known = judged?.(row);
        const doing = tallies.filter((tally) => tally.add(row, { from: was, to: is }, known));
        whole.add({ from: was, to: is }, known);
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

/** What one edit does so far. */
class EditTally {
  readonly #edit: SingleEdit;
  readonly #alone: PolicyTally | undefined;
  readonly #without: PolicyTally | undefined;
  #notInWhole = 0;
  only = 0;

  constructor(edit: SingleEdit, alone: PolicyTally | undefined, without: PolicyTally | undefined) {
    [this.#edit, this.#alone, this.#without] = [edit, alone, without];
  }

  /** Takes the rows that are added next. */
  scan(rows: ApplicantRows): void {
    this.#alone?.scan(rows);
    this.#without?.scan(rows);
  }

  /** Whether the edit alone gives a row the outcome that it has now. */
  add(row: number, { from, to }: OutcomeChange, known: Judged | undefined): boolean {
    this.#without?.addRow(row, from, known);
    const alone = this.#alone?.addRow(row, from, known);
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

/** Counts applicants by two outcomes and their labels. */
class EffectTally {
  readonly #counts = new OutcomePairs();
  readonly #labels: LabelTally;
  #hasLabels = false;

  constructor(costs: Costs | undefined) {
    this.#labels = new LabelTally(costs);
  }

  add(change: OutcomeChange, known: Judged | undefined): void {
    this.#counts.add(change);
    if (!known) return;
    this.#hasLabels = true;
    this.#labels.add(known.label, change, known.weight);
  }

  result(): Effect {
    const flows = this.#counts.changes();
    const changed = applicantsIn(flows);
    if (!this.#hasLabels) return { changed, flows };
    const { more, money } = this.#labels.result();
    return { changed, flows, more: { ...more, ...(money ? { cost: money.more } : {}) } };
  }
}

/** The effect so far of a policy with one edit more, or less. */
class PolicyTally extends EffectTally {
  readonly #sides: Sides;
  #outcomes: readonly (Outcome | undefined)[] = [];

  /** `sides`: the policy, and the new one, whose days the rows have. */
  constructor(sides: Sides, costs: Costs | undefined) {
    super(costs);
    this.#sides = sides;
  }

  /** Takes the rows that are added next. */
  scan(rows: ApplicantRows): void {
    this.#outcomes = outcomesBefore(rows, this.#sides, () => true);
  }

  /** Gives the outcome of the policy. */
  addRow(row: number, from: Outcome, known: Judged | undefined): Outcome {
    const to = this.#outcomes[row] ?? from;
    this.add({ from, to }, known);
    return to;
  }
}
