/** The options of a decider and of one decision, as given -> the same, checked, and what of them is sent. */

import { VerdictError } from '../errors.ts';
import { declaredIn, isSameFact } from '../facts/declare.ts';
import { loadMapping, MAPPING, type Mapping } from '../facts/mapping/mapping.ts';
import {
  ANYTHING,
  FUNCTION,
  type Kind,
  milliseconds,
  OBJECT,
  oneOf,
  optionsReader,
  SIGNAL,
} from '../platform/given/options.ts';
import { ownCopy, readGiven } from '../platform/given/read-given.ts';
import type { Policy } from '../policy/language.ts';
import { mappingOf, POLICY } from '../policy/source-map.ts';
import { checkEnvelope, type VerifyEnvelope } from '../signals/request.ts';
import { type AuditLog, isAuditLog, type PolicyTypes } from './decision.ts';
import type { DeciderEvent } from './events.ts';
import type { Verifier } from './fetch/service-call.ts';
import { VELOCITY_STORE, type VelocityStore } from './velocity-store.ts';

/** The options of a decider. */
export interface DeciderOptions {
  /** The policy, or a function such as `() => watched.policy`, called once at the start of each decision. */
  readonly policy: Policy | (() => Policy);
  /** The service: `createVerifyClient(…)`, or anything with its `verify`. */
  readonly verify: Verifier;
  /**
   * Where the signals are in the service's answers, such as `loadMapping('rules/signals.yaml')`. Default: the one that
   * the policy was read with; of a policy that was read without one the shipped one, which describes the sandbox, so a
   * client of the production service needs one.
   */
  readonly mapping?: Mapping | (() => Mapping);
  /**
   * What decides: `matcher` by bit vectors, `live` by json-rules-engine, which takes 3 times as long at 30 rules and 50
   * times at 300. Both ask for the same facts, skip the same calls and make the same decisions.
   * Default: `matcher`.
   */
  readonly runner?: 'matcher' | 'live';
  /** Services to request in addition to the Core Intelligence Service. */
  readonly services?: readonly string[];
  /** Identity variables for those services, the same for every applicant. A decision's own variables override them. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Default: `Global`. */
  readonly countryCode?: string;
  /** The log that records decisions: `await createAuditLog(…)`. Default: none. */
  readonly audit?: AuditLog;
  /**
   * Where applications are counted for the policy's velocities: `await createVelocityStore(…)`. Each is counted when
   * its decision begins, once for all decisions under its `clientReference`, and its outcome is added when the decision
   * is made and on record. If the store fails, or there is none, the facts `velocity.…` are missing. Default: none.
   */
  readonly velocity?: VelocityStore;
  /**
   * How long the decision of a `clientReference` is remembered, in milliseconds: for the same applicant and context,
   * `decide` returns that decision again instead of making a second call that is billed. 0 turns this off.
   * Default: 600,000 (10 minutes).
   */
  readonly rememberMs?: number;
  /**
   * How long the facts of a decision may take, in milliseconds, as for one decision. The circuit breaker counts a call
   * that this ends after half of its own time, and never one that a decision in a hurry ends, whose own `deadlineMs` is
   * shorter. Default: the client's `timeoutMs` plus 1,000.
   */
  readonly deadlineMs?: number;
  /**
   * Called when a source, a context function or the audit log fails, with the error if one of your functions threw it.
   * Errors of the callback itself are ignored. Default: none.
   */
  readonly onEvent?: (event: DeciderEvent) => void;
  /** The clock, in milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number;
}

/** The options of one decision. */
export interface DecideOptions<Types extends PolicyTypes = PolicyTypes> {
  /**
   * Your own name for this decision; the service repeats it. Concurrent calls with the same name, applicant and context
   * share one decision, and later ones get it again (`rememberMs`). Default: the decision's id, which nothing shares.
   */
  readonly clientReference?: string;
  /** Values of the facts that the policy declares as `context.…`. */
  readonly context?: Types['context'];
  /** Identity variables of this applicant for further services. */
  readonly variables?: Readonly<Record<string, string>>;
  /**
   * Ends the decision early: `decide` rejects with `ABORTED`. If a call may have been billed, the log records what can
   * be decided without its answer, with the warning DECISION_ABORTED; otherwise nothing. Once the decision is handed
   * to the audit log the signal has no effect: the decision is returned as soon as its record is durable.
   */
  readonly signal?: AbortSignal;
  /**
   * How long the facts may take, in milliseconds. Facts that are still pending then are missing (`sourceFailed`), and
   * the decision is made without them; `signals` says so. The audit log is awaited however long it takes.
   * Default: that of the decider.
   */
  readonly deadlineMs?: number;
}

const orFunction = ({ expected, is }: Kind, what: string): Kind => ({
  expected: `${expected}, or a function that returns ${what}`,
  is: (value) => typeof value === 'function' || is(value),
});

const VERIFIER: Kind = {
  expected: 'a client of the service',
  is: (value) => typeof (value as Partial<Verifier> | null)?.verify === 'function',
};

/** Checks the options by their kinds. What is sent to the service is checked as a part of a request. */
const checkDeciderOptions = optionsReader<DeciderOptions>('the options of the decider', {
  policy: orFunction(POLICY, 'one'),
  verify: VERIFIER,
  'mapping?': orFunction(MAPPING, 'one'),
  'runner?': oneOf(['matcher', 'live']),
  'services?': ANYTHING,
  'variables?': ANYTHING,
  'countryCode?': ANYTHING,
  'audit?': { expected: 'an open log: `await createAuditLog(…)`', is: (value) => isAuditLog(value as AuditLog) },
  'velocity?': VELOCITY_STORE,
  'rememberMs?': milliseconds(0),
  'deadlineMs?': milliseconds(1),
  'onEvent?': FUNCTION,
  'now?': FUNCTION,
});

/**
 * The options of a decider. Throws CONFIGURATION_INVALID for what would otherwise fail at the first decision, and
 * REQUEST_INVALID for what cannot be sent to the service.
 */
export function readDeciderOptions(input: DeciderOptions): DeciderOptions {
  const options = checkDeciderOptions(input);
  const { policy, mapping } = options;
  // A function is called for each decision, and says then which policy and which mapping there are.
  if (typeof policy === 'object' && typeof mapping !== 'function') inForce(options);
  const what = 'an option of the decider';
  readGiven('CONFIGURATION_INVALID', what, () => buildEnvelope('configuration', options, Object.create(null)));
  // A policy or mapping from a function may change; a fact that it declares differently is invalid in that decision.
  if (typeof policy === 'object' && typeof mapping === 'object') compareDeclarations(policy, mapping);
  return options;
}

const NO_MAPPING =
  "the production service needs a mapping: loadPolicy(file, { mapping: loadMapping('rules/signals.yaml') }); " +
  'the shipped one describes the sandbox, and would read other answers as missing facts';

/** A fact that both the mapping and the policy declare must be declared alike. */
function compareDeclarations(policy: Policy, mapping: Mapping): void {
  for (const [path, definition] of declaredIn(mapping.facts)) {
    const other = policy.facts.get(path);
    if (!other || isSameFact(definition, other)) continue;
    throw new VerdictError('CONFIGURATION_INVALID', `the policy and the mapping declare ${path} differently`);
  }
}

/** The options of one decision. Throws REQUEST_INVALID. */
export const readDecideOptions = optionsReader<DecideOptions>(
  'the options of the decision',
  {
    'clientReference?': ANYTHING,
    'context?': OBJECT,
    'variables?': ANYTHING,
    'signal?': SIGNAL,
    'deadlineMs?': milliseconds(1),
  },
  'REQUEST_INVALID',
);

/** The policy and the mapping that one decision uses from beginning to end. Throws CONFIGURATION_INVALID. */
export function inForce({ policy: given, mapping, verify }: Pick<DeciderOptions, 'policy' | 'mapping' | 'verify'>): {
  readonly policy: Policy;
  readonly mapping: Mapping;
} {
  const policy = currentValue('policy', given, POLICY);
  if (mapping !== undefined) return { policy, mapping: currentValue('mapping', mapping, MAPPING) };
  const own = mappingOf(policy);
  if (MAPPING.is(own)) return { policy, mapping: own as Mapping };
  if (verify.environment !== 'production') return { policy, mapping: loadMapping() };
  throw new VerdictError('CONFIGURATION_INVALID', NO_MAPPING, { carriedOut: 'no' });
}

function currentValue<Value extends object>(name: string, value: Value | (() => Value), { expected, is }: Kind): Value {
  if (typeof value !== 'function') return value;
  const returned = readGiven('CONFIGURATION_INVALID', `the ${name} in force`, value);
  if (is(returned)) return returned;
  throw new VerdictError('CONFIGURATION_INVALID', `the function \`${name}\` has to return ${expected}`, {
    carriedOut: 'no',
  });
}

/** The options of a decider, and those of one decision, as far as they are sent. */
type SharedOptions = Pick<VerifyEnvelope, 'services' | 'countryCode' | 'variables'>;
type OwnOptions = Partial<Pick<VerifyEnvelope, 'clientReference' | 'variables'>>;

/** Builds an envelope; throws REQUEST_INVALID for values that cannot be sent. The reference is the id by default. */
export function buildEnvelope(id: string, shared: SharedOptions, own: OwnOptions): VerifyEnvelope {
  const { services, countryCode } = shared;
  const variables = { ...shared.variables, ...own.variables };
  const envelope = {
    clientReference: own.clientReference ?? id,
    // A copy: the caller may change its own list while a decision is made.
    ...(services ? { services: Array.isArray(services) ? Object.freeze([...services]) : services } : {}),
    ...(countryCode === undefined ? {} : { countryCode }),
    ...(Object.keys(variables).length > 0 ? { variables: Object.freeze(variables) } : {}),
  };
  checkEnvelope(envelope);
  // A lone surrogate has no UTF-8 encoding: neither the service nor a record could repeat it.
  if (!envelope.clientReference.isWellFormed()) {
    throw new VerdictError('REQUEST_INVALID', 'clientReference is not well-formed Unicode', { carriedOut: 'no' });
  }
  return ownCopy(envelope) as VerifyEnvelope;
}
