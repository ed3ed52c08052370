/** The `facts` of a mapping (YAML) and a table of facts -> the facts that the mapping may name. */

import { reportAt } from '../../platform/files/source.ts';
import type { Yaml } from '../../platform/yaml.ts';
import type { Fields } from '../../platform/yaml-fields.ts';
import type { FactTable } from '../catalog.ts';
import { type DeclaredFacts, readDeclaredFacts, tableOf } from '../declare.ts';

/** The facts that a mapping may name. */
export interface MappableFacts {
  readonly table: FactTable;
  /** Whether an unknown path may be one whose declaration could not be read; that error is already reported. */
  isDoubtful(path: string): boolean;
}

/** The paths of facts that a mapping declares. Facts of the caller are declared by a policy. */
export const MATCH_RESULT = /^identity(\.[a-z][A-Za-z0-9]*)+$/;

export function readMappableFacts(fields: Fields, table: FactTable): MappableFacts {
  const unread = new Set<string | undefined>(fields.isDoubtful('facts') ? [undefined] : []);
  const entry = fields.get('facts');
  const declared: DeclaredFacts = entry
    ? readDeclaredFacts(entry.value, {
        path: MATCH_RESULT,
        hint: 'a mapping declares match results, such as identity.nameScore; a policy declares what the caller gives',
        onUnread: (path) => unread.add(path),
      })
    : new Map();
  return {
    table: new Map([...table, ...tableOf(declared)]),
    isDoubtful: (path) => unread.has(path) || (unread.has(undefined) && path.startsWith('identity.')),
  };
}

export function reportUnknownFact(key: Yaml, path: string, table: FactTable): void {
  reportAt(key, 'unknown-fact', `"${path}" is neither in the catalog nor declared`, {
    unknown: { word: path, known: servicePaths(table) },
    hint: MATCH_RESULT.test(path) ? 'declare it under `facts`' : undefined,
  });
}

/** The paths of the facts that come from an answer of the service. */
export function servicePaths(table: FactTable): readonly string[] {
  return [...table].flatMap(([path, { origin }]) => (origin === 'service' ? [path] : []));
}
