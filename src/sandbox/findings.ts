/** Phone number, email and IP -> the results of the sources: a persona's fixed signals, or drawn ones. */

import { domainOf, emailSourceFails, lookUpAddress, lookUpDarkWeb, lookUpDomain } from './email.ts';
import { PERSONAS, type Persona, type PersonaName } from './personas.ts';
import {
  type AddressRecord,
  type DarkWebRecord,
  type DomainRecord,
  type Draw,
  drawsOf,
  type EmailRecord,
  FAILURE_RATE,
  type Findings,
  type IpRecord,
  integerBetween,
  type PhoneRecord,
  type PortRecord,
  pick,
  pickByShare,
  type RiskLevel,
  type SourceResult,
} from './records.ts';

interface City extends IpRecord {
  /** The prefix of phone numbers there; the prefix 1 covers all of North America except Toronto. */
  readonly prefix: string;
}

/** Cities with their coordinates (rounded to hundredths of a degree) and an invented provider each. */
const CITIES = {
  auckland: { latitude: -36.87, longitude: 174.76, isp: 'Tasman Fibre Limited', prefix: '64' },
  sydney: { latitude: -33.87, longitude: 151.1, isp: 'Wattlewire Broadband', prefix: '61' },
  melbourne: { latitude: -37.81, longitude: 145.05, isp: 'Yarrabend Networks', prefix: '61' },
  brisbane: { latitude: -27.47, longitude: 153.02, isp: 'Jacaranda Cable', prefix: '61' },
  london: { latitude: 51.51, longitude: -0.13, isp: 'Thamesreach Internet', prefix: '44' },
  manchester: { latitude: 53.48, longitude: -2.24, isp: 'Pennine Broadband', prefix: '44' },
  paris: { latitude: 48.86, longitude: 2.35, isp: 'Réseaux du Marronnier', prefix: '33' },
  berlin: { latitude: 52.52, longitude: 13.4, isp: 'Lindenhof Netze', prefix: '49' },
  madrid: { latitude: 40.42, longitude: -3.7, isp: 'Redes Alcornoque', prefix: '34' },
  milan: { latitude: 45.46, longitude: 9.19, isp: 'Retelombra', prefix: '39' },
  warsaw: { latitude: 52.23, longitude: 21.01, isp: 'Wierzba Internet', prefix: '48' },
  stockholm: { latitude: 59.33, longitude: 18.03, isp: 'Granskog Fiber', prefix: '46' },
  washington: { latitude: 38.93, longitude: -77.0, isp: 'Dogwood Cable', prefix: '1' },
  chicago: { latitude: 41.85, longitude: -87.7, isp: 'Prairiewave Communications', prefix: '1' },
  denver: { latitude: 39.74, longitude: -104.98, isp: 'Columbine Fiber', prefix: '1' },
  atlanta: { latitude: 33.75, longitude: -84.39, isp: 'Peachbranch Internet', prefix: '1' },
  toronto: { latitude: 43.7, longitude: -79.42, isp: 'Trilliumnet', prefix: '1416' },
  saoPaulo: { latitude: -23.55, longitude: -46.63, isp: 'Rede Jequitibá', prefix: '55' },
  mexicoCity: { latitude: 19.43, longitude: -99.13, isp: 'Ahuehuete Conexiones', prefix: '52' },
  johannesburg: { latitude: -26.2, longitude: 28.05, isp: 'Proteaveld Networks', prefix: '27' },
  nairobi: { latitude: -1.29, longitude: 36.82, isp: 'Jacandale Online', prefix: '254' },
  pune: { latitude: 18.52, longitude: 73.86, isp: 'Peepalnet Services', prefix: '91' },
  singapore: { latitude: 1.35, longitude: 103.82, isp: 'Rain Tree Broadband', prefix: '65' },
  tokyo: { latitude: 35.69, longitude: 139.7, isp: 'Keyaki Hikari', prefix: '81' },
} as const satisfies Record<string, City>;

const ALL_CITIES: readonly City[] = Object.values(CITIES);

/** Half the width of the square around a city's centre in which addresses lie, in ten-thousandths of a degree. */
const SPREAD = 200;

/** One in twenty people is outside the country of their phone number. */
const ABROAD = 0.05;

/** The record of an IP address. The phone number counts too: most people are in their number's country. */
function lookUpIp(ip: string, phoneNo: string): SourceResult<IpRecord> {
  const draw = drawsOf('ip', ip);
  if (draw('failure') < FAILURE_RATE) return 'timeout';
  const person = drawsOf('ip and phone', `${ip} ${phoneNo}`);
  const homes = person('abroad') < ABROAD ? [] : homesOf(phoneNo);
  const cities = homes.length > 0 ? homes : ALL_CITIES;
  const city = cities[integerBetween(draw('city'), 0, cities.length - 1)];
  if (city === undefined) return null;
  return {
    latitude: nearby(city.latitude, draw('latitude')),
    longitude: nearby(city.longitude, draw('longitude')),
    isp: city.isp,
  };
}

/** The cities with the longest prefix that this number begins with. */
function homesOf(phoneNo: string): readonly City[] {
  const matching = ALL_CITIES.filter(({ prefix }) => phoneNo.startsWith(prefix));
  const longest = Math.max(...matching.map(({ prefix }) => prefix.length));
  return matching.filter(({ prefix }) => prefix.length === longest);
}

function nearby(degrees: number, draw: number): number {
  return Math.round(degrees * 10_000 + integerBetween(draw, -SPREAD, SPREAD)) / 10_000;
}

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

// Invented operators.
const MOBILE_OPERATORS = [
  'Harbour Mobile',
  'Northlink Cellular',
  'Solent Wireless',
  'Brightwater Mobile',
  'Larkfield Telecom',
  'Meridale Wireless',
  'Copperline Mobile',
  'Fernhill Cellular',
] as const;

const OPERATORS = {
  mobile: MOBILE_OPERATORS,
  landline: ['Stonebridge Fixed Lines', 'Oakmast Telephone', 'Larkfield Telecom'],
  voip: ['Cloudreed Voice', 'Pebblecall Internet Telephony', 'Tinwhistle Voice'],
} as const;

/** A third of all numbers were never ported; 4 % were ported within the last 90 days. */
const NEVER_PORTED = 1 / 3;
const PORTED_LATELY = 0.04;

/** The record of a phone number. It depends on the digits alone. */
function lookUpPhone(phoneNo: string): SourceResult<PhoneRecord> {
  const draw = drawsOf('phone', phoneNo);
  if (draw('failure') < FAILURE_RATE) return 'timeout';
  const type = pickByShare(draw('type'), 'mobile', [0.03, 'voip'], [0.02, 'landline']);
  const status = pickByShare(
    draw('status'),
    'active',
    [0.015, 'inactive'],
    [0.01, 'unreachable'],
    [0.005, 'disconnected'],
  );
  const originalOperator = pick<string>(draw('operator'), OPERATORS[type]);
  const ports = drawPorts(draw, OPERATORS[type], originalOperator);
  const portingRisk = portingRiskOf(ports);
  return {
    type,
    status,
    serviceType: draw('serviceType') < 0.35 ? 'prepaid' : 'postpaid',
    originalOperator,
    ports,
    portingRisk,
    score: scoreOf(draw('score'), type, status, portingRisk),
  };
}

function drawPorts(draw: Draw, operators: readonly string[], original: string): PortRecord[] {
  const history = draw('history');
  if (history < NEVER_PORTED) return [];
  const count = pickByShare(draw('portCount'), 3, [0.7, 1], [0.22, 2]);
  // At least a year between two moves; only personas have less.
  let ageDays =
    history > 1 - PORTED_LATELY ? integerBetween(draw('portAge'), 1, 90) : integerBetween(draw('portAge'), 91, 3600);
  const ages = [ageDays];
  while (ages.length < count) {
    ageDays += integerBetween(draw(`portGap ${ages.length}`), 365, 1500);
    ages.unshift(ageDays);
  }
  const ports: PortRecord[] = [];
  let from = original;
  for (const [index, age] of ages.entries()) {
    const others = operators.filter((name) => name !== from);
    from = others[integerBetween(draw(`portTo ${index}`), 0, others.length - 1)] ?? original;
    ports.push({ ageDays: age, to: from });
  }
  return ports;
}

function portingRiskOf(ports: readonly PortRecord[]): RiskLevel {
  const ageDays = ports.at(-1)?.ageDays ?? Number.POSITIVE_INFINITY;
  if (ageDays <= 30) return 'high';
  if (ageDays <= 90) return 'medium';
  return ageDays <= 730 ? 'low' : 'veryLow';
}

function scoreOf(
  draw: number,
  type: PhoneRecord['type'],
  status: PhoneRecord['status'],
  portingRisk: RiskLevel,
): number {
  const ordinary = draw < 0.96 ? integerBetween(draw / 0.96, 2, 36) : integerBetween((draw - 0.96) / 0.04, 40, 66);
  const raised =
    ordinary +
    (type === 'voip' ? 45 : 0) +
    (status === 'active' ? 0 : 25) +
    (portingRisk === 'high' ? 35 : portingRisk === 'medium' ? 20 : 0);
  return Math.min(raised, 98);
}
