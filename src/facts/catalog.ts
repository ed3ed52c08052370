/** TABLE 1: the facts that can be known about an applicant. To add a fact, add a row. */

import type { Format } from '../platform/formats/format.ts';
import type { IdentityVariable } from '../signals/variables.ts';
import type { FactValue } from './fact.ts';

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
  /** For people: a short name, which can be the subject of a sentence. A declared fact has none. */
  readonly label?: string;
  /**
   * Where the fact comes from: `applicant`, an identity variable as sent; `service`, an answer of the verification
   * service; `derived`, computed from other facts; `caller`, given by the caller together with the applicant;
   * `velocity`, counted by verdict itself.
   */
  readonly origin: 'applicant' | 'service' | 'derived' | 'caller' | 'velocity';
  /** All values of an `enum`, in display order. */
  readonly values?: readonly string[];
  /** The format of a text: every spelling is read as one form, and any other text is `invalid`. */
  readonly format?: Format;
  /** Whether an email is read as the address of its mailbox. */
  readonly isMailbox?: boolean;
  /** The unit of a number. */
  readonly unit?: string;
  /** The least and the greatest value of a number, both allowed. */
  readonly range?: readonly [least: number, most: number];
  /** Whether a date lies in the past: one day ahead is read as today, further ahead is invalid. */
  readonly past?: boolean;
  /** Declared in a policy or mapping: its values are shown in no message, page or trace, as those of the applicant. */
  readonly personal?: boolean;
  /** The signal's name in the service's documentation. */
  readonly signal?: string;
  /** The identity variable that must be sent for the service to return this fact; for a derived fact see `inputs`. */
  readonly variable?: IdentityVariable;
  /** Returned only if another service was requested in addition to the risk service. */
  readonly composite?: boolean;
  /** The facts that a derived fact is computed from. The first missing one supplies the cause if it is missing. */
  readonly inputs?: readonly string[];
  /** How a policy computes the fact from others, which are its `inputs`. A caller cannot give it. */
  readonly compute?: Computation;
  /** What verdict counts for it. A caller who asks for a decision cannot give it. */
  readonly velocity?: Velocity;
}

/** An operand of a computation: a number, or another fact. */
export type Operand = number | { readonly fact: string };

/** A computation of `COMPUTATIONS` (facts/compute.ts), with its operands from left to right. */
export interface Computation {
  readonly name: 'sum' | 'product' | 'minimum' | 'maximum' | 'difference' | 'ratio' | 'daysBetween';
  readonly operands: readonly Operand[];
}

/** What is counted of the applications that were seen before, never of the one at hand. */
export interface Velocity {
  /**
   * The applications themselves; the different values of `of` among them, or their sum; or the whole minutes since the
   * first or the last of them.
   */
  readonly count: 'applications' | 'distinct' | 'sum' | 'first' | 'last';
  /** What `distinct` and `sum` take of each application: an identity variable, or the path of a fact of the caller. */
  readonly of?: string;
  /**
   * The values that they have in common with the application at hand, one or two: an identity variable, `mailbox`,
   * `emailDomain`, the network of the IP address such as `ip/24`, or the path of a fact of the caller.
   */
  readonly by: readonly string[];
  /** Only applications of which this became known later, or whose fact of the caller, by its path, has this value. */
  readonly where?: { readonly key: string; readonly value: FactValue };
  /** How long ago the earliest of them may be. */
  readonly withinMs: number;
  /** A day, yyyy-MM-dd: what was before is taken for nothing. */
  readonly since?: string;
}

const SCORE = { unit: 'points, 100 the riskiest', range: [0, 100] } as const;
const COUNT = { range: [0, Number.MAX_SAFE_INTEGER] } as const;
const PAST = { past: true };

type More = Partial<FactDefinition>;

const asSent = (format: Format, label: string, description: string): FactDefinition => ({
  type: 'string',
  origin: 'applicant',
  format,
  label,
  description,
});

const derived = (
  type: FactType,
  inputs: readonly string[],
  label: string,
  description: string,
  more: More = {},
): FactDefinition => ({
  type,
  origin: 'derived',
  inputs,
  label,
  description,
  ...more,
});

/** Facts that the service returns under the conditions `when`. */
const returned =
  (when: Pick<FactDefinition, 'variable' | 'composite'>) =>
  (type: FactType, signal: string, label: string, description: string, more: More = {}): FactDefinition => ({
    type,
    origin: 'service',
    ...when,
    signal,
    label,
    description,
    ...more,
  });

const ofPhone = returned({ variable: 'phoneNo' });
const ofEmail = returned({ variable: 'email' });
const ofIp = returned({ variable: 'ip' });
const ofComposite = returned({ composite: true });

/** The facts that every policy can use, by path. */
export const CATALOG = {
  'applicant.phoneNo': asSent('phone', 'Phone number', 'The phone number that was sent: digits with the country code.'),
  'applicant.email': asSent('email', 'Email address', 'The email address that was sent.'),
  'applicant.ip': asSent('ip', 'IP address', 'The IPv4 address that was sent.'),
  'applicant.emailDomain': derived(
    'string',
    ['applicant.email'],
    'Email domain',
    'The part of the email address after the @.',
    {
      format: 'domain',
    },
  ),
  'applicant.mailbox': derived(
    'string',
    ['applicant.email'],
    'Mailbox',
    'The mailbox of the email address: one for all of its tags, dots and domains, if its provider is known.',
    { format: 'email', isMailbox: true },
  ),
  'phone.operator.current': ofPhone(
    'string',
    'Mobile Network Operator: Current',
    'Current operator',
    'The operator that serves the number now.',
  ),
  'phone.operator.original': ofPhone(
    'string',
    'Mobile Network Operator: Original',
    'Original operator',
    'The operator that the number was first assigned to.',
  ),
  'phone.type': ofPhone(
    'enum',
    'Mobile Network Operator: Phone Type',
    'Phone line type',
    'What kind of line the number is.',
    {
      values: ['mobile', 'landline', 'voip', 'tollFree', 'premiumRate', 'pager', 'satellite', 'other'],
    },
  ),
  'phone.status': ofPhone('enum', 'Mobile Network Operator: Status', 'Phone status', 'Whether the number is in use.', {
    values: ['active', 'inactive', 'unreachable', 'disconnected', 'unassigned', 'other'],
  }),
  'phone.serviceType': ofPhone('enum', 'Service Type', 'Phone plan', 'How the line is paid for.', {
    values: ['prepaid', 'postpaid', 'other'],
  }),
  'phone.riskLevel': ofPhone(
    'level',
    'Risk Level',
    'Phone risk',
    "The service's assessment of the phone number as a whole.",
  ),
  'phone.porting.portedDate': ofPhone(
    'date',
    'Porting Information: Ported Date',
    'Number last ported',
    'The day on which the number last moved to another operator.',
    PAST,
  ),
  'phone.porting.portCount': ofPhone(
    'integer',
    'Porting Information: Porting History',
    'Number of ports',
    'How many times the number has moved to another operator.',
    { ...COUNT, unit: 'ports' },
  ),
  'phone.porting.previousPort': ofPhone(
    'date',
    'Porting Information: Porting History',
    'Previous port',
    'The day of the second latest move to another operator.',
    PAST,
  ),
  'phone.porting.riskLevel': ofPhone(
    'level',
    'Porting Information: Porting Fraud Risk Level',
    'Porting risk',
    "The service's assessment of the number's moves to other operators.",
  ),
  'phone.score': ofPhone('number', 'Overall Score', 'Phone score', "The service's score of the phone number.", SCORE),
  'phone.country': derived(
    'string',
    ['applicant.phoneNo'],
    'Country of the phone number',
    'The country or territory of the phone number, from its numbering plan.',
    { format: 'country', unit: 'ISO 3166-1 alpha-2' },
  ),
  'phone.valid': derived(
    'boolean',
    ['applicant.phoneNo'],
    'Valid phone number',
    "Whether the number fits its country's numbering plan.",
  ),
  'phone.operator.changed': derived(
    'boolean',
    ['phone.operator.current', 'phone.operator.original'],
    'Operator changed',
    'Whether the current operator differs from the original operator.',
  ),
  'email.domain.firstSeen': ofEmail(
    'date',
    'Domain: First Seen Date',
    'Email domain first seen',
    "The day on which the email's domain was first seen.",
    PAST,
  ),
  'email.domain.type': ofEmail(
    'enum',
    'Domain: Domain Type',
    'Email domain type',
    'What kind of domain the email address has.',
    {
      values: ['free', 'corporate', 'disposable', 'education', 'government', 'other'],
    },
  ),
  'email.domain.riskLevel': ofEmail(
    'level',
    'Domain: Domain Risk Level',
    'Email domain risk',
    "The service's assessment of the email's domain.",
  ),
  'email.domain.score': ofEmail(
    'number',
    'Domain: Domain Score',
    'Email domain score',
    "The service's score of the email's domain.",
    SCORE,
  ),
  'email.address.status': ofEmail(
    'enum',
    'Email Address: Status',
    'Mailbox status',
    'Whether the mailbox accepts mail; `acceptAll` if its server accepts mail for any address.',
    { values: ['valid', 'invalid', 'acceptAll', 'unreachable', 'other'] },
  ),
  'email.address.firstSeen': ofEmail(
    'date',
    'Email Address: First Seen Date',
    'Email address first seen',
    'The day on which the address was first seen.',
    PAST,
  ),
  'email.address.riskLevel': ofEmail(
    'level',
    'Email Address: Email Risk Level',
    'Email address risk',
    "The service's assessment of the address.",
  ),
  'email.address.score': ofEmail(
    'number',
    'Email Address: Email Score',
    'Email address score',
    "The service's score of the address.",
    SCORE,
  ),
  'email.behaviour.tumblingRisk': ofEmail(
    'level',
    'Behavioural Insights: Tumbling Risk Signal',
    'Tumbling risk',
    'How likely the address is one of many variations of the same mailbox.',
  ),
  'email.behaviour.activityScore': ofEmail(
    'number',
    'Behavioural Insights: Activity Score',
    'Email activity',
    'How active the address has been.',
    { unit: 'points, 100 the most active', range: [0, 100] },
  ),
  'email.darkWeb.hitCount': ofEmail(
    'integer',
    'Dark Web: Hit Count',
    'Number of dark-web hits',
    'How often the address was found in leaked data.',
    { ...COUNT, unit: 'hits' },
  ),
  'email.darkWeb.lastHit': ofEmail(
    'date',
    'Dark Web: Last Hit Date',
    'Last dark-web hit',
    'The day on which the address was last found in leaked data.',
    PAST,
  ),
  'email.darkWeb.forumRating': ofEmail(
    'level',
    'Dark Web: Forum Rating',
    'Dark-web forum rating',
    'How serious the forums are in which the address was found.',
  ),
  'ip.location.latitude': ofIp(
    'number',
    'IP Address: Geo Location',
    'Latitude of the IP address',
    'Latitude of the IP address, north positive.',
    {
      unit: 'degrees',
      range: [-90, 90],
    },
  ),
  'ip.location.longitude': ofIp(
    'number',
    'IP Address: Geo Location',
    'Longitude of the IP address',
    'Longitude of the IP address, east positive.',
    {
      unit: 'degrees',
      range: [-180, 180],
    },
  ),
  'ip.isp': ofIp(
    'string',
    'IP Address: Registered ISP',
    'Internet provider',
    'The internet provider that the IP address is registered to.',
  ),
  'ip.country': derived(
    'string',
    ['ip.location.latitude', 'ip.location.longitude'],
    'Country of the IP address',
    "The country or territory of the IP address's location.",
    { format: 'country', unit: 'ISO 3166-1 alpha-2' },
  ),
  'ip.matchesPhoneCountry': derived(
    'boolean',
    ['ip.country', 'phone.country'],
    'IP address and phone in one country',
    "Whether the IP address is in the phone number's country.",
  ),
  'identity.verified': ofComposite(
    'boolean',
    'Identity match result (composite answers)',
    'Identity verified',
    'Whether a Global KYC service matched the identity.',
  ),
} satisfies Record<string, FactDefinition>;

/** The path of a fact of the catalog. */
export type CatalogPath = keyof typeof CATALOG;

/** Fact definitions by path: the catalog, and what a policy or a mapping declares in addition. */
export type FactTable = ReadonlyMap<string, FactDefinition>;

/** The catalog as a `FactTable`. */
export const CATALOG_TABLE: FactTable = new Map<string, FactDefinition>(Object.entries(CATALOG));

/** Whether a fact is one of the applicant's own identity variables: phone number, email or IP. */
export function isOfApplicant(path: string): boolean {
  return CATALOG_TABLE.get(path)?.origin === 'applicant';
}

/** `0 to 100`, `0 or more`, `100 or less`. */
export function rangeWords([least, most]: NonNullable<FactDefinition['range']>): string {
  if (most >= Number.MAX_SAFE_INTEGER) return `${least} or more`;
  return least <= Number.MIN_SAFE_INTEGER ? `${most} or less` : `${least} to ${most}`;
}
