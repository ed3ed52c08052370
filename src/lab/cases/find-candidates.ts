/** The goals that no test reaches -> cases that reach them, found by trying values: no proof, but fast. */

import { FALSE, TRUE, type Truth, UNKNOWN } from '../../decision/meaning/truth.ts';
import type { FactTable } from '../../facts/catalog.ts';
import { factsAmong } from '../../facts/compute.ts';
import { type Fact, type Facts, type FactValue, isMissing } from '../../facts/fact.ts';
import { fillBetween, validValues } from '../../policy/cells/sample-values.ts';
import type { Policy, Rule } from '../../policy/language.ts';
import { DRAWS_A_GOAL, STEPS_A_GOAL } from '../limits.ts';
import { createDraw } from '../question/draw.ts';
import { computingValues } from '../question/find-facts.ts';
import type { Space } from '../space/space.ts';
import type { Steps } from '../steps.ts';
import type { Gap } from '../test/coverage/coverage.ts';
import type { Candidates, Change } from './candidates.ts';

/** What cases are tried with. */
export interface Trial {
  readonly policy: Policy;
  readonly space: Space;
  /** The sets to start from, by name, and no facts at all. */
  readonly bases: readonly (string | undefined)[];
  readonly steps: Steps;
}

/** Tries cases for the goals among `wanted` that no candidate reaches so far. */
export function findCandidates(candidates: Candidates, gaps: readonly Gap[], wanted: readonly number[], trial: Trial) {
  const search = new Search(candidates, trial);
  search.tryPatterns();
  for (const goal of wanted) {
    if (trial.steps.areOver) return;
    trial.steps.spend(STEPS_A_GOAL);
    for (const base of trial.bases) {
      if (candidates.open.has(goal)) search.tryGoal(gaps[goal] as Gap, goal, base);
    }
  }
}

class Search {
  readonly #candidates: Candidates;
  readonly #trial: Trial;
  readonly #draw: ReturnType<typeof createDraw>;
  readonly #swept = new Set<string>();
  readonly #table: FactTable;

  constructor(candidates: Candidates, trial: Trial) {
    this.#candidates = candidates;
    this.#trial = trial;
    this.#table = trial.policy.facts;
    this.#draw = createDraw({ space: trial.space, table: this.#table });
  }

  /** A set as it is, without one of its sources, and without any. */
  tryPatterns(): void {
    const { bases, space } = this.#trial;
    const asked = space.variables.map(({ path }) => path);
    const isOfService = (path: string) => this.#table.get(path)?.origin === 'service';
    const patterns = new Set(asked.filter(isOfService).map((path) => `${path.split('.')[0]}.*`));
    for (const from of bases) {
      this.#candidates.add(this.#change(from, new Map()));
      if (from === undefined) continue;
      for (const pattern of ['*', ...patterns]) {
        this.#candidates.add({ ...this.#change(from, new Map()), missing: [pattern] });
      }
    }
  }

  tryGoal({ item, goal }: Gap, index: number, base: string | undefined): void {
    const { subject } = item;
    if (!subject) {
      this.#tryScore(goal.truth, base, index);
      return;
    }
    const condition = 'when' in subject ? subject.when : subject;
    if (condition.kind === 'test') {
      this.#sweep(condition.fact, base);
      if (condition.other !== undefined) {
        this.#sweep(condition.fact, base, condition.other);
        this.#sweep(condition.other, base, condition.fact);
      }
    }
    // What decides, or gives a notice, fires.
    const { truth = TRUE } = goal;
    const start = this.#factsOf(base);
    for (let tries = 0; tries < DRAWS_A_GOAL && this.#candidates.open.has(index); tries++) {
      const drawn = this.#draw(condition, start, truth);
      if (drawn) this.#candidates.addNeeded(this.#change(base, this.#changesOf(drawn, start)), index);
    }
  }

  #change(from: string | undefined, facts: Facts): Change {
    return { at: this.#trial.space.day, from, missing: [], facts };
  }

  #factsOf(base: string | undefined): Map<string, Fact> {
    return this.#candidates.factsOf(this.#change(base, new Map()));
  }

  /** Tries each value of a fact that tests tell apart, or of those that it is computed from. */
  #sweep(path: string, base: string | undefined, against?: string): void {
    const key = JSON.stringify([path, base, against]);
    if (this.#swept.has(key)) return;
    this.#swept.add(key);
    const start = this.#factsOf(base);
    const isKnown = (input: string) => !isMissing(start.get(input) ?? MISSING);
    const definition = this.#table.get(path);
    if (!definition) return;
    const { compute, origin, inputs = [] } = definition;
    if (compute) {
      const beside = { table: this.#table, facts: start };
      for (const operand of factsAmong(compute.operands)) {
        const given = this.#table.get(operand);
        const values = given && !given.compute ? computingValues(operand, given, this.#trial.space, beside) : [];
        this.#tryValues(operand, values, base);
      }
      // What is derived follows from its inputs, which are drawn.
    } else if (origin !== 'derived' || !inputs.every(isKnown)) {
      const other = against === undefined ? MISSING : (start.get(against) ?? MISSING);
      this.#tryValues(path, isMissing(other) ? [] : fillBetween([other.value], definition, 1), base);
      this.#tryFacts(path, this.#trial.space.samples.get(path) ?? [], base);
    }
    this.#tryFacts(path, compute ? [] : [MISSING], base);
  }

  #tryValues(path: string, values: readonly FactValue[], base: string | undefined): void {
    const definition = this.#table.get(path);
    const valid = definition ? validValues(values, definition, this.#trial.space.day) : [];
    this.#tryFacts(
      path,
      valid.map((value) => ({ value })),
      base,
    );
  }

  #tryFacts(path: string, facts: readonly Fact[], base: string | undefined): void {
    for (const fact of facts) this.#candidates.add(this.#change(base, new Map([[path, fact]])));
  }

  /** Makes rules with points fire, or leaves them undetermined, one after the other, until the score is there. */
  #tryScore(truth: Truth | undefined, base: string | undefined, goal: number): void {
    const start = this.#factsOf(base);
    const scored = this.#trial.policy.rules.filter(({ points = 0, shadow }) => points !== 0 && !shadow);
    let now: Facts = start;
    for (const rule of scored.toSorted((one, other) => Math.abs(other.points ?? 0) - Math.abs(one.points ?? 0))) {
      if (!this.#candidates.open.has(goal)) return;
      now = this.#draw(rule.when, now, wantedOf(rule, truth)) ?? now;
      this.#candidates.addNeeded(this.#change(base, this.#changesOf(now, start)), goal);
    }
  }

  /** The facts that are given, and that are not those of a start. */
  #changesOf(facts: Facts, start: Facts): Facts {
    const textOf = (fact: Fact = MISSING) => (isMissing(fact) ? 'missing' : `value ${JSON.stringify(fact.value)}`);
    const isChanged = ([path, fact]: readonly [string, Fact]) =>
      textOf(fact) !== textOf(start.get(path)) && !this.#table.get(path)?.compute;
    return new Map([...facts].filter(isChanged).map(([path, fact]) => [path, isMissing(fact) ? MISSING : fact]));
  }
}

/** The truth of a rule that moves the score to a band, away from it, or leaves it open. */
function wantedOf({ points = 0 }: Rule, truth: Truth | undefined): Truth {
  if (truth === UNKNOWN) return points > 0 ? UNKNOWN : FALSE;
  return points > 0 === (truth !== FALSE) ? TRUE : FALSE;
}

const MISSING: Fact = { missing: 'notReturned' };
