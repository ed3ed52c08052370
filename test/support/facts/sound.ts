/** A fact and its definition -> whether it is as the catalog promises; independent of the code that reads facts. */

import { type FactDefinition, LEVELS } from '../../../src/facts/catalog.ts';
import { CAUSES, type Fact, type GivenFact, isMissing } from '../../../src/facts/fact.ts';
import { fold } from '../../../src/platform/formats/fold.ts';

/** `today` is the day of the decision for a fact that has been read, and undefined for one that is only given. */
export function isSound(
  fact: Fact | GivenFact,
  { type, range, values, past }: FactDefinition,
  today: string | undefined,
): boolean {
  if (isMissing(fact)) {
    const hasRaw = fact.raw === undefined || (fact.missing === 'invalid' && fact.raw.length <= 200);
    return CAUSES.includes(fact.missing) && hasRaw && (fact.raw?.isWellFormed() ?? true);
  }
  const { value } = fact;
  if (type === 'number' || type === 'integer') {
    const isNumber = typeof value === 'number' && Number.isFinite(value) && !Object.is(value, -0);
    return (
      isNumber &&
      (!range || (value >= range[0] && value <= range[1])) &&
      (type === 'number' || Number.isSafeInteger(value))
    );
  }
  if (type === 'boolean') return typeof value === 'boolean';
  if (typeof value !== 'string') return false;
  if (type === 'level') return LEVELS.some((level) => level === value);
  if (type === 'enum') return values?.includes(value) ?? false;
  if (type === 'string') {
    return value.isWellFormed() && (today === undefined || fold(value) === value);
  }
  if (value === 'never') return true;
  const day = new Date(`${value}T00:00:00Z`);
  if (Number.isNaN(day.getTime()) || !day.toISOString().startsWith(value)) return false;
  return today === undefined || !past || value <= today;
}
