/** Candidates for scores -> the same with scale and direction, as far as all scores and levels together show them. */

import { CATALOG, LEVELS } from '../../../facts/catalog.ts';
import type { Candidate } from '../propose/candidate-signals.ts';
import { leastSure, type Sureness } from '../sureness.ts';
import { levelOf } from './levels.ts';
import type { Scale } from './reading.ts';

/** The result of judging the scale of a score. */
interface ScaleFinding {
  readonly sureness: Sureness;
  readonly range?: Scale;
  readonly why: string;
  readonly ask: string;
}

/** The level that judges the same thing as a score. */
const LEVEL_OF_SCORE = {
  'phone.score': 'phone.riskLevel',
  'email.domain.score': 'email.domain.riskLevel',
  'email.address.score': 'email.address.riskLevel',
} as const;
type RiskScore = keyof typeof LEVEL_OF_SCORE;
const RISK_SCORES = Object.keys(LEVEL_OF_SCORE) as RiskScore[];

/** The chosen candidates by path, with the scores settled. */
export function settleScores(chosen: ReadonlyMap<string, Candidate>): Map<string, Candidate> {
  const direction = findDirection(chosen);
  const settled = new Map(chosen);
  for (const [path, candidate] of chosen) {
    const fact = CATALOG[candidate.profile.path];
    if (fact.type !== 'number' || fact.unit === 'degrees' || !candidate.reading.score) continue;
    const scaled = withScale(candidate, familyNumbers(path, chosen));
    settled.set(path, path === 'email.behaviour.activityScore' ? scaled : withDirection(scaled, direction));
  }
  return settled;
}

/** The numbers without a stated scale of a score and of the scores that the vendor gives on the same scale. */
function familyNumbers(path: string, chosen: ReadonlyMap<string, Candidate>): readonly number[] {
  const isRisk = RISK_SCORES.some((one) => one === path);
  const score = chosen.get(path);
  const risks = RISK_SCORES.flatMap((one) => chosen.get(one) ?? []);
  // If all risk scores lie between 0 and 1, so does another score with a value there.
  const isShare = numbersOf(score).some(isFraction) && risks.flatMap(numbersOf).every((number) => number <= 1);
  const family = [...(isRisk || isShare ? risks : []), ...(isRisk || !score ? [] : [score])];
  return family.filter(({ reading }) => reading.score && !reading.score.hasScale).flatMap(numbersOf);
}

function numbersOf(candidate: Candidate | undefined): readonly number[] {
  return candidate?.reading.score?.numbers ?? [];
}

/** The candidate with a further reason, and at most this sureness. */
function withReason(candidate: Candidate, why: string, sureness: Sureness, keys = {}): Candidate {
  const { reading } = candidate;
  return {
    ...candidate,
    sureness: leastSure([candidate.sureness, sureness]),
    reading: { ...reading, keys: { ...reading.keys, ...keys }, why: [...reading.why, why] },
  };
}

function withScale(candidate: Candidate, family: readonly number[]): Candidate {
  const { score } = candidate.reading;
  if (!score || score.hasScale) return candidate;
  const { sureness, range, why, ask } = judgeScale(score.numbers, family);
  const scaled = withReason(candidate, why, sureness, range ? { range } : {});
  return { ...scaled, reading: { ...scaled.reading, ask: [ask, ...candidate.reading.ask] } };
}

const isFraction = (number: number) => number > 0 && number < 1;

function judgeScale(numbers: readonly number[], family: readonly number[]): ScaleFinding {
  const highest = Math.max(...family);
  const guess = { sureness: 'guess', ask: 'what scale is it on?' } as const;
  if (numbers.every((number) => number === 0)) {
    return { ...guess, why: 'all values are 0, which may mean no value' };
  }
  if (Math.min(...family) < 0) return { ...guess, why: 'some values are below 0' };
  if (highest > 100) {
    const why = 'some values are above 100';
    return highest <= 1000 ? { ...guess, why, range: [0, 1000] } : { ...guess, why };
  }
  const fractions = new Set(family.filter(isFraction)).size;
  if (highest <= 1 && fractions > 1) {
    const why = 'all values lie between 0 and 1';
    return { sureness: 'likely', range: [0, 1], why, ask: 'is it on a scale of 0 to 1?' };
  }
  if (highest <= 1 && fractions > 0) {
    return { ...guess, range: [0, 1], why: 'a single value between 0 and 1 does not show the scale' };
  }
  if (highest <= 10) return { ...guess, range: [0, 10], why: 'the scale may end at 10 or at 100' };
  // Next to 62 and 81, 0.7 is on another scale.
  if (numbers.some(isFraction)) return { ...guess, why: 'a value below 1, while others are above 10' };
  return { sureness: 'likely', why: 'values look like 0 to 100', ask: 'is it on a scale of 0 to 100?' };
}

/** Whether scores rise with the levels: always, never, sometimes, or no answer shows it. */
type Direction = 'agrees' | 'opposes' | 'mixed' | 'open';

function findDirection(chosen: ReadonlyMap<string, Candidate>): Direction {
  const width = seemingWidth(familyNumbers('phone.score', chosen));
  const points = RISK_SCORES.flatMap((path) => pointsOf(chosen.get(path), chosen.get(LEVEL_OF_SCORE[path]), width));
  let agree = 0;
  let oppose = 0;
  for (const [index, a] of points.entries()) {
    for (const b of points.slice(index + 1)) {
      const sign = Math.sign(a.step - b.step) * Math.sign(a.share - b.share);
      if (sign > 0) agree++;
      if (sign < 0) oppose++;
    }
    // A single pair shows the direction if both are near an end: a high level with a low number.
    if ((a.step >= 3 && a.share <= 35) || (a.step <= 1 && a.share >= 65)) oppose++;
    if ((a.step >= 3 && a.share >= 65) || (a.step <= 1 && a.share <= 35)) agree++;
  }
  if (agree + oppose === 0) return 'open';
  if (oppose === 0) return 'agrees';
  return agree === 0 ? 'opposes' : 'mixed';
}

/** Pairs of level (0 to 4) and score (0 to 100) that judge the same thing in the same answer. */
function pointsOf(
  score: Candidate | undefined,
  level: Candidate | undefined,
  width: number,
): readonly { step: number; share: number }[] {
  if (!score?.reading.score || !level) return [];
  const [lowest, highest] = scaleOf(score) ?? [0, width];
  const scores = score.field.samples.filter(({ value }) => value !== null && /\d/.test(String(value)));
  return scores.flatMap(({ answer, value }) => {
    const text = level.field.samples.find((sample) => sample.answer === answer)?.value ?? '';
    const meaning = levelOf(String(text), { hasLow: true, hasHigh: true });
    const share = shareOf(String(value), lowest, highest);
    return meaning === undefined || Number.isNaN(share) ? [] : [{ step: LEVELS.indexOf(meaning), share }];
  });
}

/** The scale that the answer states. */
function scaleOf({ reading }: Candidate): Scale | undefined {
  return (reading.keys['range'] as Scale | undefined) ?? (reading.score?.hasScale ? [0, 100] : undefined);
}

/** The end of the scale to which the numbers seem to belong. */
function seemingWidth(numbers: readonly number[]): number {
  const highest = Math.max(0, ...numbers);
  return [1, 10, 100].find((width) => highest <= width) ?? 1000;
}

function shareOf(text: string, lowest: number, highest: number): number {
  const [part = Number.NaN, whole] = text.replace('%', '').split('/').map(Number);
  if (whole !== undefined) return (part / whole) * 100;
  return text.includes('%') ? part : ((part - lowest) / (highest - lowest)) * 100;
}

function withDirection(candidate: Candidate, direction: Direction): Candidate {
  const { leaf, tail } = candidate.field.subject;
  const opposes = direction === 'opposes';
  if (leaf.has('trust') || tail.has('trust')) {
    const why = opposes ? 'its name says trust, and it falls as the risk levels rise' : 'its name says trust, not risk';
    return withReason(candidate, why, opposes ? 'sure' : 'guess', { invert: true });
  }
  if (opposes || direction === 'mixed') {
    const why = 'scores and risk levels do not rise together';
    return withReason(candidate, why, 'guess', opposes ? { invert: true } : {});
  }
  return direction === 'agrees' ? withReason(candidate, 'it rises with the risk levels', 'sure') : candidate;
}
