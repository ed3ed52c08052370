/** TABLE: the words of services for the values of the catalog's enums; and a signal's values -> what a mapping says of them. */

import { CATALOG_TABLE } from '../../facts/catalog.ts';
import { type Scalar, spellingKey } from '../../facts/mapping/value/spelling-key.ts';
import { splitWords } from '../names/tokenise.ts';

/** Words, as they are after a text has been split: in lower case, with single spaces. What is doubtful is left out. */
const SYNONYMS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'phone.type': {
    mobile: 'mob, cell, cellular, cell phone, cellphone, mobile phone, wireless, gsm, mobile line, mobile number',
    landline: 'fixed, fixed line, fixedline, land line, wireline, fixed phone, pstn, land, geographic',
    voip: 'non fixed voip, fixed voip, nonfixedvoip, fixedvoip, ip phone, internet phone, virtual, vo ip, voip phone',
    tollFree: 'freephone, free phone, freefone, toll free number',
    premiumRate: 'premium, premium number, premium rate number',
    pager: 'paging, beeper',
    satellite: 'satellite phone, sat phone, sat',
  },
  'phone.status': {
    active: 'act, live, connected, in service, working, in use, activated, reachable, operational',
    inactive: 'not active, dormant, suspended',
    unreachable: 'not reachable, absent, absent subscriber, switched off, out of coverage, unavailable subscriber',
    disconnected: 'not in service, out of service, dead, terminated, ceased',
    unassigned: 'not assigned, unallocated, not allocated, vacant, unused',
  },
  'phone.serviceType': {
    prepaid:
      'prepay, pre pay, pre paid, pay as you go, payg, pay go, prepaid mobile, prepaid plan, pre, prepaid service, prepaid account',
    postpaid:
      'postpay, post pay, post paid, contract, pay monthly, monthly, subscription, post, postpaid plan, monthly contract, postpaid service, postpaid account',
  },
  'email.domain.type': {
    free: 'free mail, freemail, freemailer, free provider, free email, free email provider, webmail, web mail, public, free webmail, freeprovider, free service',
    corporate:
      'business, professional, company, enterprise, corp, organisation, organization, work, corporation, company domain, business domain',
    disposable:
      'temporary, temp, throwaway, throw away, burner, temp mail, tempmail, disposable email, temporary email, disposable provider',
    education: 'edu, academic, educational, university, school, education institution',
    government: 'gov, govt, governmental, government agency',
  },
  'email.address.status': {
    valid: 'deliverable, verified, exists, confirmed, existing',
    invalid:
      'undeliverable, not deliverable, does not exist, bounced, bounce, hard bounce, rejected, not valid, nonexistent, non existent, no such mailbox, mailbox not found',
    acceptAll: 'catch all, catchall, accept all mail, accepts all, accept all domain, catch all domain',
    unreachable: 'not reachable, server unreachable, mail server unreachable, host unreachable, no mail server',
  },
};

/** Words beside a value that say no more than the signal's own name. */
const DECORATION: ReadonlySet<string> = new Set(
  'phone line number email domain type status account mailbox address subscriber customer'.split(' '),
);

/** What the values of an enum are. */
export interface EnumReading {
  /** Entries for `values`, beyond the enum's own names. */
  readonly values: ReadonlyMap<string, string>;
  /** How many of the different values can be read, and of how many. */
  readonly read: number;
  readonly asked: number;
}

/** Reads the values that a signal has in the answers. */
export function readEnum(path: string, values: readonly Scalar[]): EnumReading {
  const texts = [...new Map(values.map((value) => [spellingKey(value), String(value).trim()])).values()];
  const found = texts.map((text) => ({ text, value: enumValueOf(path, text) }));
  const known = found.filter((one): one is { text: string; value: string } => one.value !== undefined);
  const own = ownNames(path);
  const added = known.filter(({ text }) => !own.has(spellingKey(text)));
  return { values: new Map(added.map(({ text, value }) => [text, value])), read: known.length, asked: texts.length };
}

/** The value of the enum that a text means. */
export function enumValueOf(path: string, text: string): string | undefined {
  const own = ownNames(path).get(spellingKey(text));
  if (own !== undefined || text.length > 60) return own;
  const words = splitWords(text);
  const known = WORDS.get(path);
  const bare = withoutCodes(words)
    .filter((word) => !DECORATION.has(word))
    .join(' ');
  return known?.get(words.join(' ')) ?? known?.get(bare) ?? ownNames(path).get(spellingKey(bare));
}

/** `mobile` of `M - Mobile` and `01 Mobile`. */
export function withoutCodes(words: readonly string[]): readonly string[] {
  const whole = words.filter((word) => word.length > 1 && !/^\d+$/.test(word));
  return whole.length > 0 ? whole : words;
}

function ownNames(path: string): ReadonlyMap<string, string> {
  return new Map((CATALOG_TABLE.get(path)?.values ?? []).map((value) => [spellingKey(value), value]));
}

const WORDS: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map(
  Object.entries(SYNONYMS).map(([path, values]) => [
    path,
    new Map(
      Object.entries(values).flatMap(([value, words]) => words.split(', ').map((word) => [word, value] as const)),
    ),
  ]),
);
