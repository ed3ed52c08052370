/** Candidates of scores, and the levels beside them -> how sure their scale and their direction are; some become guesses. */

import { CATALOG, LEVELS } from '../../facts/catalog.ts';
import type { Sureness } from '../names/profiles.ts';
import { type Candidate, least } from '../propose/candidates.ts';
import { levelOf } from './levels.ts';

/** What is to be said of a score's scale. */
interface Settled {
  readonly sureness: Sureness;
  readonly range?: readonly [number, number];
  readonly why: string;
  readonly ask?: string;
}

const RISK_SCORES = ['phone.score', 'email.domain.score', 'email.address.score'] as const;
const LEVEL_BESIDE = {
  'phone.score': 'phone.riskLevel',
  'email.domain.score': 'email.domain.riskLevel',
  'email.address.score': 'email.address.riskLevel',
} as const;

/** The chosen candidates by path, those of scores as sure as all of the answers together make them. */
export function settleScores(chosen: ReadonlyMap<string, Candidate>): Map<string, Candidate> {
  const direction = directionOf(chosen);
  const settled = new Map(chosen);
  for (const [path, candidate] of chosen) {
    const fact = CATALOG[candidate.profile.path];
    if (fact.type !== 'number' || fact.unit === 'degrees' || !candidate.reading.score) continue;
    const scaled = withScale(candidate, familyOf(path, chosen));
    settled.set(path, path === 'email.behaviour.activityScore' ? scaled : withDirection(scaled, direction));
  }
  return settled;
}

/** The numbers of this score and of those that are named alike, which one vendor gives on one scale. */
function familyOf(path: string, chosen: ReadonlyMap<string, Candidate>): readonly number[] {
  const isRisk = RISK_SCORES.some((one) => one === path);
  const own = chosen.get(path);
  const risks = RISK_SCORES.flatMap((one) => chosen.get(one) ?? []);
  // Where all others lie between 0 and 1, so does what lies there too.
  const isShare = numbersOf(own).some(isFraction) && risks.flatMap(numbersOf).every((number) => number <= 1);
  const alike = isRisk || isShare ? [...risks, ...(isRisk || !own ? [] : [own])] : own ? [own] : [];
  return alike.filter(({ reading }) => reading.score && !reading.score.isScaleTold).flatMap(numbersOf);
}

function numbersOf(candidate: Candidate | undefined): readonly number[] {
  return candidate?.reading.score?.numbers ?? [];
}

function withScale(candidate: Candidate, family: readonly number[]): Candidate {
  const { reading } = candidate;
  if (!reading.score || reading.score.isScaleTold) return candidate;
  const { sureness, range, why, ask } = scaleOfNumbers(reading.score.numbers, family);
  return {
    ...candidate,
    sureness: least([candidate.sureness, sureness]),
    reading: {
      ...reading,
      keys: range ? { ...reading.keys, range } : reading.keys,
      why: [...reading.why, why],
      ask: [...(ask === undefined ? [] : [ask]), ...reading.ask],
    },
  };
}

const isFraction = (number: number) => number > 0 && number < 1;

function scaleOfNumbers(own: readonly number[], family: readonly number[]): Settled {
  const most = Math.max(...family);
  const ask = 'what scale is it on?';
  if (own.every((number) => number === 0)) {
    return { sureness: 'guess', why: 'only 0 was seen, which may stand for no value', ask };
  }
  if (Math.min(...family) < 0) return { sureness: 'guess', why: 'some values are below 0', ask };
  if (most > 100) {
    const suggestion = most <= 1000 ? { range: [0, 1000] as const } : {};
    return { sureness: 'guess', ...suggestion, why: 'some values are above 100', ask };
  }
  const fractions = new Set(family.filter(isFraction)).size;
  if (most <= 1 && fractions > 0) {
    return fractions > 1
      ? { sureness: 'likely', range: [0, 1], why: 'all values lie between 0 and 1', ask: 'is it on a scale of 0 to 1?' }
      : { sureness: 'guess', range: [0, 1], why: 'one value between 0 and 1 shows no scale', ask };
  }
  if (most <= 10) return { sureness: 'guess', range: [0, 10], why: 'it may be of 10 or of 100', ask };
  // Beside 62 and 81, 0.7 is of something else.
  if (own.some(isFraction)) return { sureness: 'guess', why: 'a value below 1 beside others above 10', ask };
  return { sureness: 'likely', why: 'values look like 0 to 100', ask: 'is it on a scale of 0 to 100?' };
}

/** Whether high scores stand beside high levels: shown by the levels, against them, or not to be told. */
type Direction = 'agrees' | 'opposes' | 'mixed' | 'open';

function directionOf(chosen: ReadonlyMap<string, Candidate>): Direction {
  const width = widthOf(familyOf('phone.score', chosen));
  const points = RISK_SCORES.flatMap((path) => pointsOf(chosen.get(path), chosen.get(LEVEL_BESIDE[path]), width));
  let agree = 0;
  let oppose = 0;
  for (const [index, a] of points.entries()) {
    for (const b of points.slice(index + 1)) {
      const sign = Math.sign(a.step - b.step) * Math.sign(a.share - b.share);
      if (sign > 0) agree++;
      if (sign < 0) oppose++;
    }
    // One alone tells where it is at an end: a high level with a low number.
    if ((a.step >= 3 && a.share <= 35) || (a.step <= 1 && a.share >= 65)) oppose++;
    if ((a.step >= 3 && a.share >= 65) || (a.step <= 1 && a.share <= 35)) agree++;
  }
  if (agree + oppose === 0) return 'open';
  if (oppose === 0) return 'agrees';
  return agree === 0 ? 'opposes' : 'mixed';
}

/** A level and the share of 100 that stand for the same thing in the same answer. */
function pointsOf(
  score: Candidate | undefined,
  level: Candidate | undefined,
  width: number,
): readonly { step: number; share: number }[] {
  if (!score?.reading.score || !level) return [];
  const [least = 0, most = width] = rangeOf(score);
  const scores = score.spot.samples.filter(({ value }) => value !== null && /\d/.test(String(value)));
  return scores.flatMap(({ answer, value }) => {
    const beside = level.spot.samples.find((sample) => sample.answer === answer);
    const text = beside === undefined || beside.value === null ? '' : String(beside.value);
    const found = levelOf(text, { isBelow: true, isAbove: true });
    const share = shareOf(String(value), least, most);
    return found === undefined || Number.isNaN(share) ? [] : [{ step: LEVELS.indexOf(found), share }];
  });
}

/** The scale that the answer tells of. */
function rangeOf({ reading }: Candidate): readonly number[] {
  const { range } = reading.keys;
  if (Array.isArray(range)) return range;
  return reading.score?.isScaleTold ? [0, 100] : [];
}

/** The scale that numbers of an unknown one seem to be on. */
function widthOf(numbers: readonly number[]): number {
  const most = Math.max(0, ...numbers);
  return [1, 10, 100].find((width) => most <= width) ?? 1000;
}

function shareOf(text: string, least: number, most: number): number {
  const [part = Number.NaN, whole] = text.replace('%', '').split('/').map(Number);
  if (whole !== undefined) return (part / whole) * 100;
  return text.includes('%') ? part : ((part - least) / (most - least)) * 100;
}

function withDirection(candidate: Candidate, direction: Direction): Candidate {
  const { reading, subject } = candidate;
  const isTrust = subject.leaf.has('trust') || subject.tail.has('trust');
  const inverted = { ...reading, keys: { ...reading.keys, invert: true } };
  if (isTrust && direction === 'opposes') {
    const why = [...reading.why, 'its name speaks of trust, and it falls where the risk levels rise'];
    return { ...candidate, reading: { ...inverted, why } };
  }
  if (isTrust)
    return {
      ...candidate,
      sureness: 'guess',
      reading: { ...inverted, why: [...reading.why, 'its name speaks of trust, not of risk'] },
    };
  if (direction === 'opposes' || direction === 'mixed') {
    const why = [...reading.why, 'scores and risk levels of the answers do not rise together'];
    return {
      ...candidate,
      sureness: 'guess',
      reading: direction === 'opposes' ? { ...inverted, why } : { ...reading, why },
    };
  }
  if (direction === 'agrees')
    return { ...candidate, reading: { ...reading, why: [...reading.why, 'it rises with the risk levels'] } };
  return candidate;
}
