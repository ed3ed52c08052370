/** The names that lead to a field -> the subject of the field: its section, its topic, its concepts, and oddities. */

import { phraseOf, readName, splitWords, type Token } from './tokenise.ts';
import { type Concept, wholeWord } from './vocabulary.ts';

export type Section = 'phone' | 'email' | 'ip';
export type Topic =
  | 'operator'
  | 'porting'
  | 'domain'
  | 'mailbox'
  | 'behaviour'
  | 'darkWeb'
  | 'location'
  | 'isp'
  | 'provider';

/** The meaning of the names of a field. The leaf is the last name with a meaning. */
export interface Subject {
  readonly section: Section | undefined;
  readonly topic: Topic | undefined;
  /** The concepts of the leaf, and those of the leaf and the two names before it. */
  readonly leaf: ReadonlySet<Concept>;
  readonly tail: ReadonlySet<Concept>;
  /** All concepts from the section, or the root if there is none, to the leaf. */
  readonly inside: ReadonlySet<Concept>;
  /** Unknown words: of the leaf, and of the names between the section or topic and the leaf. */
  readonly unknownInLeaf: readonly string[];
  readonly unknownBetween: readonly string[];
  /** Whether a name is about a subject that the catalog does not have. */
  readonly isForeign: boolean;
  /** Whether the field repeats the request. */
  readonly isEcho: boolean;
  /** Concepts that change the meaning of the words around them. */
  readonly spoilers: readonly Concept[];
  /** Whether a name above says that everything below is about another party or another time, or is not real. */
  readonly isApart: boolean;
  /** Whether a word that counts is an abbreviation that no table has. */
  readonly isAbbreviated: boolean;
  /** How the value is presented: units, facets, texts in parentheses, numbers in the name. */
  readonly units: ReadonlySet<Concept>;
  readonly facets: ReadonlySet<Concept>;
  readonly aside: string;
  readonly numbers: readonly number[];
  /** The leaf and the name before it, for people. */
  readonly shown: string;
}

/** One name on the way to a field. */
interface Level {
  readonly text: string;
  readonly tokens: readonly Token[];
  readonly aside: string;
}

const SECTION_OF_TOPIC: Readonly<Partial<Record<Topic, Section>>> = {
  operator: 'phone',
  porting: 'phone',
  domain: 'email',
  mailbox: 'email',
  behaviour: 'email',
  darkWeb: 'email',
  location: 'ip',
  isp: 'ip',
};

/** The section that the names state, or that the topic belongs to. */
export function sectionOf({ section, topic }: Subject): Section | undefined {
  return section ?? (topic && SECTION_OF_TOPIC[topic]);
}

/** Reads the names of a field, from the root down. */
export function readSubject(names: readonly string[]): Subject {
  const levels = joinPhrases(names.map((text) => ({ text, ...readName(text) })));
  const leafIndex = levels.findLastIndex(({ tokens }) => tokens.some(isMeaningful));
  const end = Math.max(0, leafIndex);
  const leaf = levels.slice(end, leafIndex + 1);
  const above = levels.slice(0, end);
  const section = nearestSection(levels);
  const topic = nearestTopic(levels, section?.name);
  const sectionLevel = section?.level ?? 0;
  const tokens = levels.slice(sectionLevel).flatMap((level) => level.tokens);
  const trailing = levels.slice(end).flatMap((level) => level.tokens);
  const isTumbling = tokens.some(({ concept }) => concept === 'tumbling');
  return {
    section: section?.name,
    topic: topic?.name,
    leaf: conceptsOf(leaf),
    tail: conceptsOf([...above.filter((level) => level.tokens.some(isMeaningful)).slice(-2), ...leaf]),
    inside: new Set(tokens.flatMap(({ concept }) => concept ?? [])),
    unknownInLeaf: unknownWords(levels.slice(end)),
    unknownBetween: unknownWords(levels.slice(Math.max(sectionLevel, topic?.level ?? 0), end)),
    isForeign: tokens.some(({ role, word }) => role === 'foreign' && !belongsHere(word, topic?.name, isTumbling)),
    isEcho: levels.some((level, index) => isEcho(level) && !levels.slice(index + 1).some(isResult)),
    spoilers: tokens.flatMap(({ role, concept }) => (role === 'spoiler' && concept ? [concept] : [])),
    isApart: above.some((level) => level.tokens.some(isApart)) || isInAnother(levels, section?.name),
    isAbbreviated: tokens.some(({ role, isAbbreviated }) => isAbbreviated && role !== 'filler'),
    units: conceptsOfRole(trailing, 'unit'),
    facets: conceptsOfRole(trailing, 'facet'),
    aside: levels.map(({ aside }) => aside).join(' '),
    numbers: trailing.flatMap(({ role, word }) => (role === 'number' ? [Number(word)] : [])),
    shown: levels
      .slice(Math.max(0, leafIndex - 1), leafIndex + 1)
      .map(({ text }) => text)
      .join(' › '),
  };
}

/** The shown name in quotes, for a comment: one line, shortened, and without anything that could be personal data. */
export function quoteName({ shown }: Subject): string {
  const line = shown.replace(/[\p{C}\p{Z}]+/gu, ' ').trim();
  if (/\d{5}|@/.test(line)) return '"…"';
  return line.length > 60 ? `"${line.slice(0, 59).toWellFormed()}…"` : `"${line}"`;
}

/** Words of foreign subjects that belong to a topic: a local part to tumbling, a connection to its provider. */
function belongsHere(word: string, topic: Topic | undefined, isTumbling: boolean): boolean {
  if (isTumbling) return /^(?:local part|alias|username)/.test(word);
  return topic === 'isp' && /^(?:connection|asn|autonomous system)$/.test(word);
}

/** Whether a word names a subject or a property of it. */
function isMeaningful({ role }: Token): boolean {
  return role !== 'facet' && role !== 'unit' && role !== 'filler' && role !== 'number';
}

/** `request` and `input`; not `queryResult`, and nothing below `query: { results }`. */
function isEcho(level: Level): boolean {
  return !isResult(level) && level.tokens.some(({ concept }) => concept === 'submitted');
}

function isResult({ tokens }: Level): boolean {
  return tokens.some(({ role, word }) => role === 'filler' && /^(?:res|answer|output|returned)/.test(word));
}

const APART = new RegExp(
  [
    '^(?:prev|prior|former|earlier|sample|example|threshold|historic|old$|expected|default|peer|benchmark|baseline',
    'average|avg|max|min|legacy|deprecated|predicted|test$|limit|rules?$|triggers?$|alerts?$|company|organi[sz]ation)',
  ].join('|'),
);

/** Words that, above a field, change the meaning of everything below; other spoilers are harmless wrappers there. */
function isApart({ concept, word }: Token): boolean {
  return concept === 'otherParty' || APART.test(word);
}

/** Joins neighbouring names that form one phrase: `email` and `address`, `first` and `seen`, `line` and `type`. */
function joinPhrases(levels: readonly Level[]): readonly Level[] {
  const joined: Level[] = [];
  for (const level of levels) {
    const above = joined.at(-1);
    const phrase = above && phraseOf([...splitWords(above.text), ...splitWords(level.text)].map(wholeWord));
    // `result: { status }` may be the status of a phone number or mailbox, not of the call.
    const isResultStatus = phrase?.concept === 'outcome' && /^results?$/i.test(above?.text ?? '');
    joined.push(phrase && isMeaningful(phrase) && !isResultStatus ? { ...level, tokens: [phrase] } : level);
  }
  return joined;
}

function conceptsOf(levels: readonly Level[]): ReadonlySet<Concept> {
  return new Set(levels.flatMap(({ tokens }) => tokens.flatMap(({ concept }) => concept ?? [])));
}

function conceptsOfRole(tokens: readonly Token[], wanted: Token['role']): ReadonlySet<Concept> {
  return new Set(tokens.flatMap(({ role, concept }) => (role === wanted && concept ? [concept] : [])));
}

function unknownWords(levels: readonly Level[]): readonly string[] {
  return levels.flatMap(({ tokens }) => tokens.flatMap(({ role, word }) => (role === 'unknown' ? [word] : [])));
}

/** `phone: { emailRisk }`: a name states another section. `subscriber` is both a section and a person: not counted. */
function isInAnother(levels: readonly Level[], section: Section | undefined): boolean {
  return levels.some(({ tokens }) => {
    const named = tokens.filter(({ concept, word }) => concept && SECTIONS.has(concept) && PLAIN_SECTION.test(word));
    return section !== undefined && named.length > 0 && !named.some(({ concept }) => concept === section);
  });
}

const PLAIN_SECTION = /^(?:phone|telephone|msisdn|email|mail|ip)/;

const SECTIONS: ReadonlySet<string> = new Set(['phone', 'email', 'ip']);
const TOPICS: ReadonlySet<string> = new Set([...Object.keys(SECTION_OF_TOPIC), 'provider']);

interface Located<Name> {
  readonly name: Name;
  readonly level: number;
}

/** The last match, searched from the leaf to the root. */
function findNearest<Name>(
  levels: readonly Level[],
  match: (concept: Concept | undefined, level: number) => Located<Name> | undefined,
): Located<Name> | undefined {
  for (const [level, { tokens }] of [...levels.entries()].toReversed()) {
    for (const { concept } of tokens.toReversed()) {
      const profile = match(concept, level);
      if (profile) return profile;
    }
  }
  return undefined;
}

function nearestSection(levels: readonly Level[]): Located<Section> | undefined {
  return findNearest(levels, (concept, level) => {
    if (concept === 'mailbox') return { name: 'email', level };
    if (concept === 'phoneType' || concept === 'phoneStatus') return { name: 'phone', level };
    if (!concept || !SECTIONS.has(concept)) return undefined;
    // The section starts at its first name: in `phone.porting.phoneRisk`, everything between counts.
    const topmost = levels.findIndex(({ tokens }) => tokens.some((token) => token.concept === concept));
    return { name: concept as Section, level: topmost };
  });
}

function nearestTopic(levels: readonly Level[], section: Section | undefined): Located<Topic> | undefined {
  return findNearest(levels, (concept, level) => {
    if (concept && TOPICS.has(concept)) return { name: concept as Topic, level };
    // Only below email is an address a mailbox: elsewhere it is an IP address or where a person lives.
    return concept === 'address' && section === 'email' ? { name: 'mailbox', level } : undefined;
  });
}
