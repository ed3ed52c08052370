/** A space -> the facts of it that the engine derives, and values of their inputs from which more can be derived. */

import type { FactDefinition, FactTable } from '../../facts/catalog.ts';
import { deriveFact } from '../../facts/compute.ts';
import { type Fact, type FactValue, isMissing } from '../../facts/fact.ts';
import { readFact } from '../../facts/fact-reader.ts';
import { exampleNumbers, WORLD } from '../../formats/geo/world.ts';
import { MOST_DIGITS } from '../limits.ts';

/** A fact that is derived from others where all of them are known. */
export interface Derivable {
  readonly path: string;
  readonly definition: FactDefinition;
  readonly inputs: readonly string[];
}

/** The derived facts among some paths, and those that these are derived from, each after its inputs. */
export function derivableAmong(paths: Iterable<string>, table: FactTable): readonly Derivable[] {
  const wanted = new Set(paths);
  const derivables: Derivable[] = [];
  for (const [path, definition] of [...table].reverse()) {
    const { origin, inputs = [], compute } = definition;
    if (origin !== 'derived' || compute || !wanted.has(path)) continue;
    for (const input of inputs) wanted.add(input);
    derivables.unshift({ path, definition, inputs });
  }
  return derivables;
}

/** Derives a fact from the others, as for an applicant; undefined if one of its inputs is missing. */
export function deriveFrom(facts: ReadonlyMap<string, Fact>, derivable: Derivable, day: string): Fact | undefined {
  const { path, definition, inputs } = derivable;
  const isKnown = (input: string) => {
    const fact = facts.get(input);
    return fact !== undefined && !isMissing(fact);
  };
  if (!inputs.every(isKnown)) return undefined;
  return readFact(definition, deriveFact(path, definition, facts, WORLD), day);
}

/** More values of an input, given samples of it and of the facts derived from it. */
export function inputValues(
  path: string,
  samples: readonly FactValue[],
  samplesOf: (derived: string) => readonly FactValue[],
): readonly FactValue[] {
  if (path === 'applicant.email') {
    const locals = new Set(['a', ...samples.map((email) => String(email).split('@')[0] ?? '')]);
    return samplesOf('applicant.emailDomain').flatMap((domain) => [...locals].map((local) => `${local}@${domain}`));
  }
  if (path !== 'applicant.phoneNo') return [];
  const numbers = exampleNumbers();
  const texts = samples.map(String);
  const starts = partsOf(texts, MOST_DIGITS.start, (text, digits) => text.slice(0, digits));
  const ends = partsOf(texts, MOST_DIGITS.end, (text, digits) => text.slice(-digits));
  // The first digits tell the country: a number with other ones is mostly one of no plan.
  return numbers.flatMap((number) => [
    number,
    ...starts.filter((start) => start[0] === number[0]).map((start) => start + number.slice(start.length)),
    ...ends.map((end) => number.slice(0, -end.length) + end),
  ]);
}

function partsOf(texts: readonly string[], most: number, cut: (text: string, digits: number) => string): string[] {
  const digits = Array.from({ length: most }, (_, i) => i + 1);
  return [...new Set(texts.flatMap((text) => digits.map((each) => cut(text, each))))];
}
