/** The path of a fact that is not known -> the fact that is meant, or those of its subject that may be. */

import type { FactTable } from '../../../facts/catalog.ts';
import type { Unknown } from '../../../platform/files/source.ts';
import { type Effort, lettersOf, type Meant, nearest, proposeWords, type Slips } from '../../../text.ts';

/** What to say of a path; `others`: words that can stand in its place, and `slips` what people write for them. */
export function unknownFact(
  path: string,
  facts: FactTable,
  others: readonly string[] = [],
  slips?: Slips,
): { readonly unknown: Unknown; readonly hint?: string } {
  const canDeclare = /^(context|identity)\.[a-z]/.test(path) ? { hint: 'declare it under `facts`' } : {};
  const known = path.includes('.') ? [] : others;
  return { unknown: { word: path, known, slips, find: (effort) => find(path, facts, effort) }, ...canDeclare };
}

/**
 * INVARIANT: it has the subject of the path (`phone`, `email`, `ip`), unless the path names none: a test of something
 * else is worse than an error.
 */
function find(path: string, facts: FactTable, effort: Effort): Meant | undefined {
  const known = [...facts.keys()];
  const letters = lettersOf(path);
  const isOnly = (found: readonly string[]) => found.length === 1;
  const same = known.filter((fact) => fact.length >= letters.length && lettersOf(fact) === letters);
  if (isOnly(same)) return proposeWords(same, { isSure: true });
  const subject = subjectOf(path);
  const ofSubject = known.filter((fact) => subjectOf(fact) === subject);
  if (ofSubject.length === 0) {
    const ends = path.includes('.') ? [] : known.filter((fact) => fact.endsWith(`.${path}`));
    if (ends.length > 0) return proposeWords(ends, { isSure: isOnly(ends) });
    const near = nearest(subject, new Set(known.map(subjectOf)), effort);
    const rest = path.slice(subject.length);
    const meant = near === undefined || rest === '' ? undefined : find(near + rest, facts, effort);
    return meant && { ...meant, isSure: false };
  }
  const last = path.slice(path.lastIndexOf('.'));
  const inside = ofSubject.filter((fact) => fact.endsWith(last) && fact.startsWith(path.slice(0, -last.length)));
  if (inside.length > 0) return proposeWords(inside, { isSure: isOnly(inside) });
  const begins = ofSubject.filter((fact) => fact.startsWith(path));
  if (begins.length > 0) return proposeWords(begins);
  const rests = ofSubject.map((fact) => fact.slice(subject.length + 1));
  const near = nearest(path.slice(subject.length + 1), rests, effort);
  return near === undefined ? undefined : proposeWords([`${subject}.${near}`]);
}

function subjectOf(path: string): string {
  return path.split('.', 1)[0] ?? path;
}
