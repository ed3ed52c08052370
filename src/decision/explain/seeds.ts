/** A model, and facts that are held -> situations that may well have another outcome: what to look at before all others. */

import { isMissing } from '../../facts/fact.ts';
import { boundsIn, present, withChoice } from './model/assignment.ts';
import type { Model } from './model/model.ts';
import { PARTS, type TruthBounds } from './model/truth-bounds.ts';

/** Situations that may well have another outcome: all others missing; each conjunction made true, or unknown. */
export function* guessOutcomes(model: Model, held: ReadonlySet<number>): Generator<readonly number[]> {
  const { variables, form } = model;
  const words = form.mask.length;
  const now = present(model);
  const missing = variables.map(({ choices }, place) => {
    const found = choices.findIndex(({ fact }) => fact !== undefined && isMissing(fact));
    return held.has(place) || found < 0 ? 0 : found;
  });
  yield missing;
  const has = (leeway: TruthBounds, part: number, conjunction: number) =>
    ((leeway[part * words + (conjunction >> 5)] as number) & (1 << (conjunction & 31))) !== 0;
  const open = variables.map(({ any }, place) => (held.has(place) ? 0 : any));
  const conjunctions: number[] = [];
  model.judge.visit(boundsIn(model, open), (conjunction) => conjunctions.push(conjunction));
  for (const conjunction of conjunctions) {
    for (const part of [PARTS.canBeCertain, PARTS.canBePossible]) {
      const move = (from: readonly number[]) =>
        from.map((choice, place) => {
          const choices = variables[place]?.choices ?? [];
          if (held.has(place) || has(choices[choice]?.leeway as TruthBounds, part, conjunction)) return choice;
          const next = choices.findIndex(({ fact, leeway }) => fact && has(leeway, part, conjunction));
          return next < 0 ? choice : next;
        });
      yield move(now);
      yield move(missing);
    }
  }
  yield* climb(model, held);
}

/** One fact after the other becomes what leads the furthest from what makes the outcome: fewer, or more, that can be true. */
function* climb(model: Model, held: ReadonlySet<number>): Generator<readonly number[]> {
  const { variables } = model;
  for (const sign of [1, -1]) {
    const at = present(model);
    for (const place of variables.keys()) {
      if (held.has(place)) continue;
      const choices = variables[place]?.choices ?? [];
      let best = Number.POSITIVE_INFINITY;
      let chosen = 0;
      for (const [i, { fact }] of choices.entries()) {
        if (!fact) continue;
        const weight = sign * weightOf(model, withChoice(at, place, i));
        if (weight < best) [best, chosen] = [weight, i];
      }
      at[place] = chosen;
    }
    yield at;
  }
}

/** How much is asked for: conjunctions that are possible, with what their rules weigh. */
function weightOf(model: Model, at: readonly number[]): number {
  let weight = 0;
  model.judge.visit(boundsIn(model, at), (_, rule) => {
    weight += rule.then === 'accept' ? -1 : 1 + (rule.points ?? 0) / 10 + (rule.then === undefined ? 0 : 10);
  });
  return weight;
}
