/** Lists that no test looks into -> warnings. */

import { isNamedList } from '../arguments.ts';
import { type Check, testsIn } from './context.ts';

export function checkUnusedLists({ policy, listKeys, warn }: Check): void {
  const used = new Set([...testsIn(policy)].flatMap(({ argument }) => (isNamedList(argument) ? argument.name : [])));
  for (const [name, key] of listKeys) {
    if (used.has(name)) continue;
    warn(key, 'unused-list', `the list "${name}" is never used: editing it changes no decision`);
  }
}
