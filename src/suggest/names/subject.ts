/** The names that lead to a place -> of what it tells: its section, its topic, the words at its end and what is strange there. */

import { wholeWord } from './abbreviations.ts';
import { phraseOf, readName, splitWords, type Token } from './tokenise.ts';
import type { Concept } from './vocabulary.ts';

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

/** What the names of a place say. */
export interface Subject {
  readonly section: Section | undefined;
  readonly topic: Topic | undefined;
  /** The concepts of the last name that says anything, and those of it and the two before it. */
  readonly leaf: ReadonlySet<Concept>;
  readonly tail: ReadonlySet<Concept>;
  /** All concepts between the section, or the root where there is none, and the end. */
  readonly inside: ReadonlySet<Concept>;
  /** Words of the last name, and of the names between section or topic and it, that the vocabulary does not know. */
  readonly unknownInLeaf: readonly string[];
  readonly unknownBetween: readonly string[];
  /** Whether something there is told of a subject that the catalog does not have. */
  readonly foreign: boolean;
  /** Whether it repeats what was asked. */
  readonly isEcho: boolean;
  /** Words that make another thing of what they stand beside. */
  readonly spoilers: readonly Concept[];
  /** Whether a name above says that all below it is of another party, of another time, or made up. */
  readonly isApart: boolean;
  /** Whether a word that counts was made out only as a shortened one. */
  readonly shortened: boolean;
  /** How the value is presented: units, codes, what stands in parentheses, numbers in the name. */
  readonly units: ReadonlySet<Concept>;
  readonly facets: ReadonlySet<Concept>;
  readonly aside: string;
  readonly numbers: readonly number[];
  /** The last name that says anything, and the one before it, for people. */
  readonly shown: string;
}

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

/** The section that a topic belongs to, where nothing else says so. */
export function sectionOfTopic(topic: Topic | undefined): Section | undefined {
  return topic && SECTION_OF_TOPIC[topic];
}

/** Reads the names of a place, the root's first. */
export function readSubject(names: readonly string[]): Subject {
  const levels = joinPhrases(names.map((text) => ({ text, ...readName(text) })));
  const end = levels.findLastIndex(({ tokens }) => tokens.some(says));
  const last = levels[end];
  const section = nearestSection(levels);
  const from = Math.max(0, section?.level ?? 0);
  const topic = nearestTopic(levels, section?.name);
  const begins = Math.max(from, topic?.level ?? 0);
  const region = levels.slice(from);
  const tokens = region.flatMap((level) => level.tokens);
  const isTumbling = tokens.some(({ concept }) => concept === 'tumbling');
  const before = levels.slice(0, Math.max(0, end)).filter((level) => level.tokens.some(says));
  const trailing = levels.slice(Math.max(0, end)).flatMap((level) => level.tokens);
  return {
    section: section?.name,
    topic: topic?.name,
    leaf: conceptsOf(last ? [last] : []),
    tail: conceptsOf([...before.slice(-2), ...(last ? [last] : [])]),
    inside: new Set(tokens.flatMap(({ concept }) => concept ?? [])),
    unknownInLeaf: unknownOf(levels.slice(Math.max(0, end))),
    unknownBetween: unknownOf(levels.slice(begins, Math.max(0, end))),
    foreign: tokens.some(({ role, word }) => role === 'foreign' && !belongs(word, topic?.name, isTumbling)),
    isEcho: levels.some((level, index) => isEcho(level) && !levels.slice(index + 1).some(isResult)),
    spoilers: tokens.flatMap(({ role, concept }) => (role === 'spoiler' && concept ? [concept] : [])),
    isApart:
      levels.slice(0, Math.max(0, end)).some(({ tokens: above }) => above.some(isApart)) ||
      isInAnother(levels, section?.name),
    shortened: tokens.some(({ role, shortened }) => shortened && role !== 'filler'),
    units: conceptsOfRole(trailing, 'unit'),
    facets: conceptsOfRole(trailing, 'facet'),
    aside: levels.map(({ aside }) => aside).join(' '),
    numbers: trailing.flatMap(({ role, word }) => (role === 'number' ? [Number(word)] : [])),
    shown: levels
      .slice(Math.max(0, end - 1), end + 1)
      .map(({ text }) => text)
      .join(' › '),
  };
}

/** What tumbling is told of, and what has a provider, are of the catalog there. */
function belongs(word: string, topic: Topic | undefined, isTumbling: boolean): boolean {
  if (isTumbling) return /^(?:local part|alias|username)/.test(word);
  return topic === 'isp' && /^(?:connection|asn|autonomous system)$/.test(word);
}

/** Whether a word says of what something is told, or what is. */
function says({ role }: Token): boolean {
  return role !== 'facet' && role !== 'unit' && role !== 'filler' && role !== 'number';
}

/** `request` and `input`; not `queryResult`, and nothing below `query: { results }`. */
function isEcho(level: Level): boolean {
  return !isResult(level) && level.tokens.some(({ concept }) => concept === 'submitted');
}

function isResult({ tokens }: Level): boolean {
  return tokens.some(({ role, word }) => role === 'filler' && /^(?:res|answer|output|returned)/.test(word));
}

const APART =
  /^(?:prev|prior|former|earlier|sample|example|threshold|historic|old$|expected|default|peer|benchmark|baseline|average|avg|max|min|legacy|deprecated|predicted|test$|limit|rules?$|triggers?$|alerts?$|company|organi[sz]ation)/;

/** Above a section, these make all below it another thing; other such words are wrappers there. */
function isApart({ concept, word }: Token): boolean {
  return concept === 'otherParty' || APART.test(word);
}

/** `email` above `address` is one phrase, and so are `first` and `seen`, `line` and `type`. */
function joinPhrases(levels: readonly Level[]): readonly Level[] {
  const joined: Level[] = [];
  for (const level of levels) {
    const above = joined.at(-1);
    const phrase = above && phraseOf([...splitWords(above.text), ...splitWords(level.text)].map(wholeWord));
    // `result: { status }` may be what was found.
    const isFound = phrase?.concept === 'outcome' && /^results?$/i.test(above?.text ?? '');
    joined.push(phrase && says(phrase) && !isFound ? { ...level, tokens: [phrase] } : level);
  }
  return joined;
}

function conceptsOf(levels: readonly Level[]): ReadonlySet<Concept> {
  return new Set(levels.flatMap(({ tokens }) => tokens.flatMap(({ concept }) => concept ?? [])));
}

function conceptsOfRole(tokens: readonly Token[], wanted: Token['role']): ReadonlySet<Concept> {
  return new Set(tokens.flatMap(({ role, concept }) => (role === wanted && concept ? [concept] : [])));
}

function unknownOf(levels: readonly Level[]): readonly string[] {
  return levels.flatMap(({ tokens }) => tokens.flatMap(({ role, word }) => (role === 'unknown' ? [word] : [])));
}

/** `phone: { emailRisk }`: below a section of its own, and not in the same name with it. A `subscriber` has both. */
function isInAnother(levels: readonly Level[], section: Section | undefined): boolean {
  return levels.some(({ tokens }) => {
    const named = tokens.filter(({ concept, word }) => concept && SECTIONS.has(concept) && PLAIN_SECTION.test(word));
    return section !== undefined && named.length > 0 && !named.some(({ concept }) => concept === section);
  });
}

const PLAIN_SECTION = /^(?:phone|telephone|msisdn|email|mail|ip)/;

const SECTIONS: ReadonlySet<string> = new Set(['phone', 'email', 'ip']);
const TOPICS: ReadonlySet<string> = new Set([...Object.keys(SECTION_OF_TOPIC), 'provider']);

interface Located<Kind> {
  readonly name: Kind;
  readonly level: number;
}

function nearestSection(levels: readonly Level[]): Located<Section> | undefined {
  for (const [level, { tokens }] of [...levels.entries()].toReversed()) {
    for (const { concept } of tokens.toReversed()) {
      if (concept === 'mailbox') return { name: 'email', level };
      if (concept === 'phoneType' || concept === 'phoneStatus') return { name: 'phone', level };
      if (concept && SECTIONS.has(concept)) return { name: concept as Section, level: topmost(levels, concept, level) };
    }
  }
  return undefined;
}

/** The first name of an unbroken section: `phone` of `phone.porting.phoneRisk`, so that all in between counts. */
function topmost(levels: readonly Level[], section: Concept, level: number): number {
  const first = levels.findIndex(({ tokens }) => tokens.some(({ concept }) => concept === section));
  return first < 0 ? level : first;
}

function nearestTopic(levels: readonly Level[], section: Section | undefined): Located<Topic> | undefined {
  for (const [level, { tokens }] of [...levels.entries()].toReversed()) {
    for (const { concept } of tokens.toReversed()) {
      if (concept && TOPICS.has(concept)) return { name: concept as Topic, level };
      // An address is one of email only below email; of an IP address it says nothing, and elsewhere people live there.
      if (concept === 'address' && section === 'email') return { name: 'mailbox', level };
    }
  }
  return undefined;
}
