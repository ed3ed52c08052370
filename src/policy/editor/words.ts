/** The tables of the language and the names of policies -> the words that an editor completes and explains. */

import { CATALOG_TABLE, LEVELS } from '../../facts/catalog.ts';
import { OPERATOR_NAMES, operatorRow } from '../operators.ts';
import type { OwnNames } from '../read/key.ts';
import { POLICY_KEYS } from '../read/policy-keys.ts';
import { RULE_KEYS } from '../read/rule.ts';
import { TABLE_KEYS } from '../read/tables/table.ts';
import type { EditorWord } from './word.ts';

/** The words of the language, and of these policies. */
export function editorWords(policies: readonly OwnNames[]): readonly EditorWord[] {
  const words = new Map<string, EditorWord>();
  const add = (word: EditorWord) => words.set(`${word.kind} ${word.name}`, word);
  for (const [path, { type, label, description, values, unit }] of [
    ...CATALOG_TABLE,
    ...policies.flatMap(({ facts }) => [...facts]),
  ]) {
    const named = [label, description, unit && `In ${unit}.`].filter((text) => text).join('. ');
    const known = type === 'level' ? LEVELS : values;
    add({ kind: 'fact', name: path, about: named, types: [type], ...(known ? { values: known } : {}) });
  }
  for (const name of OPERATOR_NAMES) {
    const { types, sentence } = operatorRow(name);
    add({ kind: 'operator', name, about: `The fact ${sentence}`, types });
  }
  for (const [name, { description }] of [POLICY_KEYS, TABLE_KEYS, RULE_KEYS].flatMap((table) => Object.entries(table)))
    add({ kind: 'key', name, about: description });
  for (const { lists, conditions, parameters } of policies) {
    for (const name of lists.keys()) add({ kind: 'list', name, about: 'A list of this policy.' });
    for (const name of conditions.keys()) add({ kind: 'condition', name, about: 'A condition of this policy.' });
    for (const name of parameters.keys()) add({ kind: 'parameter', name: `$${name}`, about: 'A parameter.' });
  }
  return [...words.values()];
}
