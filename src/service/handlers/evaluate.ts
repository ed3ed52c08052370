/** Facts in hand -> verdicts and explanations; and the policies in force. Nothing is asked, and nothing recorded. */

import { explain } from '../../decision/explain/explain.ts';
import { matcherOf } from '../../decision/matcher/matcher.ts';
import { redactReason } from '../../decision/redact.ts';
import { dayOfInstant } from '../../facts/day.ts';
import { type BadLine, type FactsLine, readFactsData } from '../../facts/facts-line.ts';
import { readLines } from '../../platform/files/text-lines.ts';
import { parseJson } from '../../platform/json.ts';
import type { Policy } from '../../policy/language.ts';
import { toJson } from '../../text.ts';
import { type Caller, hasRole } from '../auth/roles.ts';
import { shownDigest } from '../auth/see.ts';
import { ProblemError } from '../problem.ts';
import { BOUNDS, flawIn } from '../request.ts';
import type { Asked, LineStream } from '../route.ts';
import type { EVALUATION_REQUEST, EXPLANATION_REQUEST } from '../schemas.ts';
import type { ServedPolicy, Service } from '../service.ts';
import { describeUnknown, policyNamed } from './decide.ts';

/** After so many verdicts, other requests get their turn. */
const PER_TURN = 5;

/** So many lines count as a request. */
const PER_REQUEST = 100;

/** Verdicts on applicants, in their order. */
export async function evaluate({ body, caller }: Asked<typeof EVALUATION_REQUEST>, service: Service) {
  const { policy } = policyNamed(body.policy, service).watched;
  const results: object[] = [];
  for (const [i, applicant] of body.applicants.entries()) {
    if (i % PER_TURN === PER_TURN - 1) await new Promise(setImmediate);
    results.push(answerTo(readGiven(applicant, policy), policy, caller));
  }
  return { results };
}

/**
 * Lines of JSON -> lines of verdicts, as fast as they are read. A policy that changes meanwhile has no effect. A caller
 * whose key is over is told so in the last line.
 */
export async function* evaluateLines(
  name: string,
  { lines, check, more }: LineStream,
  caller: Caller,
  service: Service,
): AsyncGenerator<string> {
  const { policy } = policyNamed(name, service).watched;
  const chunks = lines[Symbol.asyncIterator]();
  const next = async () => {
    const chunk = await chunks.next();
    check();
    return chunk;
  };
  let number = 0;
  try {
    // Without `return`, which would end the connection before the last line is sent.
    for await (const line of readLines({ [Symbol.asyncIterator]: () => ({ next }) })) {
      ({ number } = line);
      if (number % PER_REQUEST === 0) await more();
      if (number % PER_TURN === 0) await new Promise(setImmediate);
      const read = 'text' in line ? readLine(line.text, policy) : line;
      yield `${toJson({ line: number, ...answerTo(read, policy, caller) })}\n`;
    }
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    yield `${toJson({ line: number + 1, problem: error.message })}\n`;
  }
}

/** As many bytes as a request about one applicant has. */
const LINE_BYTES = 65_536;

function readLine(text: string, policy: Policy): FactsLine | BadLine {
  if (text.length > LINE_BYTES) return { problem: 'longer than 64 KiB' };
  const parsed = parseJson(text, BOUNDS);
  if (parsed.problem !== undefined) return { problem: `the text ${parsed.problem}; a line is one JSON object` };
  const flaw = flawIn(parsed.value);
  return flaw ? { problem: flaw.detail } : readGiven(parsed.value, policy);
}

function readGiven(value: unknown, { facts, timeZone }: Policy): FactsLine | BadLine {
  return readFactsData(value, facts, dayOfInstant(Date.now(), timeZone), [], timeZone);
}

/** Only those who edit policies see what a policy compares the facts with. */
function answerTo(read: FactsLine | BadLine, policy: Policy, caller: Caller): object {
  if ('problem' in read) return { problem: read.problem };
  const { facts, at, clientReference } = read;
  const verdict = matcherOf(policy).verdict(facts, at);
  const reasons = hasRole(caller, ['edit']) ? verdict.reasons : verdict.reasons.map(redactReason);
  return { ...(clientReference === undefined ? {} : { clientReference }), ...verdict, reasons };
}

/** Why the outcome is what it is, and what would change it. */
export async function explainFacts({ body }: Asked<typeof EXPLANATION_REQUEST>, service: Service) {
  const { policy: name, to = 'accept', ...facts } = body;
  const { policy, mapping } = policyNamed(name, service).watched;
  const read = readGiven(facts, policy);
  if ('problem' in read) throw new ProblemError('REQUEST_INVALID', read.problem);
  const explanation = await explain(policy, read.facts, read.at, { to, mapping });
  return { ...explanation, policy: { ...explanation.policy, digest: await shownDigest({ policy, mapping }, service) } };
}

/** The policies in force. */
export async function listPolicies(_asked: Asked, service: Service) {
  const { policies } = service;
  return { policies: await Promise.all([...policies.values()].map((served) => summaryOf(served, service))) };
}

async function summaryOf({ name, watched }: ServedPolicy, service: Service) {
  const { policy, mapping, brokenSince } = watched;
  const digest = await shownDigest({ policy, mapping }, service);
  const { version } = policy;
  return { name, version, digest, mapping: mapping.digest, ...(brokenSince === undefined ? {} : { brokenSince }) };
}

/** A policy in force: its rules as data, and how many entries its lists have, which may name people. */
export async function showPolicy({ id: name }: Asked, service: Service) {
  const { policies } = service;
  const served = policies.get(name);
  if (!served) throw new ProblemError('NOT_FOUND', describeUnknown(name, policies));
  const { policy } = served.watched;
  return {
    ...(await summaryOf(served, service)),
    default: policy.default,
    rules: policy.rules.map(({ id, reason: code, then, points, final, shadow, from, until }) => ({
      ...{ id, code, outcome: then ?? null, points: points ?? null, final, shadow },
      ...{ from: from ?? null, until: until ?? null },
    })),
    lists: Object.fromEntries([...policy.lists].map(([list, { entries }]) => [list, entries.size])),
  };
}
