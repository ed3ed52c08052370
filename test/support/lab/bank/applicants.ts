/** A seed -> invented applicants over 184 days: customers, lone frauds, and rings that share addresses and devices. */

/** The value of a fact; a date is yyyy-MM-dd, or never. */
export type Value = string | number | boolean;

/** Somebody who applied. A fact that is not known is absent. */
export interface Invented {
  readonly reference: string;
  /** In milliseconds since 1970. */
  readonly time: number;
  readonly facts: Readonly<Record<string, Value>>;
  /** The sources that failed, whose facts are absent. */
  readonly failed: readonly Source[];
  readonly isFraud: boolean;
}

/** Those that fail now and then. */
type Source = 'phone' | 'email';

const DAYS = 184;
const FIRST = Date.UTC(2026, 4, 1);
export const DAY = 86_400_000;

/** What draws by chance, always the same for a seed. */
export type Chance = ReturnType<typeof chanceOf>;

/** Draws by mulberry32. */
export function chanceOf(seed: number) {
  let state = seed >>> 0;
  const unit = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const whole = (below: number) => Math.floor(unit() * below);
  return {
    unit,
    whole,
    isOf: (share: number) => unit() < share,
    one: <Item>(items: readonly Item[]) => items[whole(items.length)] as Item,
    /** One of the keys, by its weight. */
    weighted<Key extends string>(weights: Readonly<Record<Key, number>>): Key {
      const entries = Object.entries<number>(weights);
      let left = unit() * entries.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [key, weight] of entries) {
        left -= weight;
        if (left < 0) return key as Key;
      }
      return entries[0]?.[0] as Key;
    },
    /** About a mean: the sum of three draws is close to a normal one. */
    about: (mean: number, spread: number) => mean + spread * 2 * (unit() + unit() + unit() - 1.5),
    /** A waiting time with a mean. */
    wait: (mean: number) => -mean * Math.log(1 - unit()),
  };
}

export function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** A group of frauds who apply within two days, and again some weeks later, when the first are known. */
interface Ring {
  readonly from: number;
  readonly network: string;
  readonly domain: string;
  readonly devices: readonly string[];
}

const CODES = { gb: '447', de: '4915', fr: '336', ng: '23480', vn: '8490', ir: '9891' } as const;
const FREE = ['gmail.com', 'post.example', 'web.example'];
const FIRMS = ['harbour-works.example', 'north-quay.example', 'miller.example', 'oak.example'];
const LEVELS = ['veryLow', 'low', 'medium', 'high', 'veryHigh'] as const;
const HOURS = [1, 1, 1, 1, 1, 2, 4, 7, 9, 10, 11, 11, 12, 11, 11, 10, 10, 11, 12, 12, 10, 8, 5, 2];

/** All applicants in the order of their times. */
export function invent(seed: number, size: number): readonly Invented[] {
  const chance = chanceOf(seed);
  const times: { readonly time: number; readonly ring?: Ring }[] = [];
  for (let i = 0; i < Math.ceil(size / 350); i++) {
    const domain = chance.one(['mailinator.com', `ring${i}.example`, 'gmail.com']);
    const devices = [0, 1, 2].map((n) => `ring${i}-${n}`);
    const network = `193.${chance.whole(100)}.${chance.whole(256)}`;
    const ring = { from: FIRST + chance.whole((DAYS - 75) * DAY), network, domain, devices };
    for (let n = 12 + chance.whole(20); n > 0; n--) {
      const wave = ring.from + (chance.isOf(0.4) ? 70 * DAY : 0);
      times.push({ time: wave + Math.min(2 * DAY, chance.wait(DAY / 30)), ring });
    }
  }
  const byHour = Object.fromEntries(HOURS.map((weight, hour) => [`h${hour}`, weight]));
  while (times.length < size) {
    const hour = Number(chance.weighted(byHour).slice(1));
    times.push({ time: FIRST + chance.whole(DAYS) * DAY + (hour + chance.unit()) * 3_600_000 });
  }
  const inOrder = times.map((each) => ({ ...each, time: 1000 * Math.floor(each.time / 1000) }));
  inOrder.sort((one, other) => one.time - other.time);
  const earlier: Invented[] = [];
  for (const [n, { time, ring }] of inOrder.entries()) {
    const isFraud = chance.isOf(ring ? 0.9 : 0.01);
    const given = givenBy({ chance, time, ring, earlier });
    const failed = (['phone', 'email'] as const).filter(() => chance.isOf(0.012));
    const facts = {
      ...given,
      ...answersFor({ chance, given, day: dayOf(time), isFraud, isOfRing: ring !== undefined }),
    };
    const isKnown = (path: string) => !failed.some((source) => ANSWERS[source].test(path));
    const known = Object.fromEntries(Object.entries(facts).filter(([path]) => isKnown(path)));
    earlier.push({ reference: `TW-${String(n).padStart(5, '0')}`, time, facts: known, failed, isFraud });
  }
  return earlier;
}

/** The facts that each source answers. */
export const ANSWERS = {
  phone: /^phone\.(?!country$)/,
  email: /^email\./,
  ip: /^ip\./,
} as const satisfies Readonly<Record<Source | 'ip', RegExp>>;

interface Applying {
  readonly chance: Chance;
  readonly time: number;
  readonly ring: Ring | undefined;
  readonly earlier: readonly Invented[];
}

/** What the applicant and the caller give. */
function givenBy({ chance, time, ring, earlier }: Applying): Record<string, Value> {
  const country = chance.weighted({ gb: 42, de: 36, fr: 15, ng: 4, vn: 2, ir: 1 });
  const digits = (length: number) => Array.from({ length }, () => chance.whole(10)).join('');
  const repeated = (path: string, share: number) => {
    const before = chance.isOf(share) ? chance.one(earlier.slice(-400)) : undefined;
    return before?.facts[path] as string | undefined;
  };
  const ownDomain = chance.isOf(0.7)
    ? chance.one(FREE)
    : chance.isOf(0.6)
      ? chance.one(FIRMS)
      : `firm${digits(3)}.example`;
  const domain = ring?.domain ?? (chance.isOf(0.01) ? 'mx.trash.example' : ownDomain);
  const email = repeated('applicant.email', 0.04) ?? `u${digits(6)}@${domain}`;
  const phoneNo = chance.isOf(0.003)
    ? '447400990001'
    : (repeated('applicant.phoneNo', 0.04) ?? CODES[country] + digits(8));
  const isCountry = (code: string) => phoneNo.startsWith(code);
  const income = Math.round(chance.about(2600, 700));
  const age = chance.isOf(0.03) ? 15 + chance.whole(5) : 20 + chance.whole(60);
  const facts: Record<string, Value | undefined> = {
    'applicant.phoneNo': phoneNo,
    'applicant.email': email,
    'applicant.emailDomain': email.slice(email.indexOf('@') + 1),
    'applicant.ip': chance.isOf(0.01) ? undefined : addressOf(chance, ring),
    'phone.country': Object.entries(CODES).find(([, code]) => isCountry(code))?.[0],
    'context.product': chance.weighted({ account: ring ? 30 : 60, card: 25, loan: 15 }),
    'context.channel': chance.weighted({ web: 45, app: 40, branch: ring ? 0 : 15 }),
    'context.device': chance.isOf(0.03) ? undefined : ring ? chance.one(ring.devices) : `device-${digits(6)}`,
    'context.born': chance.isOf(0.005) ? undefined : dayOf(time - Math.floor((age + chance.unit()) * 365.25) * DAY),
    'context.income': chance.isOf(0.02) ? undefined : income,
    'context.debts': Math.max(0, Math.round(income * chance.about(0.3, 0.2))),
    'context.minutes': Math.round(100 * chance.wait(ring ? 0.8 : 5)) / 100,
  };
  return known(facts);
}

function addressOf(chance: Chance, ring: Ring | undefined): string {
  if (ring) return `${ring.network}.${1 + chance.whole(3)}`;
  if (chance.isOf(0.05)) return `84.20.7.${1 + chance.whole(30)}`;
  return `${chance.one([81, 92, 151, 178])}.${chance.whole(40)}.${chance.whole(256)}.${1 + chance.whole(254)}`;
}

interface Asked {
  readonly chance: Chance;
  readonly given: Readonly<Record<string, Value>>;
  readonly day: string;
  readonly isFraud: boolean;
  readonly isOfRing: boolean;
}

/** What the verification service answers. */
function answersFor({ chance, given, day, isFraud, isOfRing }: Asked): Record<string, Value> {
  const ago = (days: number) => dayOf(Date.parse(day) - Math.floor(days) * DAY);
  const score = () => Math.round(Math.min(100, Math.max(0, chance.about(isFraud ? 60 : 27, 20))));
  const levelOf = (points: number) => LEVELS[Math.min(4, Math.floor(points / 19))] as string;
  const [phone, email] = [score(), score()];
  const domain = String(given['applicant.emailDomain']);
  const isPorted = chance.isOf(isFraud ? 0.4 : 0.12);
  const hits = chance.one([0, 0, 0, 1, 2, 6, 9]);
  const isAbroad = chance.isOf(isOfRing ? 0.5 : 0.06);
  const facts: Record<string, Value | undefined> = {
    'phone.type': chance.weighted({ mobile: 90, landline: 5, voip: isFraud ? 30 : 4, pager: 0.3 }),
    'phone.status': chance.weighted({ active: 95, inactive: 3, unreachable: 2 }),
    'phone.serviceType': chance.weighted({ prepaid: isFraud ? 80 : 30, postpaid: 40 }),
    'phone.riskLevel': levelOf(phone),
    'phone.score': phone,
    'phone.porting.portedDate': isPorted ? ago(chance.wait(isFraud ? 12 : 300)) : 'never',
    'email.address.score': email,
    'email.address.riskLevel': levelOf(email),
    'email.address.firstSeen': ago(chance.wait(isFraud ? 60 : 1200)),
    'email.domain.type': FREE.includes(domain) ? 'free' : 'corporate',
    'email.darkWeb.hitCount': chance.isOf(0.02) ? undefined : hits,
    'ip.isp': given['applicant.ip'] ? chance.one(['Solent Broadband', 'Nordnetz', 'Acme Hosting Ltd']) : undefined,
    'ip.matchesPhoneCountry': given['applicant.ip'] ? !isAbroad : undefined,
  };
  return known(facts);
}

function known(facts: Readonly<Record<string, Value | undefined>>): Record<string, Value> {
  return Object.fromEntries(
    Object.entries(facts).flatMap(([path, value]) => (value === undefined ? [] : [[path, value]])),
  );
}
