/** An invented applicant -> what each rule of the policy beside it says, by hand: true, false or undefined. */

import type { Invented, Value } from './applicants.ts';

/** Undefined: it depends on a fact that is not known. */
export type Truth = boolean | undefined;
export type Outcome = 'accept' | 'review' | 'reject';

/** What editions of the policy differ in. */
export interface Edition {
  readonly minimumAge: number;
  readonly portWindow: number;
  readonly burst: number;
  readonly loadLimit: number;
  readonly review: number;
  readonly reject: number;
  readonly blockedDomains: readonly string[];
  readonly credit: readonly string[];
  /** The score of the first row of the table of countries. */
  readonly scoreOfFirst: number;
  readonly worse: (one: number, other: number) => number;
  readonly phoneDays: number;
  readonly pointsOfHigh: number;
  readonly dropped: readonly string[];
  readonly shadowed: readonly string[];
}

export const NOW: Edition = {
  ...{ minimumAge: 18, portWindow: 14, burst: 4, loadLimit: 0.6, review: 40, reject: 80 },
  ...{ blockedDomains: ['mailinator.com', 'trash.example'], credit: ['card', 'loan'], scoreOfFirst: 70 },
  ...{ worse: Math.max, phoneDays: 30, pointsOfHigh: 25, dropped: [], shadowed: ['hosting'] },
};

/** What was seen before an applicant, by the names of the policy; undefined where there is nothing to count by. */
export type Counts = Readonly<Record<string, number | undefined>>;

/** What a rule says of an applicant. */
export interface Said {
  readonly id: string;
  readonly truth: Truth;
  readonly then?: Outcome | undefined;
  readonly points: number;
  readonly isFinal: boolean;
  readonly isIgnoredUnknown: boolean;
  readonly isShadow: boolean;
}

function all(...truths: readonly Truth[]): Truth {
  return truths.includes(false) ? false : truths.includes(undefined) ? undefined : true;
}

function not(truth: Truth): Truth {
  return truth === undefined ? undefined : !truth;
}

/** Whether at least so many hold. */
function some(least: number, truths: readonly Truth[]): Truth {
  const hold = truths.filter((truth) => truth === true).length;
  const may = truths.filter((truth) => truth !== false).length;
  return hold >= least ? true : may >= least ? undefined : false;
}

const LEVELS = ['veryLow', 'low', 'medium', 'high', 'veryHigh'];

/** What each active rule says, in the order of the policy. */
export function saidOf({ facts, time }: Pick<Invented, 'facts' | 'time'>, counts: Counts, edition: Edition): Said[] {
  const today = new Date(time).toISOString().slice(0, 10);
  const test = (path: string, isMet: (value: never) => boolean): Truth => {
    const value: Value | undefined = facts[path];
    return value === undefined ? undefined : isMet(value as never);
  };
  const is = (path: string, ...values: readonly Value[]) => test(path, (value) => values.includes(value));
  const number = (path: string) => facts[path] as number | undefined;
  const atLeast = (value: number | undefined, least: number): Truth =>
    value === undefined ? undefined : value >= least;
  const level = (path: string, least: string) =>
    test(path, (value: string) => LEVELS.indexOf(value) >= LEVELS.indexOf(least));
  const days = (day: string) => (Date.parse(today) - Date.parse(day)) / 86_400_000;
  const age = (path: string, isMet: (days: number) => boolean) =>
    test(path, (day: string) => day !== 'never' && isMet(days(day)));

  const years = (day: string) =>
    Number(today.slice(0, 4)) - Number(day.slice(0, 4)) - Number(today.slice(5) < day.slice(5));
  const [income, debts] = [number('context.income'), number('context.debts')];
  const load = income === undefined || debts === undefined || income === 0 ? undefined : debts / income;
  const [phone, email] = [number('phone.score'), number('email.address.score')];
  const worse = phone === undefined || email === undefined ? undefined : edition.worse(phone, email);
  const justPorted = age('phone.porting.portedDate', (ago) => ago <= edition.portWindow);
  const credit = is('context.product', ...edition.credit);
  const online = is('context.channel', 'web', 'app');
  const partners = today <= '2026-07-31' ? ['harbour-works.example', 'north-quay.example'] : ['harbour-works.example'];
  const isBlocked = (domain: string) =>
    edition.blockedDomains.some((each) => domain === each || domain.endsWith(`.${each}`));
  const weak = [is('phone.serviceType', 'prepaid'), is('email.domain.type', 'free')];
  const hits = number('email.darkWeb.hitCount');
  const farAway = is('phone.country', 'ng', 'vn');

  const said: Said[] = [];
  const rule = (id: string, truth: Truth, does: Partial<Said> = {}) => {
    if (edition.dropped.includes(id)) return;
    const isShadow = edition.shadowed.includes(id);
    said.push({ points: 0, isFinal: false, isIgnoredUnknown: false, ...does, id, truth, isShadow });
  };
  const [final, ignored] = [{ isFinal: true }, { isIgnoredUnknown: true }];
  const [review, reject] = [{ then: 'review' }, { then: 'reject' }] as const;

  const isMinor = test('context.born', (day: string) => years(day) < edition.minimumAge);
  rule('minor', all(isMinor, not(is('context.product', 'account'))), { ...reject, ...final });
  rule('embargo', is('phone.country', 'ir', 'kp'), { ...reject, ...final });
  const isPartner = is('applicant.emailDomain', ...partners);
  const inBranch = all(is('context.channel', 'branch'), is('phone.status', 'active'));
  rule('partner', all(isPartner, inBranch), { then: 'accept', ...final, ...ignored });
  rule('blocked-number', is('applicant.phoneNo', '447400990001'), { ...reject, ...final });
  rule('blocked-domain', test('applicant.emailDomain', isBlocked), reject);
  const isLoaded = load === undefined ? undefined : load > edition.loadLimit;
  rule('load-high', all(credit, isLoaded), { ...reject, ...ignored });
  rule(
    'fast-form',
    test('context.minutes', (minutes: number) => minutes < 1),
    { points: 20, ...ignored },
  );
  rule('abroad', all(online, is('ip.matchesPhoneCountry', false)), { points: 20 });
  rule('worse-score', atLeast(worse, 85), { ...review, ...ignored });
  rule('phone-extreme', is('phone.riskLevel', 'veryHigh'), reject);
  rule('phone-high', is('phone.riskLevel', 'high'), { points: edition.pointsOfHigh });
  rule('just-ported', justPorted, { points: 25 });
  rule('takeover', all(justPorted, level('email.address.riskLevel', 'high')), { ...review, points: 20 });
  rule(
    'mail-old',
    age('email.address.firstSeen', (ago) => ago > 730),
    { points: -15, ...ignored },
  );
  rule('weak-signs', some(2, [...weak, hits === undefined ? undefined : hits > 5]), { points: 15 });
  if (today >= '2026-07-01' && today <= '2026-08-31') rule('summer', is('phone.type', 'voip'), review);
  const isHosted = test('ip.isp', (name: string) => name.toLowerCase().includes('hosting'));
  rule('hosting', isHosted, { points: 25, ...ignored });
  rule('ip-burst', atLeast(counts['ip1h'], edition.burst), { ...review, points: 20 });
  rule('many-phones', atLeast(counts['phones7d'], 10), { points: 15, ...ignored });
  rule('phone-again', atLeast(counts['phone30d'], 1), { points: 15 });
  rule('device-many', atLeast(counts['device7d'], 3), { ...review, points: 20, ...ignored });
  rule('rejected-before', atLeast(counts['rejected30d'], 1), review);
  rule('fraud-before', atLeast(counts['fraud90d'], 1), { ...review, ...ignored });
  rule('line/1', all(is('phone.type', 'voip'), is('context.product', 'card', 'loan')), { ...review, points: 30 });
  rule('line/2', all(is('phone.type', 'voip'), is('context.product', 'account')), { points: 25 });
  rule('line/3', is('phone.type', 'pager', 'premiumRate'), reject);
  const isFirst = is('phone.country', 'gb');
  rule('country/1', all(isFirst, atLeast(phone, edition.scoreOfFirst)), { ...review, points: 10 });
  rule('country/2', all(farAway, atLeast(phone, 50)), { ...review, points: 15 });
  rule('country/3', farAway, { points: 10 });
  return said;
}

const STRICTNESS: Readonly<Record<Outcome, number>> = { accept: 0, review: 1, reject: 2 };

function strictest(outcomes: readonly Outcome[]): Outcome {
  return outcomes.reduce((one, other) => (STRICTNESS[other] > STRICTNESS[one] ? other : one), 'accept' as Outcome);
}

/** What the rules come to. */
export function outcomeOf(said: readonly Said[], { review, reject }: Pick<Edition, 'review' | 'reject'>): Outcome {
  const rules = said.filter(({ isShadow }) => !isShadow);
  const fired = rules.filter(({ truth }) => truth === true);
  const open = rules.filter(({ truth, isIgnoredUnknown }) => truth === undefined && !isIgnoredUnknown);
  const finals = fired.flatMap(({ isFinal, then }) => (isFinal && then ? then : []));
  if (finals.length > 0) {
    const outcome = strictest(finals);
    const mayBeStricter = open.some(({ isFinal, then }) => isFinal && then && STRICTNESS[then] > STRICTNESS[outcome]);
    return mayBeStricter ? strictest([outcome, 'review']) : outcome;
  }
  const certain = fired.reduce((sum, { points }) => sum + points, 0);
  const most = certain + open.reduce((sum, { points }) => sum + Math.max(0, points), 0);
  return strictest([
    ...fired.flatMap(({ then }) => then ?? []),
    ...open.flatMap(({ then }) => (then === 'review' || then === 'reject' ? ('review' as const) : [])),
    ...(certain + open.reduce((sum, { points }) => sum + Math.min(0, points), 0) >= reject ? ['reject' as const] : []),
    ...(most >= review ? ['review' as const] : []),
  ]);
}
