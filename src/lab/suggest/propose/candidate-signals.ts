/** The fields of the answers -> for each fact the fields that may hold it, with how sure each is and why. */

import { CATALOG, type FactType } from '../../../facts/catalog.ts';
import type { Scalar } from '../../../facts/mapping/value/spelling-key.ts';
import { type Head, PROFILES, type Profile } from '../names/profiles.ts';
import { quoteName, type Section, type Subject, sectionOf } from '../names/subject.ts';
import { type Concept, roleOf } from '../names/vocabulary.ts';
import type { AnswerField, Sample } from '../structure/collect-fields.ts';
import { leastSure, type Sureness } from '../sureness.ts';
import { readValues } from '../values/read-values.ts';
import type { Evidence, Reading } from '../values/reading.ts';

/** A field that may hold a fact. */
export interface Candidate {
  readonly profile: Profile;
  readonly field: AnswerField;
  readonly reading: Reading;
  readonly head: Head;
  readonly sureness: Sureness;
  /** The sureness that everything but the head allows. */
  readonly surenessWithoutHead: Sureness;
  /** Higher is better. */
  readonly rank: number;
  readonly why: readonly string[];
}

/** Information about fields from the rest of the answers. */
export interface Context {
  readonly evidenceOf: (field: AnswerField) => Evidence;
  /** Whether the value is in a sibling that this field describes: a date next to `value`, for instance. */
  readonly isAnnotation: (field: AnswerField) => boolean;
  /** The samples of a field that count for a fact: not those of answers whose source failed. */
  readonly samplesOf: (field: AnswerField, path: string) => readonly Sample[];
}

type Match = NonNullable<ReturnType<typeof matchField>>;

/** An unknown name above this many facts is a wrapper of all of them, not a subject of its own. */
const WRAPPED_FACTS = 3;

/** All candidates, the best first; the same answers give the same order. */
export function findCandidates(fields: readonly AnswerField[], context: Context): readonly Candidate[] {
  const matches = PROFILES.flatMap((profile) => fields.flatMap((field) => matchField(profile, field, context) ?? []));
  const wrappers = wrapperWords(matches);
  const onlySections = findOnlySections(fields);
  const hasIp = fields.some(
    ({ subject: { section, topic, isEcho } }) => !isEcho && (section === 'ip' || topic === 'isp'),
  );
  return matches
    .map((match) => judge(match, wrappers, onlySections.get(match.field.parent) ?? onlySections.get('$'), hasIp))
    .toSorted((a, b) => b.rank - a.rank);
}

function matchField(profile: Profile, field: AnswerField, { evidenceOf, samplesOf, isAnnotation }: Context) {
  const { kind, subject } = field;
  if (isAnnotation(field)) return undefined;
  if (kind !== 'value' || subject.isEcho || subject.isForeign || !isInSection(profile, subject)) return undefined;
  const headIndex = profile.heads.findIndex(
    (head) => matchesHead(head, profile, subject) && findStrangers(subject.leaf, profile, head).length === 0,
  );
  const head = profile.heads[headIndex];
  if (!head) return undefined;
  const samples = samplesOf(field, profile.path);
  if (isAmbiguous(samples)) return undefined;
  const values = samples.map(({ value }) => value);
  const reading = readValues(profile.path, values, subject, evidenceOf(field));
  if (!reading || (head.needsValues && reading.outcome !== 'readable')) return undefined;
  return { profile, field, head, headIndex, reading };
}

/** Whether the section is the fact's or none is named, and the topic is one of the fact's. */
function isInSection({ section, topics }: Profile, subject: Subject): boolean {
  return (sectionOf(subject) ?? section) === section && topics.includes(subject.topic ?? 'none');
}

/** Leaf concepts that only repeat the type of a fact; the name before says which: `firstSeen: { date }`. */
const GENERIC: Readonly<Partial<Record<FactType, readonly Concept[]>>> = {
  date: ['date'],
  integer: ['count'],
  number: ['score', 'rating'],
  level: ['level', 'rating'],
};

function matchesHead({ words }: Head, { path, topics }: Profile, { leaf, tail, topic }: Subject): boolean {
  if (!words.every((word) => tail.has(word))) return false;
  if (words.length === 0) return topic !== undefined && topics.includes(topic) && leaf.has(topic);
  const generic = GENERIC[CATALOG[path].type] ?? [];
  return words.some((word) => leaf.has(word)) || (leaf.size > 0 && [...leaf].every((one) => generic.includes(one)));
}

/** Concepts that do not change the meaning of a name. */
const HARMLESS: ReadonlySet<Concept> = new Set(['address', 'mailbox', 'filler', 'overall', 'facet', 'code']);

/** The concepts that a fact cannot account for. */
function findStrangers(concepts: Iterable<Concept>, profile: Profile, head: Head): readonly Concept[] {
  const { path, section, topics, companions = [], allowed = [] } = profile;
  const generic = GENERIC[CATALOG[path].type] ?? [];
  const knownConcepts = new Set<string>([...head.words, ...companions, ...allowed, section, ...topics, ...generic]);
  return [...concepts].filter((concept) => {
    const role = roleOf(concept);
    if (knownConcepts.has(concept) || HARMLESS.has(concept) || role === 'unit' || role === 'filler') return false;
    return !(concept === 'current' && path !== 'phone.operator.original');
  });
}

/** Whether one answer has two different values, so that it is unclear which is the fact's. */
function isAmbiguous(samples: readonly Sample[]): boolean {
  const first = new Map<number, Scalar | null>();
  return samples.some(({ answer, value }) => {
    if (first.has(answer)) return first.get(answer) !== value;
    first.set(answer, value);
    return false;
  });
}

/** Unknown words in the names of several facts, such as the service's own name. */
function wrapperWords(matches: readonly Match[]): ReadonlySet<string> {
  const facts = new Map<string, Set<string>>();
  for (const { profile, field, head } of matches) {
    if (head.sureness === 'guess') continue;
    for (const word of [...field.subject.unknownInLeaf, ...field.subject.unknownBetween]) {
      facts.set(word, (facts.get(word) ?? new Set()).add(profile.path));
    }
  }
  return new Set([...facts].flatMap(([word, paths]) => (paths.size >= WRAPPED_FACTS ? [word] : [])));
}

/** Concepts that change the meaning of everything below them. */
const MEANINGFUL: ReadonlySet<Concept> = new Set([
  ...(['history', 'original', 'first', 'last', 'tumbling', 'activity', 'forum', 'created', 'trust', 'age'] as const),
  ...(['hit', 'latitude', 'longitude', 'organisation', 'verified'] as const),
]);

/** A column of a table whose names are elsewhere. */
const COLUMN = /\[\*\]\[\d+\]/;

const POINTS: Readonly<Record<Sureness, number>> = { sure: 30, likely: 20, guess: 10 };
const PENALTY: Readonly<Record<Reading['outcome'], number>> = { readable: 0, noValues: 5, unreadable: 15 };

/** The rank and the sureness of a match. `onlySection` is the section that all siblings belong to. */
function judge(
  { profile, field, head, headIndex, reading }: Match,
  wrappers: ReadonlySet<string>,
  onlySection: Section | undefined,
  hasIp: boolean,
): Candidate {
  const { subject } = field;
  const unknownInLeaf = subject.unknownInLeaf.filter((word) => !wrappers.has(word)).length;
  const unknownBetween = subject.unknownBetween.filter((word) => !wrappers.has(word)).length;
  const spoilers = subject.spoilers.filter((word) => !profile.allowed?.includes(word) && word !== 'submitted').length;
  const above = [...subject.inside].filter((concept) => !subject.leaf.has(concept) && MEANINGFUL.has(concept));
  const strangers = findStrangers(above, profile, head).length;
  const section = sectionOf(subject);
  const hasUnknown = unknownInLeaf + unknownBetween > 0;
  const isOnlySection = onlySection === profile.section;
  const isColumn = COLUMN.test(field.jsonPath);
  const limits: Sureness[] = [reading.sureness];
  if (section === undefined) limits.push(profile.isUnmistakable || isOnlySection ? 'likely' : 'guess');
  // Coordinates are those of the IP address only by convention: likely if the answer has anything else about one.
  if (subject.section === undefined && subject.topic === 'location') limits.push(hasIp ? 'likely' : 'guess');
  if (subject.isApart || hasUnknown || spoilers + strangers > 0) limits.push('guess');
  if (subject.isAbbreviated || isColumn) limits.push('likely');
  const rank =
    POINTS[head.sureness] -
    headIndex / 10 +
    (subject.section ? 4 : section ? 3 : isOnlySection ? 1 : 0) +
    (subject.topic && subject.topic !== 'provider' ? 3 : 0) -
    (subject.facets.has('code') ? 3 : 0) -
    8 * unknownInLeaf -
    4 * unknownBetween -
    10 * spoilers -
    (subject.isApart ? 10 : 0) -
    6 * strangers -
    (subject.isAbbreviated ? 2 : 0) -
    PENALTY[reading.outcome] -
    field.names.length / 100;
  const why = [
    `named ${quoteName(subject)}`,
    ...(section === undefined ? [`no name says that it belongs to the ${SECTION_WORDS[profile.section]}`] : []),
    ...(hasUnknown ? ['its name has an unknown word'] : []),
    ...(spoilers + strangers > 0 || subject.isApart ? ['another word in its path may change its meaning'] : []),
    ...(subject.isAbbreviated ? ['its name has an uncommon abbreviation'] : []),
    ...(isColumn ? ['found by its column number'] : []),
  ];
  const ask = [...reading.ask, ...(isColumn ? ['does the order of the columns ever change?'] : [])];
  const sureness = leastSure([head.sureness, ...limits]);
  const surenessWithoutHead = leastSure(limits);
  return { profile, field, reading: { ...reading, ask }, head, sureness, surenessWithoutHead, rank, why };
}

const SECTION_WORDS = { phone: 'phone number', email: 'email', ip: 'IP address' } as const;

/**
 * By parent, the section that two or more of its fields belong to and none contradicts: its other fields then belong
 * to it too. Under `$`, the only section of all fields, such as the phone number if nothing else was asked about.
 */
function findOnlySections(fields: readonly AnswerField[]): ReadonlyMap<string, Section> {
  const all = fields.flatMap(({ parent, subject }) => {
    const section = sectionOf(subject);
    return section === undefined ? [] : [{ parent, section }];
  });
  const sections = new Map<string, Section>();
  for (const [parent, group] of [['$', all] as const, ...Map.groupBy(all, (one) => one.parent)]) {
    const [first] = group;
    const isOne = first !== undefined && group.every(({ section }) => section === first.section);
    if (isOne && group.length > 1) sections.set(parent, first.section);
    else if (parent === '$' || !isOne) sections.delete(parent);
  }
  return sections;
}
