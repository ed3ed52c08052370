/** Captured answers of an unknown shape -> the YAML text of a mapping that loads as it is. */

import { proposeSignals } from './propose/propose-signals.ts';
import { type Reference, writeMapping } from './propose/write-mapping.ts';
import type { AnswerField } from './structure/collect-fields.ts';
import { assignSources } from './structure/section-sources.ts';

/**
 * Proposes a mapping: matches field names with facts by their words and their position, and values by the facts' types.
 * A comment at each signal says how sure it is (`sure`, `likely`, `guess`) and why. Guesses are commented out, so that
 * their facts stay `unmapped`. The same answers give the same text. Never throws on JSON.
 *
 * The text has no values of the answers, except words of enums, levels, statuses and placeholders, and labels in paths.
 */
export function suggestMapping(answers: readonly unknown[]): string {
  const { fields, statuses, signals } = proposeSignals(answers);
  const { whole, sources } = assignSources(statuses, signals);
  return writeMapping({
    answers: answers.length,
    status: whole,
    reference: findReference(fields, answers.length),
    sources,
    signals: [...signals.values()],
  });
}

const OWNER = '(?:client|customer|caller|merchant|partner|your|my|user|consumer)';
const CALLER_REFERENCE = new RegExp(
  `${OWNER}[\\W_]*(?:ref|reference|transaction|request|correlation)(?:[\\W_]*(?:id|no|number|ref|reference))?$`,
  'i',
);
const SOME_REFERENCE = /^(?:request|external|transaction)?[\W_]*(?:ref|reference)(?:[\W_]*(?:id|no|number))?$/i;

/** The field that repeats the caller's reference; a guess if it may be the service's own reference. */
function findReference(fields: readonly AnswerField[], answers: number): Reference | undefined {
  const texts = fields.filter(({ kind, isRepeated, samples, names }) => {
    const isText = samples.every(({ value }) => typeof value === 'string' && value !== '');
    return kind === 'value' && !isRepeated && isText && samples.length === answers && names.length <= 4;
  });
  const named = (pattern: RegExp) => texts.find(({ names }) => pattern.test(names.at(-1) ?? ''));
  const sure = named(CALLER_REFERENCE);
  if (sure) return { field: sure, isSure: true };
  const other = named(SOME_REFERENCE);
  return other && { field: other, isSure: false };
}
