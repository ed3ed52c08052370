/** TABLE: by what words, below what section and topic, a place is known to be that of a fact. */

import type { CatalogPath } from '../../facts/catalog.ts';
import type { Section, Topic } from './subject.ts';
import type { Concept } from './vocabulary.ts';

/** How far a line of the mapping can be relied on. A mere guess is commented out. */
export const SURENESSES = ['guess', 'likely', 'sure'] as const;
export type Sureness = (typeof SURENESSES)[number];

/** Words that name a fact: all of them, one at least in the last name. With none, the topic alone names it. */
export interface Head {
  readonly words: readonly Concept[];
  /** How sure the words alone make. */
  readonly sureness: Sureness;
  /** Whether more of the answer must show it: only where the values are those of the fact's type. */
  readonly needsValues?: boolean;
}

export interface Profile {
  readonly path: CatalogPath;
  readonly section: Section;
  /** Topics under which it stands; `none` where it stands in the section itself. */
  readonly topics: readonly (Topic | 'none')[];
  /** The best first. */
  readonly heads: readonly Head[];
  /** Whether its words can mean nothing else, whatever section they stand in or whether they stand in one. */
  readonly unmistakable?: boolean;
  /** Spoilers that do not spoil this one. */
  readonly allowed?: readonly Concept[];
  /** Concepts of the last name that are no strangers, although no head has them. */
  readonly beside?: readonly Concept[];
}

const sure = (...words: Concept[]): Head => ({ words, sureness: 'sure' });
const likely = (...words: Concept[]): Head => ({ words, sureness: 'likely' });
const guess = (...words: Concept[]): Head => ({ words, sureness: 'guess' });
const told = (...words: Concept[]): Head => ({ words, sureness: 'likely', needsValues: true });

const RISK_LEVEL: readonly Head[] = [
  sure('risk', 'level'),
  likely('risk', 'rating'),
  told('risk'),
  guess('risk', 'type'),
  guess('trust', 'level'),
  guess('trust'),
];
const RISK_SCORE: readonly Head[] = [
  sure('risk', 'score'),
  sure('score'),
  likely('risk', 'rating'),
  told('risk'),
  told('trust', 'score'),
  guess('trust'),
];
const FIRST_SEEN: readonly Head[] = [
  sure('first', 'seen'),
  likely('first', 'hit'),
  likely('first', 'activity'),
  likely('first', 'date'),
  { words: ['age'], sureness: 'likely', needsValues: true },
  guess('seen'),
  guess('created'),
];

export const PROFILES: readonly Profile[] = [
  {
    path: 'phone.operator.current',
    section: 'phone',
    topics: ['operator', 'provider'],
    heads: [sure('current'), guess()],
  },
  {
    path: 'phone.operator.original',
    section: 'phone',
    topics: ['operator', 'provider'],
    heads: [sure('original'), likely('first')],
  },
  {
    path: 'phone.type',
    section: 'phone',
    topics: ['none', 'operator', 'provider'],
    heads: [sure('phoneType'), sure('type')],
    beside: ['status'],
  },
  {
    path: 'phone.status',
    section: 'phone',
    topics: ['none', 'operator'],
    heads: [sure('phoneStatus'), sure('status'), told('active')],
    beside: ['activity'],
  },
  {
    path: 'phone.serviceType',
    section: 'phone',
    topics: ['none', 'operator', 'provider'],
    heads: [sure('serviceType'), guess('type')],
    beside: ['type'],
    unmistakable: true,
  },
  {
    path: 'phone.riskLevel',
    section: 'phone',
    topics: ['none'],
    heads: RISK_LEVEL,
    beside: ['fraud', 'score'],
  },
  {
    path: 'phone.porting.portedDate',
    section: 'phone',
    topics: ['porting'],
    heads: [sure('last', 'date'), sure('date'), sure('last'), told()],
    beside: ['age'],
  },
  {
    path: 'phone.porting.portCount',
    section: 'phone',
    topics: ['porting'],
    heads: [sure('count'), told('history'), told('hit'), told()],
    beside: ['history'],
  },
  {
    path: 'phone.porting.previousPort',
    section: 'phone',
    topics: ['porting'],
    heads: [likely('previous'), likely('previous', 'date')],
    allowed: ['previous'],
    beside: ['date'],
  },
  {
    path: 'phone.porting.riskLevel',
    section: 'phone',
    topics: ['porting'],
    heads: [sure('risk', 'level'), likely('risk', 'rating'), likely('fraud', 'level'), told('risk'), told('fraud')],
    beside: ['fraud'],
  },
  {
    path: 'phone.score',
    section: 'phone',
    topics: ['none'],
    heads: RISK_SCORE,
    beside: ['fraud'],
  },
  {
    path: 'email.domain.firstSeen',
    section: 'email',
    topics: ['domain'],
    heads: FIRST_SEEN,
    beside: ['date', 'age'],
  },
  {
    path: 'email.domain.type',
    section: 'email',
    topics: ['domain'],
    heads: [sure('type')],
  },
  {
    path: 'email.domain.riskLevel',
    section: 'email',
    topics: ['domain'],
    heads: RISK_LEVEL,
    beside: ['fraud', 'score'],
  },
  {
    path: 'email.domain.score',
    section: 'email',
    topics: ['domain'],
    heads: RISK_SCORE,
    beside: ['fraud'],
  },
  {
    path: 'email.address.status',
    section: 'email',
    topics: ['none', 'mailbox'],
    heads: [sure('status'), told('deliverable'), told()],
  },
  {
    path: 'email.address.firstSeen',
    section: 'email',
    topics: ['none', 'mailbox'],
    heads: FIRST_SEEN,
    beside: ['date', 'age'],
  },
  {
    path: 'email.address.riskLevel',
    section: 'email',
    topics: ['none', 'mailbox'],
    heads: RISK_LEVEL,
    beside: ['fraud', 'score'],
  },
  {
    path: 'email.address.score',
    section: 'email',
    topics: ['none', 'mailbox'],
    heads: RISK_SCORE,
    beside: ['fraud'],
  },
  {
    path: 'email.behaviour.tumblingRisk',
    section: 'email',
    topics: ['none', 'mailbox', 'behaviour'],
    heads: [sure('tumbling', 'risk'), likely('tumbling', 'level'), likely('tumbling', 'rating'), told('tumbling')],
    beside: ['level', 'status', 'score'],
    unmistakable: true,
  },
  {
    path: 'email.behaviour.activityScore',
    section: 'email',
    topics: ['none', 'mailbox', 'behaviour'],
    heads: [sure('activity', 'score'), likely('activity', 'rating'), likely('activity', 'level'), told('activity')],
    unmistakable: true,
  },
  {
    path: 'email.darkWeb.hitCount',
    section: 'email',
    topics: ['darkWeb'],
    heads: [sure('hit', 'count'), sure('hit'), sure('count'), likely('seen', 'count'), told('history'), told()],
  },
  {
    path: 'email.darkWeb.lastHit',
    section: 'email',
    topics: ['darkWeb'],
    heads: [
      sure('last', 'hit'),
      sure('last', 'seen'),
      sure('last', 'date'),
      sure('last'),
      guess('hit', 'date'),
      guess('date'),
    ],
    beside: ['date', 'hit', 'seen', 'age'],
  },
  {
    path: 'email.darkWeb.forumRating',
    section: 'email',
    topics: ['none', 'mailbox', 'behaviour', 'darkWeb'],
    heads: [
      sure('forum', 'rating'),
      likely('forum', 'level'),
      likely('forum', 'risk'),
      guess('forum', 'score'),
      guess('forum', 'trust'),
      told('forum'),
    ],
    beside: ['level', 'risk'],
    unmistakable: true,
  },
  {
    path: 'ip.location.latitude',
    section: 'ip',
    topics: ['none', 'location'],
    heads: [sure('latitude')],
  },
  {
    path: 'ip.location.longitude',
    section: 'ip',
    topics: ['none', 'location'],
    heads: [sure('longitude')],
  },
  {
    path: 'ip.isp',
    section: 'ip',
    topics: ['isp', 'provider', 'operator', 'none'],
    heads: [sure('isp'), likely('provider'), guess('operator'), guess('organisation')],
  },
];
