/** The YAML of a policy's `facts:` -> the facts that it declares. */

import type { FactDefinition, FactTable } from '../../facts/catalog.ts';
import { isSameFact, readDeclaredFacts } from '../../facts/declare.ts';
import { reportAt, type Yaml } from '../../platform/yaml.ts';
import { OWN_PATH } from './form.ts';
import type { UnresolvedNames } from './unresolved-names.ts';

/** The facts of `facts:`, by path. A fact of the mapping may be declared again in the same way. */
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
    reportAt(key, 'duplicate-name', `the mapping declares ${path} differently: ${describe(other)}`, {
      hint: 'remove it here, or make the two declarations equal',
    });
  }
  return facts;
}

function describe({ type, format, values, past, personal }: FactDefinition): string {
  const about = [format && `format ${format}`, values && `values ${values.join(', ')}`];
  const parts = [`type ${type}`, ...about, past && 'past', personal && 'personal'];
  return parts.filter(Boolean).join('; ');
}
