/** Any email address or domain -> its records. A domain's record depends on the domain alone, not on the address. */

import {
  type AddressRecord,
  type DarkWebRecord,
  type DomainRecord,
  drawsOf,
  FAILURE_RATE,
  integerBetween,
  pickByShare,
  type SourceResult,
} from './records.ts';

const FREE_DOMAINS = new Set(
  `aol.com fastmail.com gmail.com gmx.com gmx.de gmx.net googlemail.com hotmail.co.uk hotmail.com hotmail.fr icloud.com
  libero.it live.com mail.com mail.ru me.com msn.com naver.com orange.fr outlook.com outlook.de proton.me protonmail.com
  qq.com rediffmail.com t-online.de tutanota.com web.de yahoo.co.in yahoo.co.jp yahoo.co.uk yahoo.com yahoo.com.br
  yahoo.fr yandex.ru ymail.com zoho.com`.split(/\s+/),
);

const DISPOSABLE_DOMAINS = new Set(
  `10minutemail.com 33mail.com dispostable.com fakeinbox.com getnada.com guerrillamail.com maildrop.cc mailnesia.com
  mailinator.com mintemail.com mohmal.com sharklasers.com spamgourmet.com temp-mail.org tempmail.com throwawaymail.com
  trashmail.com yopmail.com`.split(/\s+/),
);

type Range = readonly [least: number, most: number];

/** The part after the last @; the whole text if there is no @. */
export function domainOf(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1);
}

/** Whether the email source times out for an address. */
export function emailSourceFails(email: string): boolean {
  return drawsOf('email', email)('failure') < FAILURE_RATE;
}

/** The record of a domain, given in lower case. */
export function lookUpDomain(domain: string): DomainRecord {
  const draw = drawsOf('domain', domain);
  const age = draw('age');
  const type = domainTypeOf(domain) ?? pickByShare(draw('type'), 'business', [0.01, 'disposable'], [0.05, 'other']);
  const record = (ages: Range, scores: Range): DomainRecord => {
    return { type, ageDays: integerBetween(age, ...ages), score: integerBetween(draw('score'), ...scores) };
  };
  if (type === 'free') return record([5400, 10_400], [4, 18]);
  if (type === 'disposable') return record([30, 4400], [78, 97]);
  if (type === 'education' || type === 'government') return record([4000, 11_000], [1, 9]);
  // Two in a hundred business domains are less than two months old.
  return draw('young') < 0.02 ? record([2, 60], [42, 68]) : record([200, 9000], [2, 34]);
}

function domainTypeOf(domain: string): DomainRecord['type'] | undefined {
  if (FREE_DOMAINS.has(domain)) return 'free';
  if (DISPOSABLE_DOMAINS.has(domain)) return 'disposable';
  if (/\.(edu(\.[a-z]{2})?|ac\.[a-z]{2})$/.test(domain)) return 'education';
  return /\.gov(\.[a-z]{2})?$/.test(domain) ? 'government' : undefined;
}

/** The record of an address, given trimmed and in lower case; no address is older than its domain. */
export function lookUpAddress(email: string, domain: DomainRecord): AddressRecord {
  const draw = drawsOf('address', email);
  const isDisposable = domain.type === 'disposable';
  const band = pickByShare<Range>(
    draw('risk'),
    [91, 98],
    [0.55, [2, 9]],
    [0.35, [10, 36]],
    [0.06, [41, 66]],
    [0.03, [71, 88]],
  );
  const tagged = email.slice(0, email.lastIndexOf('@')).includes('+');
  return {
    status: pickByShare(draw('status'), 'valid', [0.03, 'acceptAll'], [0.015, 'invalid'], [0.015, 'unreachable']),
    ageDays: integerBetween(draw('age'), 1, Math.min(domain.ageDays, 5000)),
    score: integerBetween(draw('score'), ...(isDisposable ? ([74, 97] as const) : band)),
    // A tag after a plus is the most common way to make many addresses of one mailbox.
    tumblingRisk: tagged ? 2 : pickByShare<number>(draw('tumbling'), 3, [0.86, 0], [0.1, 1], [0.03, 2]),
    activity: isDisposable ? integerBetween(draw('activity'), 0, 2) : integerBetween(draw('activity'), 3, 10),
  };
}

/** The dark-web record of an address: one in ten has a few old hits, one in a hundred many recent ones. */
export function lookUpDarkWeb(email: string): SourceResult<DarkWebRecord> {
  const draw = drawsOf('darkWeb', email);
  if (draw('failure') < FAILURE_RATE) return 'timeout';
  const amount = pickByShare(draw('amount'), 'none', [0.01, 'many'], [0.1, 'few']);
  if (amount === 'none') return { hits: 0, lastHitAgeDays: null, forumRating: 0 };
  const few = amount === 'few';
  return {
    hits: few ? integerBetween(draw('hits'), 1, 3) : integerBetween(draw('hits'), 5, 20),
    lastHitAgeDays: few ? integerBetween(draw('lastHit'), 400, 2600) : integerBetween(draw('lastHit'), 1, 90),
    forumRating: few ? integerBetween(draw('forum'), 0, 2) : integerBetween(draw('forum'), 3, 5),
  };
}
