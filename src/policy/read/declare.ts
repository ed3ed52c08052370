/** The YAML of a policy's `facts:` -> facts of a caller's own. */

import type { FactDefinition, FactTable } from '../../facts/catalog.ts';
import { isSameFact, readDeclaredFacts } from '../../facts/declare.ts';
import { reportAt, type Yaml } from '../../platform/yaml.ts';
import type { UnresolvedNames } from './unresolved-names.ts';

/** The form of the names of policies, conditions and lists. */
export const NAME = /^[A-Za-z][A-Za-z0-9]*([-_][A-Za-z0-9]+)*$/;

/** `NAME` for people. */
export const NAME_FORM = 'letters and digits that begin with a letter, joined by - or _';

/** The form of the paths of facts that a policy declares. */
export const OWN_PATH = /^(context|identity)(\.[a-z][A-Za-z0-9]*)+$/;

/**
 * Reads `facts:`: the facts declared beside the catalog, by path. What the mapping declares too may be declared again if
 * it is the same.
 */
export function readOwnFacts(node: Yaml, doubts: UnresolvedNames, mapped: FactTable): Map<string, FactDefinition> {
  const declared = readDeclaredFacts(node, {
    path: OWN_PATH,
    hint: 'write it like context.creditLimit or identity.nameScore',
    onUnread: (path) => (path === undefined ? doubts.addKinds('fact') : doubts.addName('fact', path)),
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
