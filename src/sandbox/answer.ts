/** A checked request and a day -> the service's answer: shape 1, with a section for each requested service. */

import { createHash } from 'node:crypto';
import { type Identity, lookUpFindings, recordOf } from './findings.ts';
import {
  type DarkWebRecord,
  drawsOf,
  type EmailRecord,
  type IpRecord,
  type PhoneRecord,
  riskLevelOf,
  type SourceResult,
} from './records.ts';
import type { VerifyRequest } from './request.ts';

/** The name of the risk service. A service with any other name matches identities. */
export const CORE_SERVICE = 'Core Intelligence Service';

const NAME = /name/i;
const ADDRESS = /address|street|city|town|state|province|post|zip/i;

/**
 * The answer to a request.
 *
 * The identity match result of another service is in the section of that service, at
 * `serviceResponses["<other service>"].identityVerified`, and in `matchStatus` (`Match` or `No Match`) for the whole
 * answer. In the section of the Core Intelligence Service `identityVerified` is always false and means nothing; if only
 * that service is requested, `No Match` means nothing either.
 *
 * @param today days since 1970-01-01 UTC; all dates are relative to it
 */
export function answerTo(request: VerifyRequest, today: number): object {
  const isComposite = request.services.some((name) => name !== CORE_SERVICE);
  const match = matchIdentity(request.identity, request.variables);
  const matchSection = {
    ...section(''),
    identityVerified: match.verified,
    nameMatchScore: matchScore(match, NAME),
    addressMatchScore: matchScore(match, ADDRESS),
    // `fromEntries` makes every name an own key, even `__proto__`.
    verifications: Object.fromEntries(match.verifications),
  };
  return {
    countryCode: request.countryCode,
    clientReference: request.clientReference,
    reportingReference: reportingReference(request),
    matchStatus: isComposite && match.verified ? 'Match' : 'No Match',
    searchErrorMessage: '',
    safeHarbour: false,
    searchStatus: 'Successful',
    serviceResponses: Object.fromEntries(
      request.services.map((name) => [name, name === CORE_SERVICE ? coreSection(request, today) : matchSection]),
    ),
    remarks: [],
  };
}

function section(errorMessage: string) {
  return {
    status: 0,
    sourceStatus: 'Successful',
    errorMessage,
    identityVerified: false,
    safeHarbourScore: 'none',
    nameMatchScore: 'N/A',
    addressMatchScore: 'N/A',
    verifications: {},
    returnedData: {},
  };
}

function coreSection(request: VerifyRequest, today: number): object {
  const findings = lookUpFindings(request.identity);
  const sources = Object.entries(findings).filter(([, result]) => result !== undefined);
  const failed = sources.filter(([, result]) => result === 'timeout').length;
  const errorMessage = failed === 0 ? '' : `${failed} of ${sources.length} sources did not answer in time`;
  return {
    ...section(errorMessage),
    returnedData: {
      sourceStatuses: Object.fromEntries(
        sources.map(([source, result]) => [source, result === 'timeout' ? 'Timeout' : 'Successful']),
      ),
      phone: phonePart(findings.phone, today),
      ...(findings.email === undefined || findings.darkWeb === undefined
        ? {}
        : { email: { ...emailPart(findings.email, today), darkWeb: darkWebPart(findings.darkWeb, today) } }),
      ...(findings.ip === undefined ? {} : { ip: ipPart(findings.ip) }),
    },
  };
}

function phonePart(result: SourceResult<PhoneRecord>, today: number): object {
  const phone = recordIn(result);
  const last = phone?.ports.at(-1);
  return {
    mobileNetworkOperator: {
      current: last?.to ?? phone?.originalOperator ?? null,
      original: phone?.originalOperator ?? null,
      phoneType: phone?.type ?? null,
      status: phone?.status ?? null,
    },
    serviceType: phone?.serviceType ?? null,
    riskLevel: phone ? riskLevelOf(phone.score) : null,
    portingInformation: {
      portedDate: dateOf(last?.ageDays, today),
      // An empty list means that the number was never ported; null, that nothing is known.
      portingHistory:
        phone?.ports.map(({ ageDays, to }, index) => ({
          date: dateOf(ageDays, today),
          from: phone.ports[index - 1]?.to ?? phone.originalOperator,
          to,
        })) ?? null,
      portingFraudRiskLevel: phone?.portingRisk ?? null,
    },
    overallScore: phone?.score ?? zeroIfTimedOut(result),
  };
}

function emailPart(result: SourceResult<EmailRecord>, today: number): object {
  const email = recordIn(result);
  return {
    domain: {
      firstSeenDate: dateOf(email?.domain.ageDays, today),
      domainType: email?.domain.type ?? null,
      domainRiskLevel: email ? riskLevelOf(email.domain.score) : null,
      domainScore: email?.domain.score ?? null,
    },
    emailAddress: {
      status: email?.address.status ?? null,
      firstSeenDate: dateOf(email?.address.ageDays, today),
      emailRiskLevel: email ? riskLevelOf(email.address.score) : null,
      emailScore: email?.address.score ?? zeroIfTimedOut(result),
    },
    behaviouralInsights: {
      tumblingRiskSignal: email?.address.tumblingRisk ?? null,
      activityScore: email?.address.activity ?? null,
    },
  };
}

function darkWebPart(result: SourceResult<DarkWebRecord>, today: number): object {
  const darkWeb = recordIn(result);
  return {
    hitCount: darkWeb?.hits ?? zeroIfTimedOut(result),
    lastHitDate: dateOf(darkWeb?.lastHitAgeDays, today),
    forumRating: darkWeb?.forumRating ?? null,
  };
}

function ipPart(result: SourceResult<IpRecord>): object {
  const ip = recordIn(result);
  return {
    ipAddress: {
      geoLocation: { latitude: ip?.latitude ?? null, longitude: ip?.longitude ?? null },
      registeredIsp: ip?.isp ?? null,
    },
  };
}

function recordIn<T extends object>(result: SourceResult<T>): T | null {
  return result === 'timeout' ? null : result;
}

/** As in the sample answers, a source that timed out has 0 for its score or count; a client must not believe it. */
function zeroIfTimedOut(result: unknown): 0 | null {
  return result === 'timeout' ? 0 : null;
}

// 0001-01-01, the first day that yyyy-MM-dd can express.
const FIRST_DAY = -719_162;

function dateOf(ageDays: number | null | undefined, today: number): string | null {
  if (ageDays === null || ageDays === undefined) return null;
  return new Date(Math.max(today - ageDays, FIRST_DAY) * 86_400_000).toISOString().slice(0, 10);
}

/** `RR-` and a custom UUID (RFC 9562, version 8), always the same for the same request. */
function reportingReference(request: VerifyRequest): string {
  const { countryCode, clientReference, services, identity, variables } = request;
  const content = [countryCode, clientReference, services, identity.phoneNo, identity.email, identity.ip];
  const hex = createHash('sha256')
    .update(JSON.stringify([...content, [...variables].sort()]))
    .digest('hex');
  return `RR-${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

const MAX_LENGTH = 1000;

/** Which of the extra identity variables match the person. */
interface IdentityMatch {
  /** Whether at least one variable was given and all of them match. */
  readonly verified: boolean;
  readonly verifications: readonly (readonly [variable: string, result: 'Match' | 'No Match'])[];
}

/** The share of variables that match, for anyone who is not a persona. */
const MATCH_RATE = 0.95;

/** Matches the extra variables of a request. The result is always the same for the same person, variable and value. */
function matchIdentity(identity: Identity, variables: ReadonlyMap<string, string>): IdentityMatch {
  const onRecord = recordOf(identity);
  const verifications = [...variables].map(([variable, value]) => {
    const foldedValue = fold(value);
    const recorded = onRecord?.get(variable);
    const fits =
      onRecord === undefined
        ? drawsOf('identity', identity.phoneNo)(JSON.stringify([variable, foldedValue])) < MATCH_RATE
        : recorded === undefined || fold(recorded) === foldedValue;
    return [variable, fits ? 'Match' : 'No Match'] as const;
  });
  const verified = verifications.length > 0 && verifications.every(([, result]) => result === 'Match');
  return { verified, verifications };
}

/** The percentage of matching variables among those of a kind, as a text; `N/A` if there are none. */
function matchScore(match: IdentityMatch, kind: RegExp): string {
  const ofKind = match.verifications.filter(([variable]) => kind.test(variable));
  if (ofKind.length === 0) return 'N/A';
  const fitting = ofKind.filter(([, result]) => result === 'Match').length;
  return String(Math.round((100 * fitting) / ofKind.length));
}

function fold(value: string): string {
  // No record is longer. Normalising a long text may take quadratic time.
  return value.length > MAX_LENGTH ? value : value.normalize('NFC').trim().toLowerCase();
}
