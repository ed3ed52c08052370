/** TABLE: the names by which a field is recognised as a fact's. */

import type { CatalogPath } from '../../../facts/catalog.ts';
import type { Sureness } from '../sureness.ts';
import type { Section, Topic } from './subject.ts';
import type { Concept } from './vocabulary.ts';

/** Concepts that name a fact: all of them are present, at least one in the leaf. If empty, the topic alone names it. */
export interface Head {
  readonly words: readonly Concept[];
  /** The sureness that the words alone give. */
  readonly sureness: Sureness;
  /** Whether the words count only with values that fit the fact's type. */
  readonly needsValues?: boolean;
}

interface ProfileRow {
  /** Topics under which the fact is found; `none` if it is found in the section itself. */
  readonly topics: readonly (Topic | 'none')[];
  /** The best first. */
  readonly heads: readonly Head[];
  /** Whether the words can mean nothing else, in whatever section or outside of all. */
  readonly isUnmistakable?: boolean;
  /** Spoilers that do not change the meaning of this fact's name. */
  readonly allowed?: readonly Concept[];
  /** Further concepts that the leaf may have. */
  readonly companions?: readonly Concept[];
}

export interface Profile extends ProfileRow {
  readonly path: CatalogPath;
  readonly section: Section;
}

const sure = (...words: Concept[]): Head => ({ words, sureness: 'sure' });
const likely = (...words: Concept[]): Head => ({ words, sureness: 'likely' });
const guess = (...words: Concept[]): Head => ({ words, sureness: 'guess' });
const withValues = (...words: Concept[]): Head => ({ words, sureness: 'likely', needsValues: true });

const RISK_LEVEL: readonly Head[] = [
  sure('risk', 'level'),
  likely('risk', 'rating'),
  withValues('risk'),
  guess('risk', 'type'),
  guess('trust', 'level'),
  guess('trust'),
];
const RISK_SCORE: readonly Head[] = [
  sure('risk', 'score'),
  sure('score'),
  likely('risk', 'rating'),
  withValues('risk'),
  withValues('trust', 'score'),
  guess('trust'),
];
const FIRST_SEEN: readonly Head[] = [
  sure('first', 'seen'),
  likely('first', 'hit'),
  likely('first', 'activity'),
  likely('first', 'date'),
  withValues('age'),
  guess('seen'),
  guess('created'),
];

/** In the order of the catalog. */
const ROWS = {
  'phone.operator.current': { topics: ['operator', 'provider'], heads: [sure('current'), guess()] },
  'phone.operator.original': { topics: ['operator', 'provider'], heads: [sure('original'), likely('first')] },
  'phone.type': {
    topics: ['none', 'operator', 'provider'],
    heads: [sure('phoneType'), sure('type')],
    companions: ['status'],
  },
  'phone.status': {
    topics: ['none', 'operator'],
    heads: [sure('phoneStatus'), sure('status'), withValues('active')],
    companions: ['activity'],
  },
  'phone.serviceType': {
    topics: ['none', 'operator', 'provider'],
    heads: [sure('serviceType'), guess('type')],
    companions: ['type'],
    isUnmistakable: true,
  },
  'phone.riskLevel': { topics: ['none'], heads: RISK_LEVEL, companions: ['fraud', 'score'] },
  'phone.porting.portedDate': {
    topics: ['porting'],
    heads: [sure('last', 'date'), sure('date'), sure('last'), withValues()],
    companions: ['age'],
  },
  'phone.porting.portCount': {
    topics: ['porting'],
    heads: [sure('count'), withValues('history'), withValues('hit'), withValues()],
    companions: ['history'],
  },
  'phone.porting.previousPort': {
    topics: ['porting'],
    heads: [likely('previous'), likely('previous', 'date')],
    allowed: ['previous'],
    companions: ['date'],
  },
  'phone.porting.riskLevel': {
    topics: ['porting'],
    heads: [
      sure('risk', 'level'),
      likely('risk', 'rating'),
      likely('fraud', 'level'),
      withValues('risk'),
      withValues('fraud'),
    ],
    companions: ['fraud'],
  },
  'phone.score': { topics: ['none'], heads: RISK_SCORE, companions: ['fraud'] },
  'email.domain.firstSeen': { topics: ['domain'], heads: FIRST_SEEN, companions: ['date', 'age'] },
  'email.domain.type': { topics: ['domain'], heads: [sure('type')] },
  'email.domain.riskLevel': { topics: ['domain'], heads: RISK_LEVEL, companions: ['fraud', 'score'] },
  'email.domain.score': { topics: ['domain'], heads: RISK_SCORE, companions: ['fraud'] },
  'email.address.status': {
    topics: ['none', 'mailbox'],
    heads: [sure('status'), withValues('deliverable'), withValues()],
  },
  'email.address.firstSeen': { topics: ['none', 'mailbox'], heads: FIRST_SEEN, companions: ['date', 'age'] },
  'email.address.riskLevel': { topics: ['none', 'mailbox'], heads: RISK_LEVEL, companions: ['fraud', 'score'] },
  'email.address.score': { topics: ['none', 'mailbox'], heads: RISK_SCORE, companions: ['fraud'] },
  'email.behaviour.tumblingRisk': {
    topics: ['none', 'mailbox', 'behaviour'],
    heads: [
      sure('tumbling', 'risk'),
      likely('tumbling', 'level'),
      likely('tumbling', 'rating'),
      withValues('tumbling'),
    ],
    companions: ['level', 'status', 'score'],
    isUnmistakable: true,
  },
  'email.behaviour.activityScore': {
    topics: ['none', 'mailbox', 'behaviour'],
    heads: [
      sure('activity', 'score'),
      likely('activity', 'rating'),
      likely('activity', 'level'),
      withValues('activity'),
    ],
    isUnmistakable: true,
  },
  'email.darkWeb.hitCount': {
    topics: ['darkWeb'],
    heads: [
      sure('hit', 'count'),
      sure('hit'),
      sure('count'),
      likely('seen', 'count'),
      withValues('history'),
      withValues(),
    ],
  },
  'email.darkWeb.lastHit': {
    topics: ['darkWeb'],
    heads: [
      sure('last', 'hit'),
      sure('last', 'seen'),
      sure('last', 'date'),
      sure('last'),
      guess('hit', 'date'),
      guess('date'),
    ],
    companions: ['date', 'hit', 'seen', 'age'],
  },
  'email.darkWeb.forumRating': {
    topics: ['none', 'mailbox', 'behaviour', 'darkWeb'],
    heads: [
      sure('forum', 'rating'),
      likely('forum', 'level'),
      likely('forum', 'risk'),
      guess('forum', 'score'),
      guess('forum', 'trust'),
      withValues('forum'),
    ],
    companions: ['level', 'risk'],
    isUnmistakable: true,
  },
  'ip.location.latitude': { topics: ['none', 'location'], heads: [sure('latitude')] },
  'ip.location.longitude': { topics: ['none', 'location'], heads: [sure('longitude')] },
  'ip.isp': {
    topics: ['isp', 'provider', 'operator', 'none'],
    heads: [sure('isp'), likely('provider'), guess('operator'), guess('organisation')],
  },
} as const satisfies Partial<Record<CatalogPath, ProfileRow>>;

export const PROFILES: readonly Profile[] = (Object.entries(ROWS) as [keyof typeof ROWS, ProfileRow][]).map(
  ([path, row]) => ({ ...row, path, section: path.slice(0, path.indexOf('.')) as Section }),
);
