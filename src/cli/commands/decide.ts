/** `verdict decide`: one applicant -> a decision; with `--file`, many applicants -> their decisions. */

import { fileURLToPath } from 'node:url';
import { type Command, Option } from 'commander';
import type { OpenAuditLog } from '../../audit/log.ts';
import type { LogPlace } from '../../audit/place.ts';
import type { Decider } from '../../decision/decide.ts';
import { type AuditEntry, type AuditLog, type Decision, dayOf } from '../../decision/decision.ts';
import type { WarningCode } from '../../decision/events.ts';
import type { Explanation } from '../../decision/explain/explanation.ts';
import type { VelocityStore } from '../../decision/velocity-store.ts';
import { velocitiesIn } from '../../facts/velocity.ts';
import { OUTCOMES, type Outcome, type Policy } from '../../policy/language.ts';
import type { VerifyClient } from '../../signals/client.ts';
import { toJson } from '../../text.ts';
import { isUnsent } from '../bulk/run.ts';
import { addSet, settingsOf } from '../input/load-policy.ts';
import { EXIT, type Io, say, UsageError } from '../io.ts';
import {
  addJson,
  EXIT_GROUP,
  type OptionsOf,
  OUTPUT_GROUP,
  present,
  readMany,
  readPair,
  readTime,
  requireWith,
} from '../options/arguments.ts';
import { addBulkOptions, checkBulkOptions } from '../options/bulk-options.ts';
import { addHtml } from '../options/html.ts';
import { addKeys, logPlaceOf } from '../options/log-place.ts';
import { addServiceOptions, connect } from '../options/service.ts';
import { addVelocity, velocityOptions } from '../options/velocity-store.ts';
import { endWith } from '../result.ts';

/** What `--with-facts` prints; the first is the default. */
const FACTS_SHOWN = ['without-personal-data', 'including-personal-data'] as const;

type FactsShown = (typeof FACTS_SHOWN)[number];

/** The policy of the package. */
export const SHIPPED_POLICY = fileURLToPath(new URL('../../../rules/onboarding.yaml', import.meta.url));

export function addDecide(program: Command, io: Io): void {
  withOptions(program.command('decide')).action(async (options) => io.finish(await decide(options, io)));
}

type Options = OptionsOf<typeof withOptions>;

function withOptions(command: Command) {
  const one = command
    .description('ask about one applicant, or about each of a file, and decide')
    .option('--phone <number>', 'phone number with country code')
    .option('--email <address>', 'email address')
    .option('--ip <address>', 'IPv4 address')
    .option('--policy <file>', 'the policy (default: the shipped rules/onboarding.yaml)')
    .option('--mapping <file>', 'the mapping of answers to facts (default: the shipped rules/signals.yaml)')
    .option('--context <name=value>', 'a fact that the policy declares as context.NAME; repeatable', readPair)
    .option('--service <name>', 'another service to ask, besides the risk service; repeatable', readMany)
    .option('--variable <name=value>', 'an identity variable for such a service; repeatable', readPair)
    .option('--reference <text>', 'your own reference of this decision')
    .option(
      '--at <time>',
      'decide as of that day, midnight UTC, or of that instant, such as 2026-11-20T12:00:00Z (default: now)',
      readTime,
    );
  const many = addBulkOptions(addServiceOptions(addSet(one)))
    .optionsGroup('Log:')
    .option('--audit <log>', 'record each decision in this log before it is printed');
  const recorded = addVelocity(addKeys(many))
    .optionsGroup(OUTPUT_GROUP)
    .addOption(
      new Option('--explain [outcome]', 'show why, why not, and what would lead to accept, or to another outcome')
        .choices(OUTCOMES)
        .preset('accept'),
    )
    .addOption(
      new Option('--with-facts [which]', 'with --json: one line with the facts, as explain and evaluate read them')
        .choices(FACTS_SHOWN)
        .preset(FACTS_SHOWN[0])
        .conflicts('explain'),
    )
    .optionsGroup(EXIT_GROUP)
    .option('--exit-code', 'exit with 1 if a decision is not accept')
    .optionsGroup('Options:');
  return addJson(addHtml(recorded));
}

const NO_MAPPING =
  'add --mapping: the shipped mapping describes the sandbox, and would read answers of the production service as ' +
  'missing facts';

async function decide(options: Options, io: Io): Promise<number> {
  checkBulkOptions(options);
  requireWith(options, ['keys'], 'audit');
  const { file, phone, email, ip } = options;
  if (file === undefined && phone === undefined && email === undefined && ip === undefined) {
    throw new UsageError('no applicant: give --phone, and --email and --ip if you have them, or --file');
  }
  if (options.withFacts !== undefined && options.format !== 'json')
    throw new UsageError('--with-facts goes with --json');
  const { loadPolicy } = await import('../../policy/read/parse.ts');
  const { loadMapping } = await import('../../facts/mapping/mapping.ts');
  const { createDecider } = await import('../../decision/decide.ts');
  const { pacedClientOptions } = await import('../bulk/pace.ts');
  const mapping = loadMapping(options.mapping);
  const policy = loadPolicy(options.policy ?? SHIPPED_POLICY, { mapping, parameters: settingsOf(options) });
  const { readContextOption } = await import('../input/context.ts');
  const context = readContextOption(options.context ?? {}, policy.facts);
  const { at } = options;
  // Before any call: a decision that cannot be recorded must not be made, since calls are billed.
  const place = options.audit === undefined ? undefined : logPlaceOf(options.audit, options, io);
  const { createAuditLog } = await import('../../audit/log.ts');
  const audit = place && (await createAuditLog(place));
  const opened: { close(): Promise<void> }[] = audit ? [audit] : [];
  const orClose = (error: unknown) => closeAll(opened).then(() => Promise.reject(error));
  const velocity = await openVelocity(policy, audit, place, options, io).catch(orClose);
  if (velocity) opened.push(velocity);
  const connection = await connect(options, io, pacedClientOptions(options)).catch(orClose);
  opened.push(connection);
  try {
    const kept: AuditEntry[] = [];
    const { explain, withFacts, html, format } = options;
    const isShown = [explain, withFacts, html].some((value) => value !== undefined) || format === 'text';
    const log = file === undefined && isShown ? keeping(kept, audit) : audit;
    /** Why the store of velocity did not count. */
    let uncounted: string | undefined;
    const deciderFor = (verify: Pick<VerifyClient, 'verify'>): Decider =>
      createDecider({
        policy,
        mapping,
        verify,
        // A bulk run has a journal of its references.
        rememberMs: 0,
        ...present({ services: options.service, variables: options.variable, velocity }),
        ...(at === undefined ? {} : { now: () => Date.parse(at) }),
        onEvent: (event) => {
          if (event.type === 'velocityFailed') uncounted = event.cause ?? 'it did not answer in time';
        },
        ...(log === undefined ? {} : { audit: file === undefined ? log : ofRows(log) }),
      });
    const { client } = connection;
    if (client.environment === 'production' && options.mapping === undefined) throw new UsageError(NO_MAPPING);
    if (file !== undefined) {
      const { runBulk } = await import('../bulk/bulk.ts');
      const { exitCode = false } = options;
      const decidedBy = { policy: policy.digest, mapping: mapping.digest };
      const work = { facts: policy.facts, context, client, decidedBy, deciderFor, format, exitCode };
      return await io.interruptible((signal) => runBulk(options, { ...work, signal }, io));
    }
    const reference = present({ clientReference: options.reference });
    const decision = await io.interruptible((signal) =>
      deciderFor(client).decide({ phoneNo: phone, email, ip }, { ...reference, context, signal }),
    );
    const [entry] = kept;
    const explanation = entry && (explain ?? html) !== undefined ? await explainEntry(entry, explain) : undefined;
    const explained = entry && explanation && { ...entry, day: dayOf(decision), explanation };
    const data = () => (explain === undefined ? decision : { ...decision, explanation });
    await endWith(io, options, {
      // With the facts, JSON is one line.
      ...(withFacts === undefined ? { data } : {}),
      text: async (style) => {
        if (!entry) return '';
        if (withFacts !== undefined) return factsLine(entry, withFacts);
        if (explained && explain !== undefined) {
          const { printExplanation } = await import('../../report/explanation.ts');
          return printExplanation(explained, { style, others: '--json' });
        }
        const { explainFailures } = await import('../../decision/explain/explain.ts');
        const { printDecision } = await import('../../report/decision.ts');
        const failures = await explainFailures(entry);
        return printDecision({ ...entry, decision, day: dayOf(decision), failures }, style);
      },
      page: async () => {
        const { decisionPage } = await import('../../report/html/decision-page.ts');
        return explained ? decisionPage(explained) : '';
      },
    });
    return await exitCodeOf(decision, { isOutcomeCode: options.exitCode ?? false, uncounted }, io);
  } finally {
    await closeAll(opened);
  }
}

/** Closes the last one first, and all of them if one fails. */
async function closeAll(opened: readonly { close(): Promise<void> }[]): Promise<void> {
  const closed = await Promise.allSettled(opened.toReversed().map((each) => each.close()));
  for (const each of closed) if (each.status === 'rejected') throw each.reason;
}

/** The store of a policy that counts; undefined for any other policy, and with a note where none is named. */
async function openVelocity(
  policy: Policy,
  audit: OpenAuditLog | undefined,
  place: LogPlace | undefined,
  options: Options,
  io: Io,
): Promise<VelocityStore | undefined> {
  const store = velocityOptions(options, io, place);
  if (velocitiesIn(policy.facts).size === 0) return undefined;
  if (!store) {
    await say(io.stderr, `verdict: ${policy.name} counts applications: without --velocity its counts are missing\n`);
    return undefined;
  }
  const { createVelocityStore, isNewStore } = await import('../../stores/velocity/velocity.ts');
  const { sqlite } = store;
  if (sqlite !== undefined && isNewStore(sqlite)) {
    const how = (await audit?.hasDecisions?.())
      ? `its counts are incomplete until \`verdict velocity rebuild --log ${options.audit}\` fills it from the log`
      : 'its counts begin at 0';
    await say(io.stderr, `note: ${sqlite} is a new velocity store: ${how}\n`);
  }
  return createVelocityStore(store);
}

/** The log for rows of a file: an unsent row is not recorded, since a later run sends it. */
function ofRows(audit: AuditLog): AuditLog {
  return {
    ...audit,
    record: async (entry) => {
      if (!isUnsent(entry.decision)) await audit.record(entry);
    },
  };
}

/** A log that keeps its entries, and passes them on to another log. */
function keeping(kept: AuditEntry[], audit: AuditLog | undefined): AuditLog {
  return {
    mode: audit?.mode ?? 'required',
    check: async (used) => audit?.check(used),
    hasDecisions: async () => (audit ? ((await audit.hasDecisions?.()) ?? true) : false),
    record: async (entry) => {
      kept.push(entry);
      await audit?.record(entry);
    },
  };
}

async function explainEntry(
  { decision, facts, policy, mapping }: AuditEntry,
  to: Outcome = 'accept',
): Promise<Explanation> {
  const { explain } = await import('../../decision/explain/explain.ts');
  return explain(policy, facts, dayOf(decision), { to, mapping });
}

/** The line of facts that the decision was made on, with the decision beside them. */
async function factsLine({ decision, facts, policy }: AuditEntry, shown: FactsShown): Promise<string> {
  const { lineFacts } = await import('../../facts/facts-line.ts');
  const { redact } = await import('../../decision/redact.ts');
  const { namesPeople } = await import('../../policy/identities.ts');
  const at = dayOf(decision);
  const all = shown === 'including-personal-data';
  const line = all
    ? { clientReference: decision.clientReference, at, ...lineFacts(facts, policy.facts, () => true), decision }
    : { at, ...lineFacts(facts, policy.facts, (path) => !namesPeople(path, policy.facts)), decision: redact(decision) };
  return `${toJson(line)}\n`;
}

/** The warnings about a call without an answer. */
const CALL_WARNINGS: readonly WarningCode[] = ['NO_ANSWER', 'DAILY_LIMIT_REACHED', 'ANSWER_NOT_BELIEVED'];

/** Exit code 3 if a call failed: the decision was made without that answer. */
async function exitCodeOf(
  { outcome, signals }: Decision,
  { isOutcomeCode, uncounted }: { readonly isOutcomeCode: boolean; readonly uncounted: string | undefined },
  { stderr }: Io,
): Promise<number> {
  if (uncounted !== undefined) {
    await say(
      stderr,
      `verdict: the velocity store failed (${uncounted}): counts are missing, or the outcome is not counted\n`,
    );
    return EXIT.couldNotRun;
  }
  if (signals.calls.some((call) => call.result !== 'answered')) {
    const found = signals.warnings.find(({ code }) => CALL_WARNINGS.includes(code));
    await say(stderr, `verdict: ${found?.text ?? 'the verification service gave no answer'}\n`);
    return EXIT.couldNotRun;
  }
  return isOutcomeCode && outcome !== 'accept' ? EXIT.found : EXIT.done;
}
