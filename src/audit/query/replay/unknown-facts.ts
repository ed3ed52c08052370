/** The facts of a record, and the facts that other policies read -> which of these the record does not tell. */

import type { PlannedCall } from '../../../decision/events.ts';
import type { FactTable } from '../../../facts/catalog.ts';
import { type Fact, type Facts, isMissing } from '../../../facts/fact.ts';

const NOT_ON_RECORD: Fact = { missing: 'notGiven' };

/**
 * Tells which facts of a record are unknown: those that its policy did not read, and those of calls that were spared.
 * Undefined if none of `read` is.
 */
export function unknownFacts(
  recorded: Facts,
  { facts: table, read }: { readonly facts: FactTable; readonly read: ReadonlySet<string> },
  spared: readonly PlannedCall[],
): ((path: string) => boolean) | undefined {
  const isUnknown = (path: string): boolean => {
    const { origin, inputs = [], compute, variable, composite } = table.get(path) ?? {};
    const fact = recorded.get(path) ?? NOT_ON_RECORD;
    if (!isMissing(fact) && !compute) return false;
    if (origin === 'derived') return inputs.some(isUnknown);
    if (fact === NOT_ON_RECORD) return true;
    const isOf = ({ asked }: PlannedCall) => composite === true || asked.some((each) => each === variable);
    return isMissing(fact) && fact.missing === 'notRequested' && spared.some(isOf);
  };
  return [...read].some(isUnknown) ? isUnknown : undefined;
}
