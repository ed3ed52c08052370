/** What the simulated service knows of an identity variable; times are ages in days, so that dates move with the clock. */

/** A level of risk as the wire spells it. */
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
  /** Oldest first; empty where the number never moved. */
  readonly ports: readonly PortRecord[];
  readonly portingRisk: RiskLevel;
  /** 0 to 100, 100 the riskiest. */
  readonly score: number;
}

/** An email domain. */
export interface DomainRecord {
  readonly ageDays: number;
  /** The wire says `business` for a corporate domain. */
  readonly type: 'free' | 'business' | 'disposable' | 'education' | 'government' | 'other';
  /** 0 to 100, 100 the riskiest. */
  readonly score: number;
}

/** An email address, without what its domain tells. */
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

/** What the email source tells of an address and its domain. */
export interface EmailRecord {
  readonly domain: DomainRecord;
  readonly address: AddressRecord;
}

/** What the dark web holds of an email address. */
export interface DarkWebRecord {
  readonly hits: number;
  /** Null where there are no hits. */
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

/** What a source said: a record, null where it knows nothing, `timeout` where it did not answer. */
export type SourceResult<T> = T | null | 'timeout';

/** What the sources said of one applicant; undefined where a source was not asked. */
export interface Findings {
  readonly phone: SourceResult<PhoneRecord>;
  readonly email: SourceResult<EmailRecord> | undefined;
  readonly darkWeb: SourceResult<DarkWebRecord> | undefined;
  readonly ip: SourceResult<IpRecord> | undefined;
}

/** The share of lookups that a source does not answer. */
export const FAILURE_RATE = 0.01;

// Steps that fit the sample answers: 18 is low, 62 medium, 81 high.
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
