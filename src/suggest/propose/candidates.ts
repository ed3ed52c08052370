/** The places of the answers -> for each fact those that can be its own, with how sure each is and why. */

import { CATALOG, type FactType } from '../../facts/catalog.ts';
import type { Scalar } from '../../facts/mapping/value/spelling-key.ts';
import { type Head, PROFILES, type Profile, type Sureness } from '../names/profiles.ts';
import { type Section, type Subject, sectionOfTopic } from '../names/subject.ts';
import type { Concept } from '../names/vocabulary.ts';
import { VOCABULARY } from '../names/vocabulary.ts';
import type { Spot } from '../structure/collect-fields.ts';
import { readValues } from '../values/read-values.ts';
import type { Evidence, Reading } from '../values/reading.ts';

/** A place that can be a fact's. */
export interface Candidate {
  readonly profile: Profile;
  readonly spot: Spot;
  readonly subject: Subject;
  readonly reading: Reading;
  readonly sureness: Sureness;
  /** The same, but for the words of its name. */
  readonly otherwise: Sureness;
  readonly head: Head;
  /** The greater, the better it fits. */
  readonly rank: number;
  readonly why: readonly string[];
}

/** A place, with what its names say. */
export interface Told {
  readonly spot: Spot;
  readonly subject: Subject;
}

/** What the answers say beside a place's own values. */
export interface Context {
  readonly evidenceOf: (told: Told) => Evidence;
  /** Whether the value itself stands beside it: it tells of that value, such as when it was found. */
  readonly isBesideValue: (spot: Spot) => boolean;
  /** The samples of a place that count for a fact: not those of answers whose source failed. */
  readonly samplesOf: (spot: Spot, path: string) => Spot['samples'];
}

interface Match {
  readonly profile: Profile;
  readonly told: Told;
  readonly head: Head;
  readonly index: number;
  readonly reading: Reading;
}

/** So many facts below an unknown name make it a wrapper of all of them, and no subject of its own. */
const WRAPPED_FACTS = 3;

/** All candidates, the best first; the order is the same for the same answers. */
export function findCandidates(places: readonly Told[], context: Context): readonly Candidate[] {
  const matches = PROFILES.flatMap((profile) => places.flatMap((told) => matchOne(profile, told, context) ?? []));
  const wrappers = wrapperWords(matches);
  const only = sectionsOfParents(places);
  const isIpTold = places.some(({ subject: { section, topic, isEcho } }) => {
    return !isEcho && (section === 'ip' || topic === 'isp');
  });
  return matches
    .map((match) => judge(match, wrappers, only.get(match.told.spot.parent) ?? only.get('$'), isIpTold))
    .toSorted((a, b) => b.rank - a.rank);
}

function matchOne(profile: Profile, told: Told, { evidenceOf, samplesOf, isBesideValue }: Context): Match | undefined {
  const { spot, subject } = told;
  if (isBesideValue(spot)) return undefined;
  if (spot.kind !== 'value' || subject.isEcho || subject.foreign || !isInSection(profile, subject)) return undefined;
  const index = profile.heads.findIndex(
    (head) => isHead(head, profile, subject) && strangersIn(subject.leaf, profile, head).length === 0,
  );
  const found = profile.heads[index];
  if (!found) return undefined;
  const samples = samplesOf(spot, profile.path);
  if (differWithin(samples)) return undefined;
  const values = samples.map(({ value }) => value);
  const reading = readValues(profile.path, values, subject, evidenceOf(told));
  if (!reading || (found.needsValues && reading.read === 0)) return undefined;
  return { profile, told, head: found, index, reading };
}

/** The nearest section is the fact's, or none is named; the topic is one of the fact's. */
function isInSection({ section, topics }: Profile, subject: Subject): boolean {
  const named = subject.section ?? sectionOfTopic(subject.topic);
  return (named === undefined || named === section) && topics.includes(subject.topic ?? 'none');
}

/** The last name of what a type of fact is; the name before it says which: `firstSeen: { date }`. */
const GENERIC: Readonly<Partial<Record<FactType, readonly Concept[]>>> = {
  date: ['date'],
  integer: ['count'],
  number: ['score', 'rating'],
  level: ['level', 'rating'],
};

function isHead({ words }: Head, { path, topics }: Profile, { leaf, tail, topic }: Subject): boolean {
  if (!words.every((word) => tail.has(word))) return false;
  if (words.length === 0) return topic !== undefined && topics.includes(topic) && leaf.has(topic);
  const generic = GENERIC[CATALOG[path].type] ?? [];
  return words.some((word) => leaf.has(word)) || (leaf.size > 0 && [...leaf].every((one) => generic.includes(one)));
}

/** Concepts that change nothing in any name. */
const HARMLESS: ReadonlySet<Concept> = new Set(['address', 'mailbox', 'filler', 'overall', 'facet', 'code']);

/** Concepts of the last name that the fact cannot account for. */
function strangersIn(concepts: Iterable<Concept>, profile: Profile, head: Head): readonly Concept[] {
  const { path, section, topics, beside = [], allowed = [] } = profile;
  const known = new Set<string>([
    ...head.words,
    ...beside,
    ...allowed,
    section,
    ...topics,
    ...(GENERIC[CATALOG[path].type] ?? []),
  ]);
  return [...concepts].filter((concept) => {
    const { role } = VOCABULARY[concept];
    if (known.has(concept) || HARMLESS.has(concept) || role === 'unit' || role === 'filler') return false;
    return !(concept === 'current' && path !== 'phone.operator.original');
  });
}

/** Whether one answer has two values here that differ: which is the fact's, nothing tells. */
function differWithin(samples: Spot['samples']): boolean {
  const first = new Map<number, Scalar | null>();
  return samples.some(({ answer, value }) => {
    if (first.has(answer)) return first.get(answer) !== value;
    first.set(answer, value);
    return false;
  });
}

/** Unknown words that stand in the places of several facts, such as the service's own name. */
function wrapperWords(matches: readonly Match[]): ReadonlySet<string> {
  const facts = new Map<string, Set<string>>();
  for (const { profile, told, head } of matches) {
    if (head.sureness === 'guess') continue;
    for (const word of [...told.subject.unknownInLeaf, ...told.subject.unknownBetween]) {
      facts.set(word, (facts.get(word) ?? new Set()).add(profile.path));
    }
  }
  return new Set([...facts].flatMap(([word, paths]) => (paths.size >= WRAPPED_FACTS ? [word] : [])));
}

/** Concepts that make another thing of all that stands below them. */
const MEANINGFUL: ReadonlySet<Concept> = new Set([
  ...(['history', 'original', 'first', 'last', 'tumbling', 'activity', 'forum', 'created', 'trust', 'age'] as const),
  ...(['hit', 'latitude', 'longitude', 'organisation', 'verified'] as const),
]);

/** A column of a table that names them elsewhere. */
const COLUMN = /\[\*\]\[\d+\]/;

const POINTS: Readonly<Record<Sureness, number>> = { sure: 30, likely: 20, guess: 10 };

function judge(
  { profile, told: { spot, subject }, head, index, reading }: Match,
  wrappers: ReadonlySet<string>,
  only: Section | undefined,
  isIpTold: boolean,
): Candidate {
  const inLeaf = subject.unknownInLeaf.filter((word) => !wrappers.has(word));
  const between = subject.unknownBetween.filter((word) => !wrappers.has(word));
  const spoilers = subject.spoilers.filter((word) => !profile.allowed?.includes(word) && word !== 'submitted');
  const strange = strangersIn(
    [...subject.inside].filter((concept) => !subject.leaf.has(concept) && MEANINGFUL.has(concept)),
    profile,
    head,
  );
  const section = subject.section ?? sectionOfTopic(subject.topic);
  const isColumn = COLUMN.test(spot.place);
  const doubts = [
    ...(section === undefined ? [profile.unmistakable || only === profile.section ? 'likely' : 'guess'] : []),
    ...(subject.isApart ? ['guess'] : []),
    // Where the place is one of an IP address only because places on a map are, and nothing else is told of one.
    ...(subject.section === undefined && subject.topic === 'location' ? [isIpTold ? 'likely' : 'guess'] : []),
    ...(inLeaf.length + between.length > 0 ? ['guess'] : []),
    ...(spoilers.length > 0 || strange.length > 0 ? ['guess'] : []),
    ...(subject.shortened ? ['likely'] : []),
    ...(isColumn ? ['likely'] : []),
    reading.sureness,
  ] as const;
  const rank =
    POINTS[head.sureness] -
    index / 10 +
    (subject.section ? 4 : section ? 3 : only === profile.section ? 1 : 0) +
    (subject.topic && subject.topic !== 'provider' ? 3 : 0) -
    (subject.facets.has('code') ? 3 : 0) -
    8 * inLeaf.length -
    4 * between.length -
    10 * spoilers.length -
    (subject.isApart ? 10 : 0) -
    6 * strange.length -
    (subject.shortened ? 2 : 0) -
    (reading.read > 0 ? 0 : reading.asked > 0 ? 15 : 5) -
    spot.names.length / 100;
  const why = [
    `named "${cleanName(subject.shown)}"`,
    ...(section === undefined ? [`nothing there says that it is of the ${SECTION_WORDS[profile.section]}`] : []),
    ...(inLeaf.length + between.length > 0 ? ['its name has a word that is not known'] : []),
    ...(spoilers.length + strange.length > 0 || subject.isApart ? ['a word beside may make another thing of it'] : []),
    ...(subject.shortened ? ['a word of it is shortened'] : []),
    ...(isColumn ? ['found by the number of its column'] : []),
  ];
  const ask = [...reading.ask, ...(isColumn ? ['does the order of the columns ever change?'] : [])];
  const otherwise = least(doubts);
  return {
    profile,
    spot,
    subject,
    reading: { ...reading, ask },
    head,
    sureness: least([head.sureness, otherwise]),
    otherwise,
    rank,
    why,
  };
}

/**
 * The one section of which several fields of a map tell, which are then those of the others beside them too; and under `$`
 * the one of which everything in the answers tells, such as the phone number where nothing else was asked about.
 */
function sectionsOfParents(places: readonly Told[]): ReadonlyMap<string, Section> {
  const all = places.flatMap(({ spot, subject }) => {
    const section = subject.section ?? sectionOfTopic(subject.topic);
    return section === undefined ? [] : [{ parent: spot.parent, section }];
  });
  const sections = new Map<string, Section>();
  for (const [parent, told] of [['$', all] as const, ...Map.groupBy(all, ({ parent }) => parent)]) {
    const [first] = told;
    const isOne = first !== undefined && told.every(({ section }) => section === first.section);
    if (isOne && told.length > 1) sections.set(parent, first.section);
    else if (parent === '$' || !isOne) sections.delete(parent);
  }
  return sections;
}

const SECTION_WORDS = { phone: 'phone number', email: 'email', ip: 'IP address' } as const;

/** The least of several surenesses. */
export function least(surenesses: readonly (Sureness | string)[]): Sureness {
  if (surenesses.includes('guess')) return 'guess';
  return surenesses.includes('likely') ? 'likely' : 'sure';
}

/** A name for a comment: one line, no longer than a name is, and nothing that could be an applicant's. */
export function cleanName(name: string): string {
  const line = name.replace(/[\p{C}\p{Z}]+/gu, ' ').trim();
  if (/\d{5}|@/.test(line)) return '…';
  return line.length > 60 ? `${line.slice(0, 59).toWellFormed()}…` : line;
}
