/** Candidates, the best first -> the one place of each fact, and the others that fit it as well and say something else. */

import { CATALOG_TABLE } from '../../facts/catalog.ts';
import { spellingKey } from '../../facts/mapping/value/spelling-key.ts';
import { type Concept, type Role, VOCABULARY } from '../names/vocabulary.ts';
import type { Spot } from '../structure/collect-fields.ts';
import { type DayOrder, readDays } from '../values/days.ts';
import { enumValueOf } from '../values/enums.ts';
import { levelOf } from '../values/levels.ts';
import { isCommonPlaceholder } from '../values/placeholder.ts';
import { type Candidate, least } from './candidates.ts';
import type { ProposedSignal } from './proposed-signal.ts';

/** The place of a fact. */
export interface Choice {
  readonly best: Candidate;
  /** Others that fit as well, and have other values. */
  readonly rivals: readonly Candidate[];
}

/** A difference in rank that means nothing: a section that is named beside one that is understood. */
const SAME_RANK = 2.5;

/** The best place of each fact, no place for two; `candidates` are in order. */
export function choose(candidates: readonly Candidate[], order: DayOrder): Map<string, Choice> {
  const chosen = new Map<string, Candidate>();
  const taken = new Set<string>();
  for (const candidate of candidates) {
    const { path } = candidate.profile;
    if (chosen.has(path) || taken.has(candidate.spot.place)) continue;
    chosen.set(path, candidate);
    taken.add(candidate.spot.place);
  }
  return new Map(
    [...chosen].map(([path, best]) => {
      const rivals = candidates.filter(
        (other) =>
          other.profile.path === path &&
          !taken.has(other.spot.place) &&
          other.rank > best.rank - SAME_RANK &&
          !areFacets(best, other) &&
          differ(path, best.spot, other.spot, order),
      );
      return [path, { best, rivals }];
    }),
  );
}

/** `operator` is the current one, beside `originalOperator` or alone; `network` alone may be a kind of network. */
export function completeOperators(chosen: Map<string, Choice>): Map<string, Choice> {
  const current = chosen.get('phone.operator.current');
  const original = chosen.get('phone.operator.original')?.best;
  if (!current || current.best.head.words.length > 0) return chosen;
  const { best } = current;
  const isBeside = original && holderOf(best) === holderOf(original) && original.sureness !== 'guess';
  if (!isBeside && !isOperator(best)) return chosen;
  const why = [...best.why, isBeside ? 'the original one stands beside it' : 'an operator without more is that of now'];
  return chosen.set('phone.operator.current', {
    ...current,
    best: { ...best, sureness: least(['likely', best.otherwise]), why },
  });
}

const OF_OPERATOR: ReadonlySet<Role> = new Set(['section', 'topic', 'filler', 'facet']);
const BESIDE_OPERATOR: ReadonlySet<Concept> = new Set(['phoneType', 'current', 'status']);

/** Named as a company is, and no `4G` or `LTE`. */
function isOperator({ spot, subject }: Candidate): boolean {
  const values = spot.samples.map(({ value }) => String(value ?? ''));
  if (
    [...subject.inside].some((concept) => !OF_OPERATOR.has(VOCABULARY[concept].role) && !BESIDE_OPERATOR.has(concept))
  ) {
    return false;
  }
  const isKind = values.some((value) => /^\s*(?:[2-6]G|LTE|GSM|UMTS|CDMA|EDGE|NR)\b/i.test(value));
  return !isKind && /carrier|operator|(?:^|[\W_])mno\b/i.test(subject.shown);
}

/** What it is a field of: of `carrier: { name }` that which has the carrier. */
function holderOf({ spot, subject }: Candidate): string {
  return subject.facets.size > 0 ? spot.parent.replace(/(?:\.\w+|\[[^[\]]*\])$/, '') : spot.parent;
}

/** Two sides of one thing, such as a code and its label. */
function areFacets(a: Candidate, b: Candidate): boolean {
  const isFacet = a.subject.facets.size > 0 || b.subject.facets.size > 0;
  return (
    isFacet && (a.spot.parent === b.spot.parent || a.spot.place === b.spot.parent || b.spot.place === a.spot.parent)
  );
}

/** Whether some answer has something else at the one place than at the other. */
function differ(path: string, a: Spot, b: Spot, order: DayOrder): boolean {
  const values = new Map(a.samples.map(({ answer, value }) => [answer, meaningOf(path, value, order)]));
  return b.samples.some(({ answer, value }) => values.get(answer) !== meaningOf(path, value, order));
}

/** What two spellings of one value have in common. */
function meaningOf(path: string, value: Spot['samples'][number]['value'], order: DayOrder): string {
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

/** The line of a fact with a place of its own. */
export function lineOf(
  { profile, spot, reading, sureness, why }: Candidate,
  rivals: readonly Candidate[],
): ProposedSignal {
  const doubt = rivals.length > 0 ? ['another place fits as well and has another value'] : [];
  return {
    path: profile.path,
    at: spot.place,
    keys: reading.keys,
    sureness: rivals.length > 0 ? 'guess' : sureness,
    why: [...why, ...reading.why, ...doubt],
    ask: [...reading.ask, ...(rivals.length > 0 ? ['which of them is it?'] : [])],
  };
}
