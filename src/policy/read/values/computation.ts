/** The YAML of `compute:` -> a computation over facts that are known here, or what is wrong with it. */

import type { Computation, FactTable, Operand } from '../../../facts/catalog.ts';
import { COMPUTATION_NAMES, COMPUTATIONS } from '../../../facts/compute.ts';
import { reportAt } from '../../../platform/files/source.ts';
import type { Yaml } from '../../../platform/yaml.ts';
import { readFields, readItems, readNumber } from '../../../platform/yaml-fields.ts';
import { count } from '../../../text.ts';
import { unknownFact } from '../slips/facts.ts';
import type { UnresolvedNames } from '../unresolved-names.ts';
import type { Parameters } from './parameters.ts';

/** What operands can name. */
export interface OperandScope {
  /** All facts but the computed ones. */
  readonly facts: FactTable;
  /** The paths of the computed facts. */
  readonly computed: ReadonlySet<string>;
  readonly unresolved: UnresolvedNames;
  readonly parameters: Parameters;
}

/** Reads `{ ratio: [context.creditLimit, context.income] }`, the computation of the fact `path`. */
export function readComputation(node: Yaml, path: string, scope: OperandScope): Computation | undefined {
  const fields = readFields(node, `the computation of ${path}`, { optional: COMPUTATION_NAMES });
  const [found, ...others] = COMPUTATION_NAMES.filter((name) => fields?.has(name));
  const entry = found && fields?.get(found);
  if (!found || !entry) return undefined;
  if (others.length > 0) {
    const message = `found ${[found, ...others].join(' and ')}; a fact has one computation`;
    return reportAt(node, 'wrong-value', message, { hint: 'declare a fact for each' });
  }
  const items = readItems(entry.value, `\`${found}\``);
  if (!items) return undefined;
  const [least, most] = COMPUTATIONS[found].operands;
  if (items.length < least || items.length > most) {
    const expected = least === most ? `exactly ${least}` : `from ${least} to ${most}`;
    const message = `found ${count(items.length, 'operand')}; \`${found}\` must have ${expected}`;
    return reportAt(entry.value, 'wrong-value', message);
  }
  const operands = items.map((item) => readOperand(item, found, scope));
  if (!operands.every((operand) => operand !== undefined)) return undefined;
  if (operands.some((operand) => typeof operand !== 'number')) return { name: found, operands };
  const message = 'found numbers alone; at least one operand must be a fact';
  return reportAt(entry.value, 'wrong-value', message);
}

/** A fact by its path; where numbers are computed, a number or a parameter too. */
function readOperand(written: Yaml, name: Computation['name'], scope: OperandScope): Operand | undefined {
  const { types } = COMPUTATIONS[name];
  const isOfDates = types.includes('date');
  const node = scope.parameters.resolve(written);
  if (!node) return undefined;
  const text = node === written && node.kind === 'scalar' && typeof node.value === 'string' ? node.value : undefined;
  if (text === undefined) {
    if (!isOfDates) return readNumber(node, `an operand of \`${name}\` that is not the path of a fact`);
    return reportAt(written, 'wrong-type', `an operand of \`${name}\` must be the path of a date`);
  }
  const { facts, computed, unresolved } = scope;
  if (computed.has(text)) {
    return reportAt(node, 'fact-types', `${text} is computed itself, so it cannot be an operand`, {
      hint: 'name the facts that it is computed from',
    });
  }
  const definition = facts.get(text);
  if (!definition) {
    if (unresolved.mayInclude('fact', text)) return undefined;
    const fitting = new Map([...facts].filter(([, { type }]) => types.includes(type)));
    return reportAt(node, 'unknown-fact', `there is no fact "${text}"`, unknownFact(text, fitting));
  }
  if (types.includes(definition.type)) return { fact: text };
  const expected = isOfDates ? 'dates' : 'numbers and integers';
  const article = /^[aeiou]/.test(definition.type) ? 'an' : 'a';
  return reportAt(
    node,
    'fact-types',
    `${text} is ${article} ${definition.type}; \`${name}\` computes with ${expected}`,
  );
}
