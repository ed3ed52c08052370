/** A box -> conditions for people. */

import { describeCells } from '../../decision/explain/describe-cells.ts';
import type { Space } from '../space/space.ts';
import type { Box } from '../space/truths.ts';
import type { StateSet, Variable } from '../space/variable.ts';

/** A condition for each variable that may not have all its states. */
export function describeBox({ variables }: Space, box: Box): string[] {
  return variables.flatMap((variable, i) => {
    const states = box[i] as StateSet;
    return states.every(Boolean) ? [] : [describeStates(variable, states)];
  });
}

function describeStates(variable: Variable, states: StateSet): string {
  const { path, axes, cells } = variable;
  const canBeMissing = states[0] === true;
  const present = states.flatMap((isIn, i) => (isIn && i > 0 ? [i] : []));
  if (present.length === 0) return `${path} is missing`;
  if (present.length === states.length - 1) return `${path} is known`;
  // The axis that tells these states from all others says it best.
  const others = states.flatMap((isIn, i) => (isIn || i === 0 ? [] : [i]));
  const telling = axes.findIndex((_, a) => {
    const inside = new Set(present.flatMap((i) => cells[a]?.[i] ?? []));
    return others.every((i) => cells[a]?.[i]?.every((cell) => !inside.has(cell)));
  });
  const axis = axes[telling];
  if (!axis) return `${path} is ${describeSamples(variable, present, canBeMissing)}`;
  const found = [...new Set(present.flatMap((i) => cells[telling]?.[i] ?? []))].sort((a, b) => a - b);
  const words = describeCells(axis, found) ?? 'known';
  const subject = axis.other === undefined ? path : `${path} against ${axis.other}`;
  return `${subject} is ${words}${canBeMissing ? ', or missing' : ''}`;
}

/** States that no axis tells from the others by itself, such as days by age and by calendar: by what each axis says. */
function describeSamples({ axes, cells }: Variable, present: readonly number[], canBeMissing: boolean): string {
  const parts = present.map((state) =>
    axes.map((axis, a) => describeCells(axis, cells[a]?.[state] ?? []) ?? '').filter((words) => words !== ''),
  );
  const either = [...new Set(parts.map((words) => words.join(' and ')))];
  return [...either, ...(canBeMissing ? ['missing'] : [])].join(', or ');
}
