/** Missing facts -> the sources that would bring them: all missing facts of a source are requested together. */

import type { FactTable } from '../../facts/catalog.ts';
import { type Cause, type Facts, isMissing } from '../../facts/fact.ts';
import { factAt } from '../meaning/truth.ts';

/** A source of the service, as a mapping declares it. */
export interface DeclaredSource {
  readonly name: string;
  /** The paths of its facts. */
  readonly facts: ReadonlySet<string>;
}

/** A source that brought none of some facts. */
export interface MissingSource {
  /** Its name in the mapping; else the beginning of its facts' paths, such as `email`, or `service` for all of them. */
  readonly source: string;
  /** Whether it did not answer, or was not asked. */
  readonly cause: 'sourceFailed' | 'notRequested';
  /** Set if it answered in part: the mapping has no source of its own for the facts that are missing. */
  readonly isPart?: true;
  /** In the order of the paths given. */
  readonly facts: readonly string[];
}

/** The name of the service as a whole. */
export const WHOLE_SERVICE = 'service';

/** The sources of the missing facts among `paths`, without facts that need more than one source. */
export function missingSources(
  paths: Iterable<string>,
  facts: Facts,
  table: FactTable,
  declared: readonly DeclaredSource[] = [],
): readonly MissingSource[] {
  const nameOf = sourceNames(facts, table, declared);
  const sources = new Map<string, MissingSource>();
  for (const path of paths) {
    const fact = factAt(facts, path);
    if (!isMissing(fact)) continue;
    const roots = missingRoots(path, facts, table).map((root): Omit<MissingSource, 'facts'> | undefined => {
      const { origin } = table.get(root) ?? {};
      // The caller may have given a derived fact without its inputs.
      const cause = causeAt(facts, root) ?? fact.missing;
      if (cause === 'sourceFailed' && origin === 'service') return { ...nameOf(root), cause };
      if (cause === 'sourceFailed' && origin === 'velocity') return { source: beginningOf(root), cause };
      // A phone number that was not sent is requested together with its signals.
      if (cause === 'notRequested' && origin !== 'caller') return { source: beginningOf(root), cause };
      return undefined;
    });
    const [first, ...others] = roots;
    if (!first || others.some((each) => each?.source !== first.source || each.cause !== first.cause)) continue;
    const key = `${first.cause} ${first.source}`;
    sources.set(key, { ...first, facts: [...(sources.get(key)?.facts ?? []), path] });
  }
  return [...sources.values()];
}

/** The missing facts from which a missing fact is derived; of any other fact, the fact itself. */
function missingRoots(path: string, facts: Facts, table: FactTable): readonly string[] {
  const missing = (table.get(path)?.inputs ?? []).filter((input) => isMissing(factAt(facts, input)));
  // A fact derived from known facts without a result stays missing.
  return missing.length === 0 ? [path] : missing.flatMap((input) => missingRoots(input, facts, table));
}

function causeAt(facts: Facts, path: string): Cause | undefined {
  const fact = facts.get(path);
  return fact && isMissing(fact) ? fact.missing : undefined;
}

/** The source of each fact that failed. A declared source failed if all of its facts did. */
function sourceNames(
  facts: Facts,
  table: FactTable,
  declared: readonly DeclaredSource[],
): (path: string) => Pick<MissingSource, 'source' | 'isPart'> {
  const service = [...table].flatMap(([path, { origin }]) => (origin === 'service' ? [path] : []));
  const failed = new Set(service.filter((path) => causeAt(facts, path) === 'sourceFailed'));
  const answered = service.filter((path) => !failed.has(path) && isAnswered(facts, path));
  if (answered.length === 0 && new Set([...failed].map(beginningOf)).size > 1) return () => ({ source: WHOLE_SERVICE });
  const silent = declared
    .filter((source) => !answered.some((path) => source.facts.has(path)))
    .sort((one, other) => other.facts.size - one.facts.size);
  const partly = new Set(answered.map(beginningOf));
  return (path) => {
    const holder = silent.find((source) => source.facts.has(path));
    if (holder) return { source: holder.name };
    const source = beginningOf(path);
    return partly.has(source) ? { source, isPart: true } : { source };
  };
}

/** The causes of facts on which no source gave an answer. */
const UNANSWERED: readonly Cause[] = ['sourceFailed', 'notRequested', 'notGiven'];

/** Whether the source of a fact answered, with or without a value of the fact. */
function isAnswered(facts: Facts, path: string): boolean {
  const fact = factAt(facts, path);
  return !isMissing(fact) || !UNANSWERED.includes(fact.missing);
}

/** `email` of `email.domain.type`, and of `applicant.email`. */
function beginningOf(path: string): string {
  const [first = '', second] = path.split('.');
  return first === 'applicant' ? (second === 'phoneNo' ? 'phone' : (second ?? first)) : first;
}
