/** A file of applicants of the past -> their decisions by a policy, on record as of their time. */

import { openLogIndex } from '../../../audit/index/open-index.ts';
import type { OpenAuditLog } from '../../../audit/log.ts';
import { addNote } from '../../../audit/query/note.ts';
import { matcherOf } from '../../../decision/matcher/matcher.ts';
import { createDecisionId } from '../../../decision/request.ts';
import { UTC } from '../../../facts/day.ts';
import { isMissing, shownValue } from '../../../facts/fact.ts';
import type { FactsLine } from '../../../facts/facts-line.ts';
import type { Mapping } from '../../../facts/mapping/mapping.ts';
import { readDecided } from '../../../lab/backtest/decided-then.ts';
import { LANGUAGE_VERSION, type Policy, policyFacts } from '../../../policy/language.ts';
import { IDENTITY_VARIABLES } from '../../../signals/variables.ts';
import { count } from '../../../text.ts';
import { ENGINE_VERSION } from '../../../version.ts';
import { countVelocities, sayCounted } from '../../input/count-velocities.ts';
import { readFactsFile } from '../../input/facts-file.ts';
import { CouldNotRunError, type Io, say } from '../../io.ts';
import { today } from '../../options/arguments.ts';

/** More would take minutes; the latest are kept. */
const MOST = 10_000;
/** Written together. */
const BATCH = 200;

/** What a decision of the past is made with. */
interface Means {
  readonly policy: Policy;
  readonly mapping: Mapping;
  readonly log: OpenAuditLog;
  /** Who decided what was reviewed then. */
  readonly reviewer: string;
}

/** Throws `CouldNotRunError` if no applicant of the file can be decided. */
export async function decidePast(file: string, means: Means, io: Io): Promise<void> {
  const { policy, log, reviewer } = means;
  const [read, needed] = [new Set(policy.facts.keys()), policyFacts(policy)];
  const options = { at: today(policy.timeZone) };
  const counted = await countVelocities({ ...policy, read: needed }, [file], options, io);
  await sayCounted(counted, io.stderr);
  const lines: FactsLine[] = [];
  let unread = 0;
  const counts = counted?.counts.get(file);
  for await (const line of readFactsFile({ ...policy, read, needed }, { facts: file, counts, ...options }, io)) {
    if ('problem' in line) unread += 1;
    else lines.push(line);
  }
  if (unread > 0)
    await say(io.stderr, `note: ${count(unread, 'line')} left out: \`verdict evaluate --facts\` says why\n`);
  if (lines.length === 0) throw new CouldNotRunError('--facts has no applicant who can be decided');
  const latest = lines.sort((one, other) => timeOf(one) - timeOf(other)).slice(-MOST);
  const left = lines.length - latest.length;
  if (left > 0) await say(io.stderr, `note: the latest ${count(MOST, 'applicant')} are decided, ${left} are not\n`);
  const index = await openLogIndex(log.place);
  try {
    for (let from = 0; from < latest.length; from += BATCH) {
      const batch = latest.slice(from, from + BATCH);
      const recorded = await Promise.all(batch.map((line, i) => record(line, from + i, means)));
      for (const { decision, disposition } of recorded) {
        if (disposition) await addNote({ log, index, decision, disposition, by: reviewer, why: 'Decided then' });
      }
    }
  } finally {
    await index.close();
  }
}

/** A line without a time is of noon of its day; none is later than now. */
function timeOf({ timeMs, at }: FactsLine): number {
  return Math.min(timeMs ?? Date.parse(`${at}T12:00:00Z`), Date.now());
}

async function record(line: FactsLine, n: number, { policy, mapping, log }: Means) {
  const { facts, at, clientReference = `PAST-${n + 1}`, decided } = line;
  const verdict = matcherOf(policy).verdict(facts, at);
  const id = createDecisionId(timeOf(line));
  const missing = [...policyFacts(policy)].flatMap((path) => {
    const fact = facts.get(path);
    return fact && isMissing(fact) ? [[path, fact.missing] as const] : [];
  });
  const variables = IDENTITY_VARIABLES.flatMap((name) => {
    const fact = facts.get(`applicant.${name}`);
    return fact && !isMissing(fact) ? [[name, String(shownValue(fact))] as const] : [];
  });
  const decision = {
    ...{ id, clientReference, decidedAt: new Date(timeOf(line)).toISOString() },
    ...(policy.timeZone === UTC ? {} : { day: at }),
    ...verdict,
    policy: { name: policy.name, version: policy.version, digest: policy.digest, language: LANGUAGE_VERSION },
    ...{ mapping: mapping.digest, engine: ENGINE_VERSION },
    signals: { requested: [], calls: [], spared: [], missing: Object.fromEntries(missing), warnings: [] },
  };
  await log.record({ decision, facts, variables: new Map(variables), policy, mapping, application: id });
  const then = readDecided(decided);
  return {
    decision: id,
    disposition: 'problem' in then || verdict.outcome !== 'review' ? undefined : then.disposition,
  };
}
