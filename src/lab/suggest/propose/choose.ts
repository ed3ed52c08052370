/** Candidates, the best first -> the one field of each fact, and the rivals that fit equally well but differ. */

import { CATALOG_TABLE } from '../../../facts/catalog.ts';
import { type Scalar, spellingKey } from '../../../facts/mapping/value/spelling-key.ts';
import { type Concept, type Role, roleOf } from '../names/vocabulary.ts';
import type { AnswerField } from '../structure/collect-fields.ts';
import { leastSure } from '../sureness.ts';
import { type DayOrder, readDays } from '../values/days.ts';
import { enumValueOf } from '../values/enums.ts';
import { levelOf } from '../values/levels.ts';
import { isCommonPlaceholder } from '../values/placeholder.ts';
import type { Candidate } from './candidate-signals.ts';
import type { ProposedSignal } from './proposed-signal.ts';

/** The field of a fact. */
export interface Choice {
  readonly best: Candidate;
  /** Other candidates that fit equally well and have other values. */
  readonly rivals: readonly Candidate[];
}

/** A smaller difference in rank means nothing: that of a section which is named and one which is inferred. */
const SAME_RANK = 2.5;

/** Chooses the best field of each fact, no field for two facts. INVARIANT: `candidates` are in order of rank. */
export function choose(candidates: readonly Candidate[], order: DayOrder): Map<string, Choice> {
  const chosen = new Map<string, Candidate>();
  const taken = new Set<string>();
  for (const candidate of candidates) {
    const { path } = candidate.profile;
    if (chosen.has(path) || taken.has(candidate.field.jsonPath)) continue;
    chosen.set(path, candidate);
    taken.add(candidate.field.jsonPath);
  }
  const isRival = (path: string, best: Candidate, other: Candidate) =>
    other.profile.path === path &&
    !taken.has(other.field.jsonPath) &&
    other.rank > best.rank - SAME_RANK &&
    !areFacets(best.field, other.field) &&
    differ(path, best.field, other.field, order);
  return new Map(
    [...chosen].map(([path, best]) => [path, { best, rivals: candidates.filter((one) => isRival(path, best, one)) }]),
  );
}

/** An operator without a qualifier is the current one, if the original one is next to it or its name is clear. */
export function completeOperators(chosen: Map<string, Choice>): Map<string, Choice> {
  const current = chosen.get('phone.operator.current');
  const original = chosen.get('phone.operator.original')?.best;
  if (!current || current.best.head.words.length > 0) return chosen;
  const { best } = current;
  const hasOriginal =
    original !== undefined && holderOf(best.field) === holderOf(original.field) && original.sureness !== 'guess';
  if (!hasOriginal && !isOperator(best.field)) return chosen;
  const why = hasOriginal
    ? 'the original operator is next to it'
    : 'an operator without a qualifier is the current one';
  return chosen.set('phone.operator.current', {
    ...current,
    best: { ...best, sureness: leastSure(['likely', best.surenessWithoutHead]), why: [...best.why, why] },
  });
}

const OPERATOR_ROLES: ReadonlySet<Role> = new Set(['section', 'topic', 'filler', 'facet']);
const OPERATOR_CONCEPTS: ReadonlySet<Concept> = new Set(['phoneType', 'current', 'status']);

/** Whether the name means a company: `network` may be a kind of network, and so are values such as `4G` and `LTE`. */
function isOperator({ samples, subject: { inside, shown } }: AnswerField): boolean {
  if ([...inside].some((concept) => !OPERATOR_ROLES.has(roleOf(concept)) && !OPERATOR_CONCEPTS.has(concept))) {
    return false;
  }
  const values = samples.map(({ value }) => String(value ?? ''));
  const isKind = values.some((value) => /^\s*(?:[2-6]G|LTE|GSM|UMTS|CDMA|EDGE|NR)\b/i.test(value));
  return !isKind && /carrier|operator|(?:^|[\W_])mno\b/i.test(shown);
}

/** The map that holds the field or, for `carrier: { name }`, the map that holds the carrier. */
function holderOf({ parent, subject }: AnswerField): string {
  return subject.facets.size > 0 ? parent.replace(/(?:\.\w+|\[[^[\]]*\])$/, '') : parent;
}

/** Whether they are two forms of one value, such as a code and its label. */
function areFacets(a: AnswerField, b: AnswerField): boolean {
  const isFacet = a.subject.facets.size > 0 || b.subject.facets.size > 0;
  return isFacet && (a.parent === b.parent || a.jsonPath === b.parent || b.jsonPath === a.parent);
}

/** Whether the two fields mean something else in some answer. */
function differ(path: string, a: AnswerField, b: AnswerField, order: DayOrder): boolean {
  const values = new Map(a.samples.map(({ answer, value }) => [answer, meaningOf(path, value, order)]));
  return b.samples.some(({ answer, value }) => values.get(answer) !== meaningOf(path, value, order));
}

/** The same for all spellings of one value. */
function meaningOf(path: string, value: Scalar | null, order: DayOrder): string {
  if (isCommonPlaceholder(value) || value === null) return '';
  const text = String(value).trim();
  const type = CATALOG_TABLE.get(path)?.type;
  const meaning = {
    date: () => readDays([value], order)?.days.get(text),
    level: () => levelOf(text),
    enum: () => enumValueOf(path, text),
  };
  const read = type === 'date' || type === 'level' || type === 'enum' ? meaning[type]() : undefined;
  return read ?? spellingKey(text);
}

/** The signal of a chosen candidate. */
export function signalOf({ profile, field, reading, sureness, why }: Candidate, hasRivals: boolean): ProposedSignal {
  return {
    path: profile.path,
    at: field.jsonPath,
    keys: reading.keys,
    sureness: hasRivals ? 'guess' : sureness,
    why: [...why, ...reading.why, ...(hasRivals ? ['another field fits as well and has another value'] : [])],
    ask: [...reading.ask, ...(hasRivals ? ['which field is the right one?'] : [])],
  };
}
