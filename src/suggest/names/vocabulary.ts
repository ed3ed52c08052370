/** TABLE: the words in which services name what they tell, and the one concept that each of them stands for. */

/**
 * What part a concept plays in a name: `section` and `topic` say of what something is told, `head` what is told, `facet`
 * which side of it (a code, a label), `unit` in what; a `filler` says nothing, a `foreign` topic is of something that the
 * catalog does not have, and a `spoiler` makes another thing of what it stands beside (the previous score, the maximum).
 */
export type Role = 'section' | 'topic' | 'head' | 'facet' | 'unit' | 'filler' | 'foreign' | 'spoiler';

interface ConceptRow {
  readonly role: Role;
  /** Words and phrases, as they are after a name has been split: in lower case, with single spaces. */
  readonly words: string;
}

/** By concept; words of one role that need no name of their own stand together. */
export const VOCABULARY = {
  phone: {
    role: 'section',
    words:
      'phone, phones, phone number, phone no, phone num, telephone, telephone number, tel, tel no, msisdn, mobile, mobile number, mobile no, mobile phone, cell, cell phone, cellphone, cell number, cellular, handset, subscriber, subscriber number, line, phone line, hlr, ph, phn, mob, gsm, telco, telephony',
  },
  email: { role: 'section', words: 'email, emails, e mail, mail, eml, email id, mail id, em' },
  ip: {
    role: 'section',
    words:
      'ip, ips, geo ip, geoip, ipv, ipv 4, ip v 4, ip 4, ip address, ip addr, ipaddress, ipaddr, ip add, internet protocol, internet, inet',
  },
  mailbox: {
    role: 'topic',
    words:
      'email address, email addresses, email addr, email add, e mail address, mail address, mail addr, mailbox, inbox, email account',
  },
  address: { role: 'topic', words: 'address, addr, addresses' },
  operator: {
    role: 'topic',
    words:
      'operator, opr, oper, carrier, network, net, mno, mobile network operator, mobile network, network operator, mobile operator, mobile carrier, network provider, network name, phone provider, mobile provider, telecom, telecom operator, wireless carrier, wireless provider',
  },
  provider: { role: 'topic', words: 'provider, service provider' },
  porting: {
    role: 'topic',
    words:
      'portation, port, ported, porting, ports, portings, portability, number portability, number porting, mobile number portability, mnp, lnp, port in, ported in',
  },
  domain: { role: 'topic', words: 'domain, domains, dom, domain name, email domain, mail domain, e mail domain' },
  behaviour: {
    role: 'topic',
    words: 'behaviour, behavior, behavioural, behavioral, behaviours, behaviors, bhv, behav, velocity, usage pattern',
  },
  darkWeb: {
    role: 'topic',
    words:
      'dark web, darkweb, dark net, darknet, dw, dark, breach, breaches, breached, data breach, data breaches, leak, leaks, leaked, data leak, data leaks, pwned, compromise, compromised, compromises, exposure, exposures, exposed',
  },
  location: {
    role: 'topic',
    words:
      'location, loc, geo location, geolocation, geo loc, geo, ip location, position, coordinates, coordinate, coords, coord, geo coordinates, geo point, point',
  },
  isp: {
    role: 'topic',
    words:
      'supplier of access, access provider, isp, internet service provider, internet provider, isp name, registered isp, isp registered',
  },

  current: { role: 'head', words: 'actual, current, curr, cur, crnt, present, serving, now, currently' },
  original: {
    role: 'head',
    words: 'origin, of origin, original, orig, initial, issuing, native, originally, allocated, allotted',
  },
  type: { role: 'head', words: 'type, typ, kind, class, classification, category, cat' },
  phoneType: {
    role: 'head',
    words:
      'phone type, phone types, line type, number type, telephone type, mobile type, phone kind, phone category, phone class, line class, line category, number class, number category, phone line type, phone number type, tn type',
  },
  phoneStatus: {
    role: 'head',
    words: 'subscriber status, phone status, line status, number status, telephone status, sim status',
  },
  serviceType: {
    role: 'head',
    words:
      'service type, svc type, srv type, serv type, plan type, plan, service plan, billing type, billing, billing model, payment type, payment plan, payment model, payment, pay type, contract type, contract, subscription type, subscription, tariff, tariff type, prepaid, pre paid, prepay, postpaid, post paid, prepaid postpaid, paid type, charging type, account type, subscriber type, sub type, customer type',
  },
  status: { role: 'head', words: 'statute, status, state, stat, sts, stts, condition, statuses' },
  active: { role: 'head', words: 'active' },
  deliverable: {
    role: 'head',
    words: 'existence, exists, email exists, deliverable, deliverability, verification, validity, validation, verdict',
  },
  risk: { role: 'head', words: 'risk, threat, risks, riskiness' },
  fraud: { role: 'head', words: 'fraud, fraudulent, frd' },
  trust: {
    role: 'head',
    words:
      'trust, reputation, trustworthiness, safety, credibility, reliability, quality, legitimacy, goodness, trusted',
  },
  level: { role: 'head', words: 'level, lvl, lev, levl, band, grade, tier, severity, sev, bucket' },
  rating: { role: 'head', words: 'rating, rtg, ratings, rated' },
  score: { role: 'head', words: 'score, scr, scores, points, pts, index, scoring, scored' },
  overall: { role: 'filler', words: 'overall, general, total, aggregate, combined, final, ovr, ovrl' },
  first: { role: 'head', words: 'first, earliest, 1 st, oldest' },
  last: { role: 'head', words: 'last, latest, recent, most recent, newest, lst' },
  seen: {
    role: 'head',
    words: 'seen, observed, detected, sighted, sighting, appeared, appearance, encountered, spotted, noticed, found',
  },
  created: { role: 'head', words: 'created, registered, registration, creation, established' },
  age: { role: 'head', words: 'age' },
  date: { role: 'head', words: 'date, dt, dte, day, time, datetime, date time, timestamp, ts, on, at, when, epoch' },
  hit: {
    role: 'head',
    words: 'hit, hits, occurrence, occurrences, finding, findings, incident, incidents, mention, mentions',
  },
  count: {
    role: 'head',
    words:
      'count, cnt, num, number, number of, no of, num of, nbr, total count, times, qty, quantity, tally, counter, how many',
  },
  history: {
    role: 'head',
    words: 'history, hist, histories, log, events, event, timeline, moves, transfers, records, record',
  },
  previous: { role: 'spoiler', words: 'previous, prev, prior, former, penultimate' },
  forum: { role: 'head', words: 'forum, forums' },
  tumbling: { role: 'head', words: 'tumbling, tumble, tumbled, tumbler, tumbl' },
  activity: { role: 'head', words: 'activity, engagement, actvty, activeness' },
  latitude: { role: 'head', words: 'latitude, lat, latitudes' },
  longitude: { role: 'head', words: 'longitude, lon, lng, long, longitudes' },
  latLon: {
    role: 'head',
    words: 'lat lon, lat lng, lat long, latlon, latlng, latlong, latitude longitude, geo lat lon',
  },
  lonLat: { role: 'head', words: 'lon lat, lng lat, long lat, lonlat, lnglat, longitude latitude' },
  organisation: { role: 'head', words: 'organisation, organization, org, company' },
  verified: { role: 'head', words: 'verified, identity verified, identity match, id verified, match result' },
  reference: { role: 'head', words: 'reference, ref, refs' },
  success: {
    role: 'head',
    words: 'success, successful, ok, succeeded, answered, completed, responded, available, complete, done',
  },
  outcome: {
    role: 'head',
    words:
      'search status, source status, source statuses, lookup status, query status, request status, response status, result status, call status, service status, result code, response code, return code, status code',
  },
  sources: { role: 'head', words: 'source, sources, src, feeds, vendors' },

  facet: {
    role: 'facet',
    words: 'value, val, v, name, label, text, display, normalized, normalised, formatted, string',
  },
  code: { role: 'facet', words: 'code, cd, id, key, raw, abbreviation, short, desc, description, title, ordinal' },

  percent: { role: 'unit', words: 'percent, pct, percentage, prc' },
  days: { role: 'unit', words: 'days, in days, day count' },
  daysAgo: {
    role: 'unit',
    words: 'days ago, days old, days since, days in the past',
  },
  millis: { role: 'unit', words: 'ms, millis, milliseconds, msec, millisec, epoch ms, epoch millis, unix ms' },
  seconds: { role: 'unit', words: 'sec, secs, seconds, s, unix, unix time, unix timestamp, epoch seconds, epoch sec' },
  otherUnit: { role: 'unit', words: 'months, years, weeks, hours, minutes, mins, yrs, in months, in years' },
  degrees: { role: 'unit', words: 'deg, degrees, decimal, dec' },

  filler: {
    role: 'filler',
    words:
      'the, a, an, of, is, has, was, in, for, by, to, and, with, data, datum, info, information, inf, detail, details, result, results, res, response, resp, responses, report, section, core, core intelligence service, intelligence, intel, service, services, svc, insight, insights, signal, signals, sig, indicator, indicators, ind, summary, analysis, assessment, assess, check, checks, lookup, global, returned, output, payload, body, content, item, items, field, fields, attribute, attributes, attrs, property, properties, props, profile, product, products, module, category group, answer, answers, envelope, verify, api, rs, list, entry, entries, metrics, metric, stats, x, meta, vendor, flag, estimated, approx, approximate, iso, utc, local, enrichment, evaluation, evaluations, header, headers, given, provided, search, source of, overview, object, obj, node, element, elements, facts, group, groups, entity, entities, edge, edges, nodes, outcome, outcomes, web, characteristics, attribution, view',
  },
  submitted: {
    role: 'spoiler',
    words:
      'request, requested, submitted, query, echo, input, inputs, supplied, params, parameters, search criteria, criteria',
  },
  spoiler: {
    role: 'spoiler',
    words:
      'max, maximum, min, minimum, average, avg, mean, median, threshold, thresholds, limit, confidence, conf, certainty, probability, likelihood, version, ver, model, delta, change, changed, trend, percentile, reason, reasons, message, msg, error, errors, expected, default, peer, benchmark, weight, weighting, baseline, target, expiry, expires, expiration, updated, update, refreshed, checked, queried, retrieved, fetched, cached, next, old, historic, historical, hash, url, link, mcc, mnc, imsi, prefix, format, syntax, length, unique, scale, unit, range, rank, steps, legend, advice, recommendation, action, decision, eligible, eligibility, attempts, attempt, failed, pending, scheduled, requests, port out, ported out, donor, recipient, from, unlocked, is ported, risk factors, factors, factor, contribution, month, week, year, today, yesterday, ago, accuracy, radius, altitude, per, ratio, share, potential, predicted, prediction, forecast, variance, deviation, example, sample, test, debug, trace, internal, deprecated, legacy',
  },
  otherParty: {
    role: 'spoiler',
    words:
      'employer, merchant, seller, payee, beneficiary, guarantor, spouse, referrer, dealer, emergency contact, next of kin, counterparty, sender, partner, colleague, relative, household member, employee, landlord, broker',
  },
  foreign: {
    role: 'foreign',
    words:
      'sim, sim swap, simswap, imei, imsi change, device, roaming, roam, forwarding, call forwarding, call, calls, sms, whatsapp, telegram, viber, proxy, vpn, tor, hosting, datacenter, data center, asn, autonomous system, mx, dns, smtp, spf, dkim, dmarc, whois, registrar, social, social media, linkedin, facebook, twitter, identity, kyc, person, owner, passport, document, website, web site, site, bot, blacklist, blocklist, blacklisted, spam, abuse, bank, card, transaction, connection, usage, spoof, spoofing, country, region, city, state province, postal, postcode, zip, timezone, time zone, tz, currency, language, continent, gravatar, alias, username, local part, tld, website status, malware, phishing, attack, crawler, relay, gender, birth, dob, marketplace, credential, credentials, password, passwords, paste, pastes, nameserver, ssl, certificate, tls, page, alexa, popularity, traffic, firm, job, industry, household, residential, commercial, street, building, house, delivery, shipping, ltd, fax, extension, ext, caller, cnam, spammer, robocall, toll, voicemail, tower, mvno, imeis, os, browser, mac, port number, open ports, firewall, server, host, hostname, reverse, cidr, subnet, netblock, block, range holder',
  },
} as const satisfies Record<string, ConceptRow>;

/** A concept of the table. */
export type Concept = keyof typeof VOCABULARY;
