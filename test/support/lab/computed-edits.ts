/** Edits of the facts that a policy computes from others. */

import type { PlainDefinition, PlainPolicy } from '../runners/plain.ts';
import type { Edit } from './edits.ts';
import { moved } from './plain-changes.ts';

type Operands = readonly (number | string)[];

/** Changes each declared fact. */
export function onFacts(change: (definition: PlainDefinition) => PlainDefinition): Edit {
  return ({ facts = {}, ...policy }) => ({
    ...policy,
    facts: Object.fromEntries(Object.entries(facts).map(([path, definition]) => [path, change(definition)])),
  });
}

/** Changes each computation. */
function onComputations(
  change: (name: string, operands: Operands) => readonly [name: string, operands: Operands],
): Edit {
  return onFacts(({ compute, ...definition }) => ({
    ...definition,
    ...(compute ? { compute: Object.fromEntries(Object.entries(compute).map((each) => change(...each))) } : {}),
  }));
}

/** Changes each operand. */
function onOperands(change: (operand: number | string) => number | string): Edit {
  return onComputations((name, operands) => [name, operands.map(change)]);
}

/** By operand, another of the same type. */
const OTHER_OPERANDS: Readonly<Record<string, string>> = {
  ...{ 'context.number': 'context.integer', 'context.integer': 'context.number' },
  ...{ 'context.other.number': 'context.number', 'context.other.integer': 'context.integer' },
  ...{ 'context.date': 'identity.past', 'identity.past': 'context.date', 'context.other.date': 'context.date' },
  'phone.porting.portedDate': 'context.other.date',
};

/** By computation, one that is easily taken for it. */
const OTHER_COMPUTATIONS: Readonly<Record<string, string>> = {
  ...{ sum: 'product', product: 'sum', minimum: 'maximum', maximum: 'minimum', difference: 'ratio' },
  ratio: 'difference',
};

/** The names of the parameters among operands. */
function parametersOf({ facts = {} }: PlainPolicy): ReadonlySet<string> {
  const operands = Object.values(facts).flatMap(({ compute = {} }) => Object.values(compute).flat());
  return new Set(operands.flatMap((each) => (typeof each === 'string' && each.startsWith('$') ? each.slice(1) : [])));
}

/** Edits by name. */
export const COMPUTED_EDITS: Readonly<Record<string, Edit>> = {
  'operands of computed facts': onOperands((operand) => OTHER_OPERANDS[operand] ?? operand),
  'numbers in computed facts': onOperands((operand) => (typeof operand === 'number' ? operand + 1 : operand)),
  'parameters of computed facts': (policy) => {
    const own = parametersOf(policy);
    const edited = Object.entries(policy.parameters ?? {}).map(([name, value]) => [
      name,
      own.has(name) ? moved(value) : value,
    ]);
    return { ...policy, parameters: Object.fromEntries(edited) };
  },
  'another computation': onComputations((name, operands) => {
    return name === 'daysBetween' ? [name, operands.toReversed()] : [OTHER_COMPUTATIONS[name] ?? name, operands];
  }),
  'types of computed facts': onFacts(({ type, ...definition }) => ({
    ...definition,
    type: definition.compute ? (type === 'integer' ? 'number' : 'integer') : type,
  })),
};
