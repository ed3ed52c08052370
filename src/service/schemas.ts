/** The bodies of requests and answers, as zod schemas: what validation and the OpenAPI document are made of. */

import * as z from 'zod';
import { RECORDED_OUTCOMES } from '../audit/entry/entry.ts';
import { ASKED_ROWS, type AskedTexts } from '../audit/read/criteria.ts';
import { WARNING_CODES } from '../decision/events.ts';
import { CAUSES } from '../facts/fact.ts';
import { isObject } from '../platform/json.ts';
import { ANSWERS, DISPOSITIONS, OUTCOMES } from '../policy/language.ts';
import { CONTROL } from '../signals/request.ts';
import { IDENTITY_VARIABLES } from '../signals/variables.ts';
import A_DECISION from './decision-example.json' with { type: 'json' };
import { PROBLEM } from './problem.ts';

/**
 * Values by name, of which the reader of bodies counts the names; what uses them reads each. Not `z.record`, which
 * ignores a key `__proto__`.
 */
const byName = <Value = unknown>() =>
  z
    .custom<Readonly<Record<string, Value>>>(isObject, { error: 'expected an object' })
    .meta({ type: 'object', additionalProperties: true, maxProperties: 200 });

type Shape = z.ZodRawShape;

/** An object, by the name of its type in a generated client. */
function named<Of extends Shape>(id: string, description: string, shape: Of, ...examples: readonly object[]) {
  return z.object(shape).meta({ id, description, ...(examples.length > 0 ? { examples } : {}) });
}

/** The body of a request. A test sends the example. */
function request<Of extends Shape>(id: string, example: object, shape: Of) {
  return z.strictObject(shape).meta({ id, description: 'The body of a request.', examples: [example] });
}

const text = (description: string) => z.string().describe(description);
const list = <Item extends z.ZodType>(of: Item, description: string) => z.array(of).describe(description);
const rows = <Of extends Shape>(description: string, shape: Of) => list(z.object(shape), description);

const outcome = z.enum(OUTCOMES).meta({ id: 'Outcome', description: 'What is decided about an applicant.' });
const outcomeOrNull = outcome.nullable().describe('The outcome that it asks for; null if it only adds points.');
const day = z.string().regex(/^\d{4}-\d\d-\d\d$/, { error: 'expected a day, written yyyy-MM-dd' });
const instant = z.string().meta({ format: 'date-time' });
const policyName = z.string().min(1).max(64).describe('The name of a policy in serve.yaml.');
const ruleId = text('The id of the rule.');
const factPath = text('The path of the fact, such as `phone.porting.riskLevel`.');
const variable = z.enum(IDENTITY_VARIABLES).meta({ id: 'Variable', description: 'What an applicant is known by.' });
const wellFormed = z.string().refine((given) => given.isWellFormed(), { error: 'expected well-formed Unicode' });
const identityText = wellFormed.max(320).nullable().optional();

const warning = named('Warning', 'What could not be asked or used. It repeats no value of the applicant.', {
  code: z.enum(WARNING_CODES).describe('For programs; docs/errors.md explains each.'),
  text: text('A sentence for people. Its wording may change.'),
  variable: variable.optional(),
});
const warnings = list(warning, 'What could not be asked or used.');

const APPLICANT = z
  .strictObject({
    phoneNo: identityText.describe('In international form, such as `+12025550102`.'),
    email: identityText.describe('The email address.'),
    ip: identityText.describe('The IPv4 address.'),
  })
  .meta({ id: 'Applicant', description: 'What is known of an applicant; null or absent for what is not.' });

const SOMEBODY = { phoneNo: '+12025550102', email: 'd.marsh@copper-kettle.example', ip: '203.0.113.12' };
const A_REQUEST = { policy: 'onboarding', reference: 'ONB-7731', applicant: SOMEBODY };
const FACTS = { 'phone.type': 'mobile', 'phone.porting.riskLevel': 'high' };
const EVALUATIONS_OF = { policy: 'onboarding', applicants: [{ clientReference: 'a', facts: FACTS }] };

export const DECISION_REQUEST = request('DecisionRequest', A_REQUEST, {
  policy: policyName,
  reference: wellFormed
    .min(1)
    .max(128)
    .refine((reference) => reference.trim() !== '', { error: 'is empty' })
    .refine((reference) => !CONTROL.test(reference), { error: 'has control characters' })
    .describe('Your own name for this decision. The same question under it gets the same decision.'),
  applicant: APPLICANT,
  context: byName<string>().optional().describe('Values of the facts that the policy declares as context.'),
  variables: byName<string>().optional().describe('Identity variables for further services, as texts.'),
  deadlineMs: z.int().min(1).max(600_000).optional().describe('Decide by then with the facts that are there.'),
  resend: z.boolean().optional().describe('Decide although an earlier attempt may have been billed.'),
});

const reason = named('Reason', 'Why the outcome is what it is, without the values of the applicant.', {
  because: z.enum(['fired', 'undetermined', 'score', 'default']).describe('A rule, the score, or neither.'),
  code: text('The code that the policy gives the reason.'),
  rule: ruleId.optional(),
  outcome: outcomeOrNull,
  decisive: z.boolean().describe('Whether it led to the outcome.'),
  points: z.number().optional().describe('What the rule adds to the score.'),
  evidence: rows('The tests that made the rule fire.', {
    fact: factPath,
    operator: text('The operator of the test.'),
    negated: z.literal(true).optional().describe('Present if the test stands under a `not`.'),
  }).optional(),
});

const undetermined = named('Undetermined', 'A rule that missing facts leave open.', {
  rule: ruleId,
  asks: z.literal('review').nullable().describe('Null if it asks for nothing while it is open.'),
  missing: rows('The facts that leave it open.', {
    fact: factPath,
    cause: z.enum([...CAUSES, 'error']).describe('Why it is missing.'),
  }),
});

const score = named('Score', 'The sum of the points of rules: a range if some of them are open.', {
  least: z.number().describe('The lower end.'),
  most: z.number().describe('The upper end.'),
  band: outcome.nullable().describe('The outcome of the band that `least` reaches; null below all bands.'),
});

const verdict = {
  outcome,
  reasons: list(reason, 'The decisive ones first.'),
  undetermined: list(undetermined, 'The rules that missing facts leave open.'),
  score,
  shadow: rows('Rules that are only observed: they change no outcome.', {
    rule: ruleId,
    result: z.enum(['fires', 'undetermined']).describe('What the rule would do.'),
    outcome: outcomeOrNull,
  }),
};

const plannedCall = {
  stage: z.int().describe('Calls of one stage are made at once; 1 is the first.'),
  asked: list(variable, 'What the call asks about.'),
};

const signals = named('Signals', 'What was asked about the applicant.', {
  requested: list(variable, 'What was sent.'),
  calls: rows('The calls to the verification service.', {
    ...plannedCall,
    result: z.enum(['answered', 'failed', 'unknown']).describe('`unknown`: it may have been billed.'),
    error: text('The code of the error; docs/errors.md explains each.').optional(),
    cause: text('The code of Node or OpenSSL, such as `ECONNRESET`.').optional(),
    requestId: text("The verification service's own id of the request.").optional(),
    attempts: z.int().optional().describe('How often it was sent.'),
  }),
  spared: rows('Calls that could not have changed the outcome.', plannedCall),
  missing: z.record(z.string(), z.enum(CAUSES)).describe('The causes of missing facts, by path.'),
  warnings,
});

const decision = {
  id: z.string().meta({ format: 'uuid', description: 'The id of the decision and of its record.' }),
  reference: text('The reference of the request.'),
  decidedAt: instant.describe('When it was made. Its day, UTC, is the day that rules compare with.'),
  day: day.optional().describe('The day that rules compare with, where the policy has a time zone.'),
  ...verdict,
  notices: rows('What the applicant may be told, in the language of Accept-Language where there is one.', {
    code: text('The code of its reason.'),
    text: text('The sentence.'),
    language: text('Its language, where the policy names one.').optional(),
  }),
  policy: z
    .object({
      name: text('The name that the policy gives itself.'),
      version: text('The version of the policy.'),
      language: z.number().describe('The version of the policy language.'),
      release: z.number().optional().describe('The number of its release, where rules are released.'),
    })
    .describe('The policy that decided.'),
  mapping: text('The digest of the mapping of answers to facts.'),
  engine: text('The version of verdict.'),
  signals,
};

export const DECISION = named('Decision', 'A decision, without values of the applicant.', decision, A_DECISION);

export const BATCH_REQUEST = request(
  'BatchRequest',
  { requests: [A_REQUEST] },
  {
    requests: z.array(DECISION_REQUEST).min(1).max(100).describe('Each has a reference of its own.'),
  },
);

export const BATCH = named('Batch', 'What became of each request.', {
  results: rows('One for each request, in their order.', {
    status: z.int().describe('The status that the request would have had alone.'),
    decision: DECISION.optional(),
    problem: PROBLEM.optional(),
  }),
});

export const CHECK_REQUEST = request('CheckRequest', { applicant: { phoneNo: '555' } }, { applicant: APPLICANT });

export const CHECK = named('Check', 'What a decision on the applicant would warn of.', { warnings });

const factsInHand = {
  facts: byName().describe('Values by the path of their fact, as in `verdict evaluate`.'),
  missing: byName().optional().describe('Causes of missing facts, by path.'),
  at: day.optional().describe('The day of the decision. Default: today.'),
};

const clientReference = text('Your own name for the applicant, which comes back.').optional();

export const EVALUATION_REQUEST = request('EvaluationRequest', EVALUATIONS_OF, {
  policy: policyName,
  applicants: z
    .array(z.strictObject({ ...factsInHand, clientReference }))
    .min(1)
    .max(1000)
    .describe('The facts of each applicant. Those that are not given are missing.'),
});

export const EVALUATION_QUERY = z.strictObject({ policy: policyName.optional() });

export const EVALUATIONS = named('Evaluations', 'The verdicts on the applicants.', {
  results: rows('One for each applicant, in their order.', {
    clientReference,
    problem: text('Why the facts cannot be read; there is then no verdict.').optional(),
    ...z.object(verdict).partial().shape,
  }),
});

export const EXPLANATION_REQUEST = request(
  'ExplanationRequest',
  { policy: 'onboarding', facts: FACTS },
  {
    policy: policyName,
    ...factsInHand,
    to: outcome.optional().describe('The outcome to reach. Default: accept.'),
  },
);

/** As `verdict explain --json` prints it. */
export const EXPLANATION = z
  .looseObject({ outcome })
  .meta({ id: 'Explanation', description: 'As `verdict explain --json` prints it, with more fields.' });

const policySummary = {
  name: text('The name in the API.'),
  version: text('The version of the policy.'),
  digest: text('The digest of the policy, with its rule sets and lists.'),
  mapping: text('The digest of the mapping of answers to facts.'),
  brokenSince: instant.optional().describe('Since when an edit is broken; what was in force before it stays.'),
};

export const POLICIES = named('Policies', 'The policies in force.', {
  policies: rows('In the order of serve.yaml.', policySummary),
});

export const POLICY = named('Policy', 'A policy in force.', {
  ...policySummary,
  default: outcome.describe('The outcome if no rule and no score asks for another.'),
  rules: rows('In the order of the policy.', {
    id: ruleId,
    code: text('The code of its reason.'),
    outcome: outcomeOrNull,
    points: z.number().nullable().describe('What it adds to the score.'),
    final: z.boolean().describe('Whether it decides alone.'),
    shadow: z.boolean().describe('Whether it is only observed.'),
    from: z.string().nullable().describe('The first day on which it is active.'),
    until: z.string().nullable().describe('The last day on which it is active.'),
  }),
  lists: z.record(z.string(), z.int()).describe('How many entries each list has.'),
});

const uuid = (description: string) => z.string().meta({ format: 'uuid', description });
const cursor = text('The place of a page: what `next` of the one before says.');
const next = cursor.optional().describe('The place of the next page, if there is one.');
const why = z.string().min(1).max(10_000).describe('The reason, which is encrypted in the log.');
const disposition = z
  .enum(DISPOSITIONS)
  .meta({ id: 'Disposition', description: 'What a person decided, or what came to light later.' });

/** A number in a URL. */
const upTo = (most: number) =>
  z
    .string()
    .regex(/^\d{1,5}$/)
    .refine((digits) => Number(digits) <= most, { error: `expected a whole number up to ${most}` })
    .transform(Number);

type Searched = { readonly [Name in keyof AskedTexts]-?: z.ZodOptional<z.ZodType<string>> };

/** Criteria as texts; those that are secret are never in a URL. */
function searched(isSecret: boolean) {
  const rows = ASKED_ROWS.filter(({ kind }) => (kind === 'secret') === isSecret);
  const shape = rows.map(({ api: [name, words], among }) => {
    if (!among && !isSecret) return [name, text(words).optional()];
    const one = among === DISPOSITIONS ? disposition : among ? z.enum(among) : z.string().min(1).max(1000);
    return [name, one.optional().describe(words)];
  });
  return Object.fromEntries(shape) as Searched;
}

export const SEARCH_QUERY = z.strictObject({
  ...searched(false),
  after: cursor.optional(),
  limit: upTo(200).optional(),
  count: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional(),
});

export const SEARCH_REQUEST = request(
  'SearchRequest',
  { reference: 'ONB-7731' },
  {
    ...searched(false),
    after: cursor.optional(),
    ...searched(true),
    limit: z.int().min(1).max(200).optional().describe('Default: 50.'),
    count: z.boolean().optional().describe('Counts all that match, up to 10,000.'),
  },
);

const reasonCodes = z
  .object({
    decisive: list(z.string(), 'Of what led to the outcome.'),
    fired: list(z.string(), 'Of what else fired.'),
    undetermined: list(z.string(), 'Of rules that are open.'),
  })
  .describe('The codes by what they did.');

const clearFields = {
  at: instant.describe('When it was made.'),
  id: uuid('The id of the decision.'),
  replaces: uuid('The decision before it under its reference, which was made again.').optional(),
  outcome: z.enum(RECORDED_OUTCOMES).describe('`aborted`: nobody was given it.'),
  reasons: reasonCodes.optional(),
  rules: list(ruleId, 'The rules that fired.'),
  undetermined: list(ruleId, 'The rules that were open.'),
  missing: z.record(z.string(), z.array(z.string())).describe('Missing facts by their cause.'),
  policy: z
    .object({
      name: text('The name that the policy gives itself.'),
      version: text('Its version.'),
      digest: text('Its digest.'),
    })
    .describe('The policy that decided.'),
};

export const FOUND = named('Found', 'Decisions, the newest first.', {
  decisions: rows('Their clear fields.', {
    ...clearFields,
    review: z.enum(ANSWERS.review).optional().describe('What the last review of a person decided.'),
    label: z.enum(ANSWERS.label).optional().describe('What came to light later, by the last label.'),
    disposition: disposition.optional().describe('The label; without one, the review.'),
    erased: z.boolean().describe('Whether its facts were erased.'),
  }),
  total: z.int().optional().describe('How many match, up to 10,000; if it was asked for.'),
  next,
});

const record = {
  record: z.looseObject(clearFields).describe('The clear fields of the record.'),
  notes: rows('What people noted, the earliest first.', {
    id: uuid('The id of the note.'),
    at: instant.describe('When.'),
    disposition,
    counts: z.boolean().describe('Whether it is the last review, or the last label.'),
    by: text('Who; for the roles review and audit.').optional(),
    why: text('Why; for the roles review and audit.').optional(),
  }),
  erasedAt: instant.optional().describe('When its facts were erased.'),
  closed: text('Why its facts cannot be read.').optional(),
  facts: byName().optional().describe('The facts on record, without personal ones.'),
  missing: byName().optional().describe('The causes of missing facts.'),
};

export const RECORD = named('Record', 'A decision on record, without personal data.', {
  ...record,
  decision: z.looseObject({ outcome }).optional().describe('The decision, without values of the applicant.'),
});

export const EXPLANATION_QUERY = z.strictObject({ to: outcome.optional() });

export const REPLAY = named('Replay', 'A decision on record, made again.', {
  same: z.boolean().describe('Whether its outcome, reasons and open rules are the same.'),
  recorded: outcome,
  again: outcome,
});

export const NOTE_REQUEST = request(
  'NoteRequest',
  { disposition: 'approve', why: 'Showed an identity card in the branch.' },
  {
    disposition,
    why,
    id: uuid('Your own id of the note, of version 7: the same note again is not recorded again.').optional(),
  },
);

export const NOTED = named('Noted', 'A note on record.', { note: uuid('The id of the note.') });

export const LABELS_REQUEST = request(
  'LabelsRequest',
  { labels: [{ reference: 'ONB-7731', label: 'fraud', at: '2026-12-01' }] },
  {
    labels: z
      .array(
        z.strictObject({
          id: uuid('The id of the decision.').optional(),
          reference: text('Or its reference, if only one decision has it.').optional(),
          label: z.enum(['fraud', 'genuine']).describe('What came to light.'),
          at: z.string().max(40).describe('When it became known: a UTC day, or an instant, since the decision.'),
          note: uuid('The id of the note; with another one, the same label is said again.').optional(),
        }),
      )
      .min(1)
      .max(1000)
      .describe('A label that is sent again, with the same `at` and without `note`, changes nothing.'),
  },
);

export const LABELLED = named('Labelled', 'What became of each label.', {
  results: rows('One for each label, in their order.', {
    status: z.int().describe('200, or the status of the problem.'),
    note: uuid('The id of the note.').optional(),
    label: z.enum(ANSWERS.label).optional().describe('The label that counts now.'),
    problem: PROBLEM.optional(),
  }),
});

export const REVEAL_REQUEST = request('RevealRequest', { why: 'The applicant is on the phone.' }, { why });

export const REVEALED = named('Revealed', 'The personal facts of a decision.', {
  facts: byName().describe('Their values, by path.'),
  missing: byName().describe('The causes of missing ones.'),
});

const caseState = z.enum(['open', 'resolving', 'resolved']).describe('`resolving`: the note is being recorded.');
const caseKind = z.enum(['review', 'challenge', 'recheck']).describe('Why there is a case.');

const aCase = {
  id: uuid('The id of the case; of a review, that of its decision.'),
  kind: caseKind,
  queue: text('The queue that it is in.'),
  state: caseState,
  openedAt: instant.describe('When it was opened.'),
  due: instant.describe('By when it is due.'),
  holder: text('Who has it.').optional(),
  until: instant.optional().describe('Until when, unless it is renewed.'),
  reservedFor: text('For whom it is kept; nobody else gets it.').optional(),
  reservedUntil: instant.optional().describe('Until when it is kept.'),
  sleepsUntil: instant.optional().describe('Nobody is given it until then.'),
  asked: text('What the caller of the decision was asked for.').optional(),
  disposition: disposition.optional().describe('Absent if its decision was made again.'),
  resolvedAt: instant.optional().describe('When it was resolved.'),
};

const token = z.int().min(0).describe('What the holder of a case shows.');
const decisionId = uuid('The id of its decision.');

export const CASE = named('Case', 'A case of the review queue.', { ...aCase, decision: decisionId });

export const HELD_CASE = named('HeldCase', 'A case that the caller holds.', { ...aCase, decision: decisionId, token });

export const TAKE_REQUEST = request('TakeRequest', {}, { queue: text('The queue; any, if absent.').optional() });

export const TAKEN = named('TakenCase', 'A case that the caller holds, with its decision.', {
  ...aCase,
  token,
  ...record,
  decision: z.looseObject({}).optional().describe('The decision, without values of the applicant.'),
});

export const RENEW_REQUEST = request('RenewRequest', { token: 1 }, { token });

export const RELEASE_REQUEST = request(
  'ReleaseRequest',
  { token: 1, skip: true },
  { token, skip: z.boolean().optional().describe('The caller does not get it again.') },
);

export const REASSIGN_REQUEST = request(
  'ReassignRequest',
  { to: 'raj', why: 'Speaks Portuguese.' },
  { to: z.string().min(1).max(200).describe('Who gets it: a person who signed in lately, or a key.'), why },
);

export const RESOLVE_REQUEST = request(
  'ResolveRequest',
  { token: 1, disposition: 'approve', why: 'Showed an identity card in the branch.' },
  {
    token,
    disposition: z.enum(['approve', 'decline']).describe('What the holder decided.'),
    reason: text('One of the reasons that the queue has for it; without `why`, the whole reason.').optional(),
    why: why.optional(),
  },
);

const until = text('A time within 30 days, such as 2026-11-20T12:00:00Z, or a day.');

export const HOLD_REQUEST = request(
  'HoldRequest',
  { token: 1, until: '2026-12-01T09:00:00Z', why: 'Calls back tomorrow.' },
  { token, until, why },
);

export const ASK_REQUEST = request(
  'AskRequest',
  { token: 1, code: 'document' },
  { token, code: text('One of `asks` of the queue.'), until: until.optional() },
);

export const ANSWER_REQUEST = request(
  'AnswerRequest',
  { text: 'The document is in file 4711.' },
  { text: z.string().min(1).max(10_000).describe('What is answered, which is encrypted in the log.') },
);

export const ESCALATE_REQUEST = request(
  'EscalateRequest',
  { token: 1, queue: 'fraud', why: 'Same device as six others.' },
  { token, queue: text('The queue that it goes to.'), why },
);

export const ASK_AGAIN_REQUEST = request(
  'AskAgainRequest',
  { queue: 'outage', why: 'The service is back.' },
  {
    queue: text('A queue with `outage: true`.'),
    why,
    resend: z.boolean().optional().describe('Also where a call may have been carried out, which is billed again.'),
  },
);

export const ASKED_AGAIN = named('AskedAgain', 'What was begun.', {
  cases: z.int().describe('How many cases wait. Those whose calls were answered stay as they are.'),
});

export const RESOLVED = named('Resolved', 'The note that resolved a case.', {
  note: uuid('The id of the note.'),
  resolvedAt: instant.describe('When.'),
});

export const OPEN_REQUEST = request(
  'OpenCaseRequest',
  { decision: '01a1f8d4-f5e8-7000-8000-000000000000', kind: 'challenge', why: 'The applicant contests it.' },
  { decision: decisionId, kind: z.enum(['challenge', 'recheck']).describe('Why there is a case.'), why },
);

export const CASES_QUERY = z.strictObject({
  queue: text('The queue.').optional(),
  state: caseState.optional(),
  code: text('A code that decided.').optional(),
  policy: text('What the policy that decided calls itself.').optional(),
  overdue: z.enum(['true', 'false']).optional(),
  limit: upTo(200).optional(),
  after: cursor.optional(),
});

export const CASES = named('Cases', 'Cases, the first due first.', { cases: list(CASE, 'A page of them.'), next });

export const EVENTS_QUERY = z.strictObject({ after: cursor.optional(), wait: upTo(30).optional() });

export const EVENTS = named('Events', 'What happened, in the order of each process that recorded it.', {
  events: list(
    z.looseObject({
      type: text('What happened, such as `decision.made` or `decision.noted`.'),
      at: instant.optional().describe('When.'),
    }),
    'Decisions, notes and what people did, without personal data. Expect further types.',
  ),
  next: cursor.describe('Where to go on, also if nothing happened.'),
});
