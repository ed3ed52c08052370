/** The path of a fact that is not known -> the fact that is meant, or those of its subject that may be. */

import type { FactTable } from '../../../facts/catalog.ts';
import type { Unknown } from '../../../platform/files/source.ts';
import { type Effort, lettersOf, type Meant, nearest, proposeWords, type Synonyms } from '../../../text.ts';

/** The answer to an unknown path. `others` are words allowed there too, `synonyms` what people write for them. */
export function unknownFact(
  path: string,
  facts: FactTable,
  others: readonly string[] = [],
  synonyms?: Synonyms,
): { readonly unknown: Unknown; readonly hint?: string } {
  const [, where] = /^(context|identity|velocity)\.[a-z]/.exec(path) ?? [];
  const canDeclare = where ? { hint: `declare it under \`${where === 'velocity' ? where : 'facts'}\`` } : {};
  const known = path.includes('.') ? [] : others;
  const find = (effort: Effort) =>
    calculationMeant(path, facts) ??
    valueMeant(path, facts, effort) ??
    synonymMeant(path, facts) ??
    factMeant(path, facts, effort);
  return { unknown: { word: path, known, synonyms, find }, ...canDeclare };
}

/** `phone.score + email.domain.score`: a calculation in the place of a fact. */
function calculationMeant(path: string, facts: FactTable): Meant | undefined {
  const [first = '', ...others] = path.split(/[-+*/]/);
  if (others.length === 0 || !facts.has(first.trim())) return undefined;
  return { hint: 'declare a fact under `facts`, with `compute`, and test that', isSure: false };
}

/** `phone.voip`, `phone.isVoip`: a value in the place of its fact. */
function valueMeant(path: string, facts: FactTable, effort: Effort): Meant | undefined {
  const word = bare(lastOf(path)).replace(/^is(?=.)/, '');
  for (const [fact, { values = [] }] of facts) {
    if (subjectOf(fact) !== subjectOf(path)) continue;
    effort.left -= word.length * values.length;
    if (effort.left <= 0) return undefined;
    const value = values.find((each) => lettersOf(each) === word);
    if (value) return { hint: `it is a value: write \`${fact}: ${value}\``, isSure: false };
  }
  return undefined;
}

/** What people call the last steps of facts, by their letters. */
const STEPS: Readonly<Record<string, string>> = {
  ...{ age: 'firstSeen', created: 'firstSeen', createdat: 'firstSeen', createddate: 'firstSeen' },
  ...{ creationdate: 'firstSeen', registered: 'firstSeen', registrationdate: 'firstSeen' },
  ...{ carrier: 'operator.current', network: 'operator.current', provider: 'operator.current' },
  ...{ ported: 'porting.portedDate', portdate: 'porting.portedDate', lastported: 'porting.portedDate' },
  ...{ lastport: 'porting.portedDate', portingdate: 'porting.portedDate', linetype: 'type' },
};

function synonymMeant(path: string, facts: FactTable): Meant | undefined {
  const last = lettersOf(lastOf(path));
  const step = Object.hasOwn(STEPS, last) ? STEPS[last] : undefined;
  const within = path.slice(0, path.lastIndexOf('.') + 1);
  const found = [...facts.keys()].filter((fact) => within && fact.startsWith(within) && fact.endsWith(`.${step}`));
  return found.length === 0 ? undefined : proposeWords(found);
}

/**
 * The facts that a word may mean, or the name of a column: those with the same letters, else those whose path ends so,
 * else similar ones. INVARIANT: each has the subject of the path (`phone`, `email`, `ip`), unless the path names none:
 * a test of something else is worse than an error.
 */
export function factMeant(path: string, facts: FactTable, effort?: Effort): Meant | undefined {
  const knownPaths = [...facts.keys()];
  const same = knownPaths.filter((fact) => bare(fact) === bare(path));
  if (same.length === 1) return proposeWords(same, { isSure: true });
  const subject = subjectOf(path);
  const ofSubject = knownPaths.filter((fact) => subjectOf(fact) === subject);
  if (ofSubject.length === 0) return findElsewhere(path, knownPaths, facts, effort);
  const last = bare(lastOf(path));
  const within = path.slice(0, path.lastIndexOf('.') + 1);
  const inside = ofSubject.filter((fact) => fact.startsWith(within) && bare(lastOf(fact)) === last);
  if (inside.length > 0) return proposeWords(inside, { isSure: inside.length === 1 });
  const begins = ofSubject.filter((fact) => fact.startsWith(path) || path.startsWith(fact));
  if (begins.length > 0) return proposeWords(begins);
  const rests = ofSubject.map((fact) => fact.slice(subject.length + 1));
  const near = nearest(path.slice(subject.length + 1), rests, effort);
  return near === undefined ? undefined : proposeWords([`${subject}.${near}`]);
}

/** What is meant by a path without a subject, or with one that is misspelt. */
function findElsewhere(
  path: string,
  known: readonly string[],
  facts: FactTable,
  effort: Effort | undefined,
): Meant | undefined {
  const ends = known.filter((fact) => fact !== path && bare(lastOf(fact)) === bare(path));
  if (ends.length > 0) return proposeWords(ends, { isSure: ends.length === 1 });
  const subject = nearest(subjectOf(path), new Set(known.map(subjectOf)), effort);
  if (subject === undefined || !path.includes('.')) return undefined;
  const meant = factMeant(subject + path.slice(subjectOf(path).length), facts, effort);
  return meant && { ...meant, isSure: false };
}

/** A path by its letters alone. */
function bare(path: string): string {
  return lettersOf(path).replaceAll('.', '');
}

function subjectOf(path: string): string {
  return path.split('.', 1)[0] ?? path;
}

function lastOf(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}
