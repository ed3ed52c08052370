/** The YAML of a policy's `facts:` -> the facts that it declares. */

import { CATALOG_TABLE, type Computation, type FactDefinition, type FactTable } from '../../facts/catalog.ts';
import { factsAmong } from '../../facts/compute.ts';
import { isSameFact, readDeclaredFacts } from '../../facts/declare.ts';
import { reportAt } from '../../platform/files/source.ts';
import type { Yaml } from '../../platform/yaml.ts';
import { OWN_PATH } from './form.ts';
import { type OperandScope, readComputation } from './values/computation.ts';

/** The facts of `facts:`, by path. A fact of the mapping may be declared again in the same way. */
export function readOwnFacts(
  node: Yaml,
  { unresolved, mapped, parameters }: Pick<OperandScope, 'unresolved' | 'parameters'> & { readonly mapped: FactTable },
): Map<string, FactDefinition> {
  const declared = readDeclaredFacts(node, {
    path: OWN_PATH.pattern,
    canCompute: true,
    hint: `write ${OWN_PATH.words}`,
    onUnread: (path) => (path === undefined ? unresolved.addKinds('fact') : unresolved.addName('fact', path)),
  });
  const given = [...declared].filter(([, { compute }]) => compute === undefined);
  const facts = new Map(given.map(([path, { definition }]) => [path, definition]));
  const scope: OperandScope = {
    facts: new Map([...CATALOG_TABLE, ...mapped, ...facts]),
    computed: new Set([...declared.keys()].filter((path) => !facts.has(path))),
    ...{ unresolved, parameters },
  };
  for (const [path, { key, definition: base, compute: node }] of declared) {
    const compute = node && readComputation(node, path, scope);
    // INVARIANT: computed facts come after all others, so after their operands.
    const definition = compute ? computedFact(base, compute, scope.facts) : base;
    facts.set(path, definition);
    const other = mapped.get(path);
    if (!other || isSameFact(definition, other)) continue;
    reportAt(key, 'duplicate-name', `the mapping declares ${path} differently: ${describe(other)}`, {
      hint: 'remove it here, or make the two declarations equal',
    });
  }
  return facts;
}

/** It is personal if an operand is. */
function computedFact(base: FactDefinition, compute: Computation, facts: FactTable): FactDefinition {
  const inputs = factsAmong(compute.operands);
  const isPersonal = base.personal || inputs.some((path) => facts.get(path)?.personal);
  return { ...base, origin: 'derived', inputs, compute, ...(isPersonal ? { personal: true } : {}) };
}

function describe({ type, format, values, past, personal }: FactDefinition): string {
  const about = [format && `format ${format}`, values && `values ${values.join(', ')}`];
  const parts = [`type ${type}`, ...about, past && 'past', personal && 'personal'];
  return parts.filter(Boolean).join('; ');
}
