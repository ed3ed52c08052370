/** TABLE 1: the facts that can be known of an applicant. To add a fact, add a row. */

import type { IdentityVariable } from '../signals/variables.ts';

/** The types of facts; the operators of each type are in `policy/operators.ts`. */
export const FACT_TYPES = ['number', 'integer', 'level', 'boolean', 'enum', 'string', 'date'] as const;

/** The type of a fact. */
export type FactType = (typeof FACT_TYPES)[number];

/** The steps of a `level`, lowest first. */
export const LEVELS = ['veryLow', 'low', 'medium', 'high', 'veryHigh'] as const;

/** A step of risk or intensity. */
export type Level = (typeof LEVELS)[number];

/** One row of the catalog, or a declared fact. */
export interface FactDefinition {
  readonly type: FactType;
  /** For people: what the fact means. */
  readonly description: string;
  /**
   * Where the fact comes from: `applicant`, an identity variable as sent; `service`, an answer of the verification
   * service; `derived`, computed from other facts; `caller`, given by the caller together with the applicant.
   */
  readonly origin: 'applicant' | 'service' | 'derived' | 'caller';
  /** All values of an `enum`, in display order. */
  readonly values?: readonly string[];
  /** The unit of a number. */
  readonly unit?: string;
  /** The least and the greatest value of a number, both allowed. */
  readonly range?: readonly [least: number, most: number];
  /** Whether a date lies in the past: one day ahead is read as today, further ahead is invalid. */
  readonly past?: boolean;
  /** The signal's name in the service's documentation. */
  readonly signal?: string;
  /** The identity variable that must be sent for the service to return this fact; for a derived fact see `inputs`. */
  readonly variable?: IdentityVariable;
  /** Returned only if another service was requested in addition to the risk service. */
  readonly composite?: boolean;
  /**
   * The facts that a derived fact is computed from. The first missing one supplies the cause if the fact is
   * missing.
   */
  readonly inputs?: readonly string[];
}

const SCORE = { unit: 'points, 100 the riskiest', range: [0, 100] } as const;
const COUNT = { range: [0, Number.MAX_SAFE_INTEGER] } as const;

/** Facts that the service returns if this identity variable is sent. */
const OF_PHONE = { origin: 'service', variable: 'phoneNo' } as const;
const OF_EMAIL = { origin: 'service', variable: 'email' } as const;
const OF_IP = { origin: 'service', variable: 'ip' } as const;

/** The facts that every policy can use, by path. */
export const CATALOG = {
  'applicant.phoneNo': {
    type: 'string',
    origin: 'applicant',
    description: 'The phone number that was sent: digits with the country code.',
  },
  'applicant.email': {
    type: 'string',
    origin: 'applicant',
    description: 'The email address that was sent.',
  },
  'applicant.ip': {
    type: 'string',
    origin: 'applicant',
    description: 'The IPv4 address that was sent.',
  },
  'applicant.emailDomain': {
    type: 'string',
    origin: 'derived',
    inputs: ['applicant.email'],
    description: 'The part of the email address after the @.',
  },
  'phone.operator.current': {
    type: 'string',
    ...OF_PHONE,
    signal: 'Mobile Network Operator: Current',
    description: 'The operator that serves the number now.',
  },
  'phone.operator.original': {
    type: 'string',
    ...OF_PHONE,
    signal: 'Mobile Network Operator: Original',
    description: 'The operator that the number was first assigned to.',
  },
  'phone.type': {
    type: 'enum',
    values: ['mobile', 'landline', 'voip', 'tollFree', 'premiumRate', 'pager', 'satellite', 'other'],
    ...OF_PHONE,
    signal: 'Mobile Network Operator: Phone Type',
    description: 'What kind of line the number is.',
  },
  'phone.status': {
    type: 'enum',
    values: ['active', 'inactive', 'unreachable', 'disconnected', 'unassigned', 'other'],
    ...OF_PHONE,
    signal: 'Mobile Network Operator: Status',
    description: 'Whether the number is in use.',
  },
  'phone.serviceType': {
    type: 'enum',
    values: ['prepaid', 'postpaid', 'other'],
    ...OF_PHONE,
    signal: 'Service Type',
    description: 'How the line is paid for.',
  },
  'phone.riskLevel': {
    type: 'level',
    ...OF_PHONE,
    signal: 'Risk Level',
    description: "The service's assessment of the phone number as a whole.",
  },
  'phone.porting.portedDate': {
    type: 'date',
    past: true,
    ...OF_PHONE,
    signal: 'Porting Information: Ported Date',
    description: 'The day on which the number last moved to another operator.',
  },
  'phone.porting.portCount': {
    type: 'integer',
    ...COUNT,
    unit: 'ports',
    ...OF_PHONE,
    signal: 'Porting Information: Porting History',
    description: 'How many times the number has moved to another operator.',
  },
  'phone.porting.previousPort': {
    type: 'date',
    past: true,
    ...OF_PHONE,
    signal: 'Porting Information: Porting History',
    description: 'The day of the second latest move to another operator.',
  },
  'phone.porting.riskLevel': {
    type: 'level',
    ...OF_PHONE,
    signal: 'Porting Information: Porting Fraud Risk Level',
    description: "The service's assessment of the number's moves to other operators.",
  },
  'phone.score': {
    type: 'number',
    ...SCORE,
    ...OF_PHONE,
    signal: 'Overall Score',
    description: "The service's score of the phone number.",
  },
  'phone.country': {
    type: 'string',
    unit: 'ISO 3166-1 alpha-2',
    origin: 'derived',
    inputs: ['applicant.phoneNo'],
    description: 'The country or territory of the phone number, from its numbering plan.',
  },
  'phone.valid': {
    type: 'boolean',
    origin: 'derived',
    inputs: ['applicant.phoneNo'],
    description: "Whether the number fits its country's numbering plan.",
  },
  'phone.operator.changed': {
    type: 'boolean',
    origin: 'derived',
    inputs: ['phone.operator.current', 'phone.operator.original'],
    description: 'Whether the current operator differs from the original operator.',
  },
  'email.domain.firstSeen': {
    type: 'date',
    past: true,
    ...OF_EMAIL,
    signal: 'Domain: First Seen Date',
    description: "The day on which the email's domain was first seen.",
  },
  'email.domain.type': {
    type: 'enum',
    values: ['free', 'corporate', 'disposable', 'education', 'government', 'other'],
    ...OF_EMAIL,
    signal: 'Domain: Domain Type',
    description: 'What kind of domain the email address has.',
  },
  'email.domain.riskLevel': {
    type: 'level',
    ...OF_EMAIL,
    signal: 'Domain: Domain Risk Level',
    description: "The service's assessment of the email's domain.",
  },
  'email.domain.score': {
    type: 'number',
    ...SCORE,
    ...OF_EMAIL,
    signal: 'Domain: Domain Score',
    description: "The service's score of the email's domain.",
  },
  'email.address.status': {
    type: 'enum',
    values: ['valid', 'invalid', 'acceptAll', 'unreachable', 'other'],
    ...OF_EMAIL,
    signal: 'Email Address: Status',
    description: 'Whether the mailbox accepts mail; `acceptAll` if its server accepts mail for any address.',
  },
  'email.address.firstSeen': {
    type: 'date',
    past: true,
    ...OF_EMAIL,
    signal: 'Email Address: First Seen Date',
    description: 'The day on which the address was first seen.',
  },
  'email.address.riskLevel': {
    type: 'level',
    ...OF_EMAIL,
    signal: 'Email Address: Email Risk Level',
    description: "The service's assessment of the address.",
  },
  'email.address.score': {
    type: 'number',
    ...SCORE,
    ...OF_EMAIL,
    signal: 'Email Address: Email Score',
    description: "The service's score of the address.",
  },
  'email.behaviour.tumblingRisk': {
    type: 'level',
    ...OF_EMAIL,
    signal: 'Behavioural Insights: Tumbling Risk Signal',
    description: 'How likely the address is one of many variations of the same mailbox.',
  },
  'email.behaviour.activityScore': {
    type: 'number',
    unit: 'points, 100 the most active',
    range: [0, 100],
    ...OF_EMAIL,
    signal: 'Behavioural Insights: Activity Score',
    description: 'How active the address has been.',
  },
  'email.darkWeb.hitCount': {
    type: 'integer',
    ...COUNT,
    unit: 'hits',
    ...OF_EMAIL,
    signal: 'Dark Web: Hit Count',
    description: 'How often the address was found in leaked data.',
  },
  'email.darkWeb.lastHit': {
    type: 'date',
    past: true,
    ...OF_EMAIL,
    signal: 'Dark Web: Last Hit Date',
    description: 'The day on which the address was last found in leaked data.',
  },
  'email.darkWeb.forumRating': {
    type: 'level',
    ...OF_EMAIL,
    signal: 'Dark Web: Forum Rating',
    description: 'How serious the forums are in which the address was found.',
  },
  'ip.location.latitude': {
    type: 'number',
    unit: 'degrees',
    range: [-90, 90],
    ...OF_IP,
    signal: 'IP Address: Geo Location',
    description: 'Latitude of the IP address, north positive.',
  },
  'ip.location.longitude': {
    type: 'number',
    unit: 'degrees',
    range: [-180, 180],
    ...OF_IP,
    signal: 'IP Address: Geo Location',
    description: 'Longitude of the IP address, east positive.',
  },
  'ip.isp': {
    type: 'string',
    ...OF_IP,
    signal: 'IP Address: Registered ISP',
    description: 'The internet provider that the IP address is registered to.',
  },
  'ip.country': {
    type: 'string',
    unit: 'ISO 3166-1 alpha-2',
    origin: 'derived',
    inputs: ['ip.location.latitude', 'ip.location.longitude'],
    description: "The country or territory of the IP address's location.",
  },
  'ip.matchesPhoneCountry': {
    type: 'boolean',
    origin: 'derived',
    inputs: ['ip.country', 'phone.country'],
    description: "Whether the IP address is in the phone number's country.",
  },
  'identity.verified': {
    type: 'boolean',
    composite: true,
    origin: 'service',
    signal: 'Identity match result (composite answers)',
    description: 'Whether a Global KYC service matched the identity.',
  },
} as const satisfies Record<string, FactDefinition>;

/** The path of a fact of the catalog. */
export type CatalogPath = keyof typeof CATALOG;

/** Fact definitions by path: the catalog, and what a policy or a mapping declares in addition. */
export type FactTable = ReadonlyMap<string, FactDefinition>;

/** The catalog as a `FactTable`. */
export const CATALOG_TABLE: FactTable = new Map<string, FactDefinition>(Object.entries(CATALOG));
