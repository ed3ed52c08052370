/** TABLE: synonyms for the values of the catalog's enums; and a field's values -> the `values` of its signal. */

import { CATALOG_TABLE } from '../../../facts/catalog.ts';
import { type Scalar, spellingKey } from '../../../facts/mapping/value/spelling-key.ts';
import { splitWords } from '../names/tokenise.ts';
import { indexWords } from '../names/vocabulary.ts';

/** By fact and value, words in the form that `splitWords` gives. Ambiguous words are left out. */
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
    prepaid: `
      prepay, pre pay, pre paid, pay as you go, payg, pay go, prepaid mobile, prepaid plan, pre, prepaid service,
      prepaid account`,
    postpaid: `
      postpay, post pay, post paid, contract, pay monthly, monthly, subscription, post, postpaid plan,
      monthly contract, postpaid service, postpaid account`,
  },
  'email.domain.type': {
    free: `
      free mail, freemail, freemailer, free provider, free email, free email provider, webmail, web mail, public,
      free webmail, freeprovider, free service`,
    corporate: `
      business, professional, company, enterprise, corp, organisation, organization, work, corporation,
      company domain, business domain`,
    disposable: `
      temporary, temp, throwaway, throw away, burner, temp mail, tempmail, disposable email, temporary email,
      disposable provider`,
    education: 'edu, academic, educational, university, school, education institution',
    government: 'gov, govt, governmental, government agency',
  },
  'email.address.status': {
    valid: 'deliverable, verified, exists, confirmed, existing',
    invalid: `
      undeliverable, not deliverable, does not exist, bounced, bounce, hard bounce, rejected, not valid, nonexistent,
      non existent, no such mailbox, mailbox not found`,
    acceptAll: 'catch all, catchall, accept all mail, accepts all, accept all domain, catch all domain',
    unreachable: 'not reachable, server unreachable, mail server unreachable, host unreachable, no mail server',
  },
};

const VALUE_OF: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map(
  Object.entries(SYNONYMS).map(([path, synonyms]) => [path, indexWords(synonyms)]),
);

/** Words in a value that only repeat the signal's name. */
const DECORATION: ReadonlySet<string> = new Set(
  'phone line number email domain type status account mailbox address subscriber customer'.split(' '),
);

/** Reads the values that a field has in the answers. */
export function readEnum(path: string, values: readonly Scalar[]) {
  const texts = [...new Map(values.map((value) => [spellingKey(value), String(value).trim()])).values()];
  const knownTexts = texts.flatMap((text): [string, string][] => {
    const value = enumValueOf(path, text);
    return value === undefined ? [] : [[text, value]];
  });
  const canonical = ownValues(path);
  return {
    /** Entries for `values`: the values that are not the enum's own. */
    values: new Map(knownTexts.filter(([text]) => !canonical.has(spellingKey(text)))),
    knowsAny: knownTexts.length > 0,
    knowsAll: knownTexts.length === texts.length,
  };
}

/** The value of the enum that a text means. */
export function enumValueOf(path: string, text: string): string | undefined {
  const canonical = ownValues(path);
  const value = canonical.get(spellingKey(text));
  if (value !== undefined || text.length > 60) return value;
  const words = splitWords(text);
  const synonyms = VALUE_OF.get(path);
  const bare = withoutCodes(words)
    .filter((word) => !DECORATION.has(word))
    .join(' ');
  return synonyms?.get(words.join(' ')) ?? synonyms?.get(bare) ?? canonical.get(spellingKey(bare));
}

/** Removes codes, if any other word is left: `mobile` of `M - Mobile` and `01 Mobile`. */
export function withoutCodes(words: readonly string[]): readonly string[] {
  const wholeWords = words.filter((word) => word.length > 1 && !/^\d+$/.test(word));
  return wholeWords.length > 0 ? wholeWords : words;
}

function ownValues(path: string): ReadonlyMap<string, string> {
  return new Map((CATALOG_TABLE.get(path)?.values ?? []).map((value) => [spellingKey(value), value]));
}
