/** Formulas -> states in which all hold, found by walking from state to state. It proves nothing if it finds none. */

import { createRandom } from '../../platform/random.ts';
import { GATES_A_STEP, WALK_TEMPERATURE } from '../limits.ts';
import type { Steps } from '../steps.ts';
import { Circuit } from './circuit.ts';
import type { Formula } from './formula.ts';

/** A walk that goes on where it stopped. */
export interface Walk {
  /**
   * Tries about as many states as it may, while steps are left; undefined if it has not found what it seeks.
   */
  seek(mostTries: number, steps: Steps): readonly number[] | undefined;
}

/** Starts at these states. Equal formulas and states give the same walk. */
export function createWalk(formulas: readonly Formula[], start: readonly number[]): Walk {
  const circuit = new Circuit(formulas, start);
  const random = createRandom();
  let counted = 0;
  /** Counts what the circuit has done since this was last called. */
  const spend = (steps: Steps): void => {
    steps.spend((circuit.updates - counted) / GATES_A_STEP);
    counted = circuit.updates;
  };
  return {
    seek(mostTries, steps) {
      spend(steps);
      for (let tries = 0; circuit.distance > 0 && tries < mostTries && !steps.areOver; tries++) {
        const wrong = circuit.blame(random);
        if (!wrong) return undefined;
        const { variable, states } = wrong;
        const [before, from] = [circuit.distance, circuit.states[variable] as number];
        let [best, least] = [from, Number.POSITIVE_INFINITY];
        let equals = 0;
        for (const state of states) {
          circuit.move(variable, state);
          tries += 1;
          if (circuit.distance > least) continue;
          equals = circuit.distance < least ? 1 : equals + 1;
          // A known value says more than a missing one, which is the state 0.
          if (best === 0 || random() * equals < 1) best = state;
          least = circuit.distance;
        }
        const isTaken = least <= before || random() < Math.exp((before - least) / WALK_TEMPERATURE);
        circuit.move(variable, isTaken ? best : from);
        spend(steps);
      }
      return circuit.distance > 0 ? undefined : [...circuit.states];
    },
  };
}
