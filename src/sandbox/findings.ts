/** Phone number, email and IP -> the results of the sources: a persona's fixed signals, or drawn ones. */

import { domainOf, emailSourceFails, lookUpAddress, lookUpDarkWeb, lookUpDomain } from './email.ts';
import { CITIES, lookUpIp } from './ip.ts';
import { PERSONAS, type Persona, type PersonaName } from './personas.ts';
import { lookUpPhone } from './phone.ts';
import type {
  AddressRecord,
  DarkWebRecord,
  DomainRecord,
  EmailRecord,
  Findings,
  IpRecord,
  PhoneRecord,
  SourceResult,
} from './records.ts';

interface PersonaSignals {
  readonly phone: SourceResult<PhoneRecord>;
  readonly domain: DomainRecord;
  readonly address: AddressRecord;
  readonly emailFails: boolean;
  readonly darkWeb: DarkWebRecord;
  readonly ip: IpRecord;
  /** The variables on record for services that match identities; a variable that is not on record always matches. */
  readonly onRecord: ReadonlyMap<string, string>;
}

const CLEAN_PHONE: PhoneRecord = {
  type: 'mobile',
  status: 'active',
  serviceType: 'postpaid',
  originalOperator: 'Northlink Cellular',
  ports: [{ ageDays: 2310, to: 'Harbour Mobile' }],
  portingRisk: 'veryLow',
  score: 12,
};
const CLEAN_DOMAIN: DomainRecord = { ageDays: 3650, type: 'business', score: 12 };
const CLEAN_ADDRESS: AddressRecord = { status: 'valid', ageDays: 1520, score: 8, tumblingRisk: 0, activity: 8 };
const NO_HITS: DarkWebRecord = { hits: 0, lastHitAgeDays: null, forumRating: 0 };

const CLEAN = {
  phone: CLEAN_PHONE,
  domain: CLEAN_DOMAIN,
  address: CLEAN_ADDRESS,
  emailFails: false,
  darkWeb: NO_HITS,
  onRecord: new Map<string, string>(),
};

/** The differences from the clean signals above, and the location of the IP: in the number's country unless abroad. */
const SIGNALS: Readonly<Record<PersonaName, Partial<PersonaSignals> & Pick<PersonaSignals, 'ip'>>> = {
  clean: { ip: CITIES.washington },
  'ported-risky-email': {
    phone: { ...CLEAN_PHONE, ports: [{ ageDays: 7, to: 'Solent Wireless' }], portingRisk: 'high', score: 46 },
    address: { ...CLEAN_ADDRESS, ageDays: 90, score: 81, activity: 3 },
    ip: CITIES.chicago,
  },
  'voip-disposable': {
    phone: { ...CLEAN_PHONE, type: 'voip', originalOperator: 'Cloudreed Voice', ports: [], score: 76 },
    domain: { ageDays: 140, type: 'disposable', score: 92 },
    address: { ...CLEAN_ADDRESS, ageDays: 2, score: 86, tumblingRisk: 2, activity: 0 },
    ip: CITIES.denver,
  },
  'dark-web': { darkWeb: { hits: 9, lastHitAgeDays: 20, forumRating: 4 }, ip: CITIES.sydney },
  'never-ported': { phone: { ...CLEAN_PHONE, ports: [] }, ip: CITIES.melbourne },
  'ported-twice': {
    phone: {
      ...CLEAN_PHONE,
      ports: [
        { ageDays: 19, to: 'Solent Wireless' },
        { ageDays: 5, to: 'Brightwater Mobile' },
      ],
      portingRisk: 'high',
      score: 52,
    },
    ip: CITIES.atlanta,
  },
  'young-domain': {
    domain: { ageDays: 9, type: 'business', score: 55 },
    address: { ...CLEAN_ADDRESS, ageDays: 6, score: 34, activity: 2 },
    ip: CITIES.washington,
  },
  abroad: { ip: CITIES.singapore },
  'source-down': { emailFails: true, ip: CITIES.brisbane },
  'unknown-number': { phone: null, ip: CITIES.madrid },
  'composite-mismatch': {
    ip: CITIES.chicago,
    onRecord: new Map([
      ['firstName', 'Amara'],
      ['lastName', 'Lindqvist'],
    ]),
  },
  'account-takeover': {
    phone: {
      ...CLEAN_PHONE,
      serviceType: 'prepaid',
      ports: [{ ageDays: 3, to: 'Fernhill Cellular' }],
      portingRisk: 'veryHigh',
      score: 84,
    },
    address: { ...CLEAN_ADDRESS, score: 96, tumblingRisk: 1, activity: 9 },
    darkWeb: { hits: 14, lastHitAgeDays: 6, forumRating: 5 },
    ip: CITIES.warsaw,
  },
};

// Each identity variable is looked up by itself, so any one variable of a persona gives that persona's signals.
const rows = PERSONAS.map((persona): { persona: Persona; signals: PersonaSignals } => ({
  persona,
  signals: { ...CLEAN, ...SIGNALS[persona.name] },
}));
const byPhone = new Map(rows.map(({ persona, signals }) => [persona.phoneNo, signals]));
const byEmail = new Map(rows.map(({ persona, signals }) => [persona.email, signals]));
const byDomain = new Map(rows.map(({ persona, signals }) => [domainOf(persona.email), signals]));
const byIp = new Map(rows.map(({ persona, signals }) => [persona.ip, signals]));

/** The identity variables of a request; the email is trimmed and in lower case. */
export interface Identity {
  readonly phoneNo: string;
  readonly email: string | undefined;
  readonly ip: string | undefined;
}

/** The results of all sources; a source whose variable was not given is not asked. */
export function lookUpFindings({ phoneNo, email, ip }: Identity): Findings {
  const ofPhone = byPhone.get(phoneNo);
  return {
    phone: ofPhone === undefined ? lookUpPhone(phoneNo) : ofPhone.phone,
    email: email === undefined ? undefined : findEmail(email),
    darkWeb: email === undefined ? undefined : (byEmail.get(email)?.darkWeb ?? lookUpDarkWeb(email)),
    ip: ip === undefined ? undefined : (byIp.get(ip)?.ip ?? lookUpIp(ip, phoneNo)),
  };
}

/** The variables on record for the persona with this number, email or IP, in this order; undefined for anyone else. */
export function recordOf({ phoneNo, email, ip }: Identity): ReadonlyMap<string, string> | undefined {
  return (byPhone.get(phoneNo) ?? byEmail.get(email ?? '') ?? byIp.get(ip ?? ''))?.onRecord;
}

function findEmail(email: string): SourceResult<EmailRecord> {
  const persona = byEmail.get(email);
  if (persona === undefined ? emailSourceFails(email) : persona.emailFails) return 'timeout';
  const domain = byDomain.get(domainOf(email))?.domain ?? lookUpDomain(domainOf(email));
  return { domain, address: persona?.address ?? lookUpAddress(email, domain) };
}
