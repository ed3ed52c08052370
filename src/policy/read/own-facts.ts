/** The YAML of a policy's `facts:` -> facts of a caller's own. */

import type { FactDefinition, FactTable } from '../../facts/catalog.ts';
import { isSameFact, readDeclaredFacts } from '../../facts/declare.ts';
import { reportAt, type Yaml } from '../../platform/yaml.ts';
import { OWN_PATH } from './form.ts';
import type { UnresolvedNames } from './unresolved-names.ts';

/**
 * Reads `facts:`: the facts declared beside the catalog, by path. What the mapping declares too may be declared again if
 * it is the same.
 */
export function readOwnFacts(node: Yaml, unresolved: UnresolvedNames, mapped: FactTable): Map<string, FactDefinition> {
  const declared = readDeclaredFacts(node, {
    path: OWN_PATH.pattern,
    hint: `write ${OWN_PATH.words}`,
    onUnread: (path) => (path === undefined ? unresolved.addKinds('fact') : unresolved.addName('fact', path)),
  });
  const facts = new Map<string, FactDefinition>();
  for (const [path, { key, definition }] of declared) {
    const other = mapped.get(path);
    facts.set(path, definition);
    if (!other || isSameFact(definition, other)) continue;
    reportAt(key, 'duplicate-name', `${path} is declared otherwise by the mapping: ${describe(other)}`, {
      hint: 'take it out here, or mend the one of the two that is wrong',
    });
  }
  return facts;
}

function describe({ type, values, past }: FactDefinition): string {
  return [`type ${type}`, ...(values ? [`values ${values.join(', ')}`] : []), ...(past ? ['past'] : [])].join('; ');
}
