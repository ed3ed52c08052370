/** What the sources record about an applicant, in ages of days, and the draws from which records are invented. */

import { createHash } from 'node:crypto';

/** A risk level, as spelt in answers. */
export type RiskLevel = 'veryLow' | 'low' | 'medium' | 'high' | 'veryHigh';

/** One move of a number to another operator. */
export interface PortRecord {
  readonly ageDays: number;
  readonly to: string;
}

/** A phone number. */
export interface PhoneRecord {
  readonly type: 'mobile' | 'landline' | 'voip';
  readonly status: 'active' | 'inactive' | 'unreachable' | 'disconnected';
  readonly serviceType: 'prepaid' | 'postpaid';
  readonly originalOperator: string;
  /** Oldest first; empty if the number was never ported. */
  readonly ports: readonly PortRecord[];
  readonly portingRisk: RiskLevel;
  /** 0 to 100, 100 the riskiest. */
  readonly score: number;
}

/** An email domain. */
export interface DomainRecord {
  readonly ageDays: number;
  /** Answers say `business` for a corporate domain. */
  readonly type: 'free' | 'business' | 'disposable' | 'education' | 'government' | 'other';
  /** 0 to 100, 100 the riskiest. */
  readonly score: number;
}

/** An email address, without its domain. */
export interface AddressRecord {
  readonly status: 'valid' | 'invalid' | 'acceptAll' | 'unreachable';
  readonly ageDays: number;
  /** 0 to 100, 100 the riskiest. */
  readonly score: number;
  /** 0 to 3. */
  readonly tumblingRisk: number;
  /** 0 to 10. */
  readonly activity: number;
}

/** The record of the email source: an address and its domain. */
export interface EmailRecord {
  readonly domain: DomainRecord;
  readonly address: AddressRecord;
}

/** The dark-web hits of an email address. */
export interface DarkWebRecord {
  readonly hits: number;
  /** Null if there are no hits. */
  readonly lastHitAgeDays: number | null;
  /** 0 to 5. */
  readonly forumRating: number;
}

/** An IP address. */
export interface IpRecord {
  readonly latitude: number;
  readonly longitude: number;
  readonly isp: string;
}

/** The result of a source: a record, null if it knows nothing, `timeout` if it did not answer. */
export type SourceResult<T> = T | null | 'timeout';

/** The results of all sources for one applicant; undefined if a source was not asked. */
export interface Findings {
  readonly phone: SourceResult<PhoneRecord>;
  readonly email: SourceResult<EmailRecord> | undefined;
  readonly darkWeb: SourceResult<DarkWebRecord> | undefined;
  readonly ip: SourceResult<IpRecord> | undefined;
}

/** The share of lookups for which a source times out. */
export const FAILURE_RATE = 0.01;

// These steps agree with the sample answers: 18 is low, 62 medium, 81 high.
const BANDS = [
  [10, 'veryLow'],
  [40, 'low'],
  [70, 'medium'],
  [90, 'high'],
] as const;

/** The risk level of a score from 0 to 100. */
export function riskLevelOf(score: number): RiskLevel {
  return BANDS.find(([below]) => score < below)?.[1] ?? 'veryHigh';
}

/** Returns a number in [0, 1), always the same for the same kind, value and purpose. */
export type Draw = (purpose: string) => number;

/**
 * The draws of one value. Each purpose is hashed by itself, so adding a purpose does not change the others.
 *
 * @param kind what the value is: the same text gets different draws as an email and as a domain
 */
export function drawsOf(kind: string, value: string): Draw {
  return (purpose) => {
    const digest = createHash('sha256')
      .update(JSON.stringify([kind, purpose, value]))
      .digest();
    return digest.readUIntBE(0, 6) / 2 ** 48;
  };
}

/** A draw as an integer from `least` to `most`, both included. */
export function integerBetween(draw: number, least: number, most: number): number {
  return least + Math.floor(draw * (most - least + 1));
}

/** The item that a draw falls on; all items are equally likely. */
export function pick<T>(draw: number, items: readonly [T, ...T[]]): T {
  return items[Math.floor(draw * items.length)] ?? items[0];
}

/** The item that a draw falls on; each item of `rows` has its share of 1, and `usual` has the rest. */
export function pickByShare<const T>(
  draw: number,
  usual: T,
  ...rows: readonly (readonly [share: number, item: T])[]
): T {
  let reached = 0;
  for (const [share, item] of rows) {
    reached += share;
    if (draw < reached) return item;
  }
  return usual;
}
