/** TABLES: the words that name concepts, and the abbreviations of words. */

/** The words of a list. */
export function splitList(text: string): readonly string[] {
  return text.trim().split(/,\s+/);
}

/** Word -> the key whose list has it. */
export function indexWords<Key extends string>(lists: Readonly<Record<Key, string>>): ReadonlyMap<string, Key> {
  const entries = Object.entries(lists) as [Key, string][];
  return new Map(entries.flatMap(([key, words]) => splitList(words).map((word): [string, Key] => [word, key])));
}

/**
 * By role and concept, the words and phrases in the form that `splitWords` gives: lower case, single spaces.
 *
 * - `section` and `topic` name the subject of a field; `head` names the property of that subject.
 * - `facet` says which form of the value (a code, a label); `unit` says in which unit.
 * - `filler` has no meaning.
 * - `foreign` is a subject that the catalog does not have.
 * - `spoiler` changes the meaning of the words around it: the previous score, the maximum.
 */
const VOCABULARY = {
  section: {
    phone: `
      phone, phones, phone number, phone no, phone num, telephone, telephone number, tel, tel no, msisdn, mobile,
      mobile number, mobile no, mobile phone, cell, cell phone, cellphone, cell number, cellular, handset, subscriber,
      subscriber number, line, phone line, hlr, ph, phn, mob, gsm, telco, telephony`,
    email: 'email, emails, e mail, mail, eml, email id, mail id, em',
    ip: `
      ip, ips, geo ip, geoip, ipv, ipv 4, ip v 4, ip 4, ip address, ip addr, ipaddress, ipaddr, ip add,
      internet protocol, internet, inet`,
  },
  topic: {
    mailbox: `
      email address, email addresses, email addr, email add, e mail address, mail address, mail addr, mailbox, inbox,
      email account`,
    address: 'address, addr, addresses',
    operator: `
      operator, opr, oper, carrier, network, net, mno, mobile network operator, mobile network, network operator,
      mobile operator, mobile carrier, network provider, network name, phone provider, mobile provider, telecom,
      telecom operator, wireless carrier, wireless provider`,
    provider: 'provider, service provider',
    porting: `
      portation, port, ported, porting, ports, portings, portability, number portability, number porting,
      mobile number portability, mnp, lnp, port in, ported in`,
    domain: 'domain, domains, dom, domain name, email domain, mail domain, e mail domain',
    behaviour: `
      behaviour, behavior, behavioural, behavioral, behaviours, behaviors, bhv, behav, velocity, usage pattern`,
    darkWeb: `
      dark web, darkweb, dark net, darknet, dw, dark, breach, breaches, breached, data breach, data breaches, leak,
      leaks, leaked, data leak, data leaks, pwned, compromise, compromised, compromises, exposure, exposures, exposed`,
    location: `
      location, loc, geo location, geolocation, geo loc, geo, ip location, position, coordinates, coordinate, coords,
      coord, geo coordinates, geo point, point`,
    isp: `
      supplier of access, access provider, isp, internet service provider, internet provider, isp name,
      registered isp, isp registered`,
  },
  head: {
    current: 'actual, current, curr, cur, crnt, present, serving, now, currently',
    original: 'origin, of origin, original, orig, initial, issuing, native, originally, allocated, allotted',
    type: 'type, typ, kind, class, classification, category, cat',
    phoneType: `
      phone type, phone types, line type, number type, telephone type, mobile type, phone kind, phone category,
      phone class, line class, line category, number class, number category, phone line type, phone number type,
      tn type`,
    phoneStatus: 'subscriber status, phone status, line status, number status, telephone status, sim status',
    serviceType: `
      service type, svc type, srv type, serv type, plan type, plan, service plan, billing type, billing,
      billing model, payment type, payment plan, payment model, payment, pay type, contract type, contract,
      subscription type, subscription, tariff, tariff type, prepaid, pre paid, prepay, postpaid, post paid,
      prepaid postpaid, paid type, charging type, account type, subscriber type, sub type, customer type`,
    status: 'statute, status, state, stat, sts, stts, condition, statuses',
    active: 'active',
    deliverable: `
      existence, exists, email exists, deliverable, deliverability, verification, validity, validation, verdict`,
    risk: 'risk, threat, risks, riskiness',
    fraud: 'fraud, fraudulent, frd',
    trust: `
      trust, reputation, trustworthiness, safety, credibility, reliability, quality, legitimacy, goodness, trusted`,
    level: 'level, lvl, lev, levl, band, grade, tier, severity, sev, bucket',
    rating: 'rating, rtg, ratings, rated',
    score: 'score, scr, scores, points, pts, index, scoring, scored',
    first: 'first, earliest, 1 st, oldest',
    last: 'last, latest, recent, most recent, newest, lst',
    seen: 'seen, observed, detected, sighted, sighting, appeared, appearance, encountered, spotted, noticed, found',
    created: 'created, registered, registration, creation, established',
    age: 'age',
    date: 'date, dt, dte, day, time, datetime, date time, timestamp, ts, on, at, when, epoch',
    hit: 'hit, hits, occurrence, occurrences, finding, findings, incident, incidents, mention, mentions',
    count: `
      count, cnt, num, number, number of, no of, num of, nbr, total count, times, qty, quantity, tally, counter,
      how many`,
    history: 'history, hist, histories, log, events, event, timeline, moves, transfers, records, record',
    forum: 'forum, forums',
    tumbling: 'tumbling, tumble, tumbled, tumbler, tumbl',
    activity: 'activity, engagement, actvty, activeness',
    latitude: 'latitude, lat, latitudes',
    longitude: 'longitude, lon, lng, long, longitudes',
    latLon: 'lat lon, lat lng, lat long, latlon, latlng, latlong, latitude longitude, geo lat lon',
    lonLat: 'lon lat, lng lat, long lat, lonlat, lnglat, longitude latitude',
    organisation: 'organisation, organization, org, company',
    verified: 'verified, identity verified, identity match, id verified, match result',
    reference: 'reference, ref, refs',
    success: 'success, successful, ok, succeeded, answered, completed, responded, available, complete, done',
    outcome: `
      search status, source status, source statuses, lookup status, query status, request status, response status,
      result status, call status, service status, result code, response code, return code, status code`,
    sources: 'source, sources, src, feeds, vendors',
  },
  facet: {
    facet: 'value, val, v, name, label, text, display, normalized, normalised, formatted, string',
    code: 'code, cd, id, key, raw, abbreviation, short, desc, description, title, ordinal',
  },
  unit: {
    percent: 'percent, pct, percentage, prc',
    days: 'days, in days, day count',
    daysAgo: 'days ago, days old, days since, days in the past',
    millis: 'ms, millis, milliseconds, msec, millisec, epoch ms, epoch millis, unix ms',
    seconds: 'sec, secs, seconds, s, unix, unix time, unix timestamp, epoch seconds, epoch sec',
    otherUnit: 'months, years, weeks, hours, minutes, mins, yrs, in months, in years',
    degrees: 'deg, degrees, decimal, dec',
  },
  filler: {
    overall: 'overall, general, total, aggregate, combined, final, ovr, ovrl',
    filler: `
      the, a, an, of, is, has, was, in, for, by, to, and, with, data, datum, info, information, inf, detail, details,
      result, results, res, response, resp, responses, report, section, core, core intelligence service, intelligence,
      intel, service, services, svc, insight, insights, signal, signals, sig, indicator, indicators, ind, summary,
      analysis, assessment, assess, check, checks, lookup, global, returned, output, payload, body, content, item,
      items, field, fields, attribute, attributes, attrs, property, properties, props, profile, product, products,
      module, category group, answer, answers, envelope, verify, api, rs, list, entry, entries, metrics, metric,
      stats, x, meta, vendor, flag, estimated, approx, approximate, iso, utc, local, enrichment, evaluation,
      evaluations, header, headers, given, provided, search, source of, overview, object, obj, node, element,
      elements, facts, group, groups, entity, entities, edge, edges, nodes, outcome, outcomes, web, characteristics,
      attribution, view`,
  },
  foreign: {
    foreign: `
      sim, sim swap, simswap, imei, imsi change, device, roaming, roam, forwarding, call forwarding, call, calls, sms,
      whatsapp, telegram, viber, proxy, vpn, tor, hosting, datacenter, data center, asn, autonomous system, mx, dns,
      smtp, spf, dkim, dmarc, whois, registrar, social, social media, linkedin, facebook, twitter, identity, kyc,
      person, owner, passport, document, website, web site, site, bot, blacklist, blocklist, blacklisted, spam, abuse,
      bank, card, transaction, connection, usage, spoof, spoofing, country, region, city, state province, postal,
      postcode, zip, timezone, time zone, tz, currency, language, continent, gravatar, alias, username, local part,
      tld, website status, malware, phishing, attack, crawler, relay, gender, birth, dob, marketplace, credential,
      credentials, password, passwords, paste, pastes, nameserver, ssl, certificate, tls, page, alexa, popularity,
      traffic, firm, job, industry, household, residential, commercial, street, building, house, delivery, shipping,
      ltd, fax, extension, ext, caller, cnam, spammer, robocall, toll, voicemail, tower, mvno, imeis, os, browser,
      mac, port number, open ports, firewall, server, host, hostname, reverse, cidr, subnet, netblock, block,
      range holder`,
  },
  spoiler: {
    previous: 'previous, prev, prior, former, penultimate',
    submitted: `
      request, requested, submitted, query, echo, input, inputs, supplied, params, parameters, search criteria,
      criteria`,
    spoiler: `
      max, maximum, min, minimum, average, avg, mean, median, threshold, thresholds, limit, confidence, conf,
      certainty, probability, likelihood, version, ver, model, delta, change, changed, trend, percentile, reason,
      reasons, message, msg, error, errors, expected, default, peer, benchmark, weight, weighting, baseline, target,
      expiry, expires, expiration, updated, update, refreshed, checked, queried, retrieved, fetched, cached, next,
      old, historic, historical, hash, url, link, mcc, mnc, imsi, prefix, format, syntax, length, unique, scale, unit,
      range, rank, steps, legend, advice, recommendation, action, decision, eligible, eligibility, attempts, attempt,
      failed, pending, scheduled, requests, port out, ported out, donor, recipient, from, unlocked, is ported,
      risk factors, factors, factor, contribution, month, week, year, today, yesterday, ago, accuracy, radius,
      altitude, per, ratio, share, potential, predicted, prediction, forecast, variance, deviation, example, sample,
      test, debug, trace, internal, deprecated, legacy`,
    otherParty: `
      employer, merchant, seller, payee, beneficiary, guarantor, spouse, referrer, dealer, emergency contact,
      next of kin, counterparty, sender, partner, colleague, relative, household member, employee, landlord, broker`,
  },
} as const;

export type Role = keyof typeof VOCABULARY;

/** A concept of the table. */
export type Concept = { [R in Role]: keyof (typeof VOCABULARY)[R] }[Role];

/** A concept with its role. */
export interface Meaning {
  readonly concept: Concept;
  readonly role: Role;
}

/** The meaning of every phrase of the table. */
export const PHRASES: ReadonlyMap<string, Meaning> = new Map(
  (Object.keys(VOCABULARY) as Role[]).flatMap((role) =>
    (Object.entries(VOCABULARY[role]) as [Concept, string][]).flatMap(([concept, words]) =>
      splitList(words).map((phrase): [string, Meaning] => [phrase, { concept, role }]),
    ),
  ),
);

const ROLE_OF: ReadonlyMap<Concept, Role> = new Map([...PHRASES.values()].map(({ concept, role }) => [concept, role]));

/** The role of a concept. */
export function roleOf(concept: Concept): Role {
  return ROLE_OF.get(concept) ?? 'filler';
}

const ABBREVIATIONS = {
  account: 'acct',
  activity: 'actv, actvty, actvy',
  address: 'addr, adr',
  behaviour: 'bhv, bhvr, behav',
  breach: 'brch',
  count: 'cnt, ct',
  country: 'ctry, cntry',
  current: 'curr, cur, crnt, crt',
  date: 'dt, dte',
  device: 'dev, dvc',
  domain: 'dom, dmn',
  email: 'em, eml',
  first: 'fst, frst',
  fraud: 'frd',
  history: 'hist, hst',
  last: 'lst',
  latest: 'ltst',
  level: 'lvl, lev, levl',
  location: 'loc, locn',
  mobile: 'mob, mbl',
  network: 'ntwk, nw, ntw, netw',
  name: 'nm',
  number: 'nb, nbr, num, nr, nmbr',
  operator: 'opr, oper, optr',
  original: 'orig, orgnl, orgl',
  phone: 'ph, phn, phne, fone',
  ported: 'prtd',
  porting: 'prtg',
  previous: 'prev, prv',
  provider: 'prov, prvdr',
  rating: 'rtg, rtng',
  registered: 'regd',
  report: 'rpt, rprt',
  result: 'rslt',
  risk: 'rsk',
  score: 'scr',
  service: 'svc, srv, serv, srvc',
  status: 'sts, stts, stat, stus',
  telephone: 'tel',
  tumbling: 'tumb, tmbl, tumbl, tmblg',
  type: 'typ, tp',
};

const WHOLE_WORD_OF: ReadonlyMap<string, string> = indexWords(ABBREVIATIONS);

/** The whole word of an abbreviation, plural or not; any other word as it is. */
export function wholeWord(word: string): string {
  return WHOLE_WORD_OF.get(word) ?? WHOLE_WORD_OF.get(word.replace(/(?<=..)s$/, '')) ?? word;
}
