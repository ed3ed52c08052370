/** A decider -> a Fastify service: POST /applications decides one applicant. */

import Fastify, { type FastifyInstance, LogController } from 'fastify';
import { checkApplicant, type Decider, type ErrorCode, firedReasons, redact, VerdictError } from 'verdict-engine';

export interface ServiceOptions {
  readonly decider: Pick<Decider, 'decide'>;
  /** Rejects while no decision can be recorded. */
  check(): Promise<void>;
  /** Where the log goes, line by line. Default: stdout. */
  readonly log?: { write(line: string): void };
}

interface Application {
  readonly reference: string;
  readonly phoneNo: string;
  readonly email?: string;
  readonly ip?: string;
}

const TEXT = { type: 'string', minLength: 1, maxLength: 255 };

const APPLICATION = {
  type: 'object',
  required: ['reference', 'phoneNo'],
  properties: { reference: TEXT, phoneNo: TEXT, email: TEXT, ip: TEXT },
  additionalProperties: false,
};

/** What the caller can do something about; everything else is 500. */
const STATUS: Partial<Record<ErrorCode, number>> = {
  REQUEST_INVALID: 400,
  REFERENCE_IN_USE: 409,
  AUDIT_FAILED: 503,
};

/** Longer than a call may take, shorter than the caller waits. */
const DEADLINE_MS = 6_000;

export function buildService({ decider, check, log }: ServiceOptions): FastifyInstance {
  const app = Fastify({
    // The lines that Fastify writes of requests have the address of the caller.
    logController: new LogController({ disableRequestLogging: true }),
    logger: log ? { stream: log } : true,
    // A number is no phone number: it has lost its plus and its zeros.
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false } },
  });

  // A connection that is answered while the service closes would keep it open until the caller lets go of it.
  let isClosing = false;
  app.addHook('preClose', async () => {
    isClosing = true;
  });
  app.addHook('onSend', async (_request, reply) => {
    if (isClosing) reply.header('connection', 'close');
  });

  // For a liveness probe: the process answers. And for a readiness probe: it can give decisions.
  app.get('/health', async () => ({ ok: true }));
  app.get('/ready', async () => {
    await check();
    return { ok: true };
  });

  app.post<{ Body: Application }>('/applications', { schema: { body: APPLICATION } }, async (request, reply) => {
    const { reference: clientReference, ...applicant } = request.body;
    // A mistyped email can be corrected; a call without it would be paid for.
    const problems = checkApplicant(applicant).filter(({ code }) => code !== 'VARIABLE_NOT_GIVEN');
    if (problems.length > 0) return reply.code(400).send({ error: 'APPLICANT_INVALID', problems });
    // Without a signal: if the caller hangs up and asks again, it gets this decision and not a second bill.
    const decision = await decider.decide(applicant, { clientReference, deadlineMs: DEADLINE_MS });
    // The reference joins the line with the application. Let it be a number: a name would be personal data.
    request.log.info({ reference: clientReference, decision: redact(decision) });
    const { id, outcome, undetermined, signals } = decision;
    return {
      id,
      outcome,
      reasons: firedReasons(decision).map(({ code }) => code),
      // What was not known, and why: the caller may ask again later, under a new reference.
      undetermined: undetermined.map(({ rule }) => rule),
      warnings: signals.warnings.map(({ code }) => code),
    };
  });

  app.setErrorHandler<Error & { readonly statusCode?: number }>((error, request, reply) => {
    if (!VerdictError.is(error)) {
      // The messages of other errors may quote the body.
      const status = error.statusCode ?? 500;
      request.log.error({ status });
      return reply.code(status).send({ error: status < 500 ? 'the request is malformed' : 'internal error' });
    }
    const { code, carriedOut, message } = error;
    request.log.error({ code, carriedOut }, message);
    return reply.code(STATUS[code] ?? 500).send({ error: code });
  });

  return app;
}
