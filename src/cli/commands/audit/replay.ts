/** `verdict audit replay`: the decisions on record -> whether they are the same when decided again. */

import type { Command } from 'commander';
import type { DecisionFields } from '../../../audit/entry/entry.ts';
import type { LogPlace } from '../../../audit/place.ts';
import type { CountedReason, OutcomeChange } from '../../../audit/query/replay/comparison.ts';
import type { Replay, ReplayProblem } from '../../../audit/query/replay/replay.ts';
import type { Policy } from '../../../policy/language.ts';
import type { Styler } from '../../../report/outline.ts';
import { count, printable } from '../../../text.ts';
import { reportTampering } from '../../findings.ts';
import { addSet, loadPolicyFiles, type SetOption } from '../../input/load-policy.ts';
import { EXIT, type Finish, type Io, UsageError } from '../../io.ts';
import { addFormat } from '../../options/arguments.ts';
import { addFilters, checkNamesOf, type FilterOptions, queryOf } from '../../options/filters.ts';
import { addHtml, type PageOptions, printResult } from '../../options/html.ts';
import { addKeys, type KeysOptions, logPlaceOf } from '../../options/log-place.ts';

interface Options extends Omit<FilterOptions, 'policy'>, KeysOptions, PageOptions, SetOption {
  readonly decidedBy?: readonly string[];
  readonly policy?: string;
  readonly mapping?: string;
  readonly format: 'text' | 'json';
}

/** Adds the command. */
export function addReplay(audit: Command, io: Io, finish: Finish): void {
  const command = audit
    .command('replay <dir>')
    .description('decide the decisions on record again, and compare')
    .option('--policy <file>', 'compare with the outcomes of this policy as well')
    .option('--mapping <file>', "the mapping with that policy's match results (default: the shipped one)");
  addFilters(addSet(command), '--decided-by');
  addFormat(addHtml(addKeys(command)), ['text', 'json']).action(async (dir: string, options: Options) => {
    const { policy: file, mapping, set } = options;
    if (file === undefined && (mapping !== undefined || set)) {
      throw new UsageError(`${set ? '--set' : '--mapping'} goes with --policy`);
    }
    const { replayLog } = await import('../../../audit/query/replay/replay.ts');
    const policy = file === undefined ? undefined : await loadPolicyFiles({ ...options, policy: file });
    const place = logPlaceOf(dir, options, io);
    const settings = { ...place, ...(policy ? { policy } : {}), isWanted: await filterOf(place, options, io) };
    const { counting } = await import('../../progress.ts');
    await reportTampering(io, finish, async () => {
      const replay = await counting(io, 'decision', (onProgress) => replayLog({ ...settings, onProgress }));
      await printResult(io, options, {
        data: () => replay,
        text: (style) => formatReplay(replay, style),
        page: () => formatPage(replay, policy),
      });
      finish(replay.problemCount > 0 ? EXIT.found : EXIT.done);
    });
  });
}

/** Whether the options select a decision. */
async function filterOf(
  place: LogPlace & { readonly keys: string },
  { decidedBy, ...options }: Options,
  io: Io,
): Promise<(record: DecisionFields) => boolean> {
  const { readLog } = await import('../../../audit/log-file.ts');
  const { readIndexKeys } = await import('../../../audit/keys/index-keys.ts');
  const { passes, readQuery } = await import('../../../audit/query/filter.ts');
  const { policy, ...filters } = options;
  const query = await queryOf({ ...filters, ...(decidedBy === undefined ? {} : { policy: decidedBy }) }, io);
  await checkNamesOf(query, place);
  const readKeys = async () => readIndexKeys(place.keys, (await readLog(place.dir)).log);
  const filter = await readQuery(query, place.keys, readKeys);
  return (record) => passes(record, filter);
}

async function formatPage(replay: Replay, policy?: Policy): Promise<string> {
  const { replayPage } = await import('../../../report/html/replay-page.ts');
  const { erased, policyErased, policies, other } = replay;
  // With another policy, the page compares its outcomes with those on record.
  const compared = other ? countDecisions(other.changes) : replay.compared;
  const differing = other
    ? countDecisions(other.changes.filter(({ from, to }) => from !== to))
    : compared - replay.same;
  return replayPage({
    compared,
    same: compared - differing,
    differing,
    erased,
    policyErased,
    changes: other?.changes ?? [],
    policy: { old: policies, ...(policy === undefined ? {} : { new: policy }) },
    ...(other ? { lacking: other.lacking, aborted: other.aborted } : {}),
    problems: problemLines(replay),
  });
}

function countDecisions(changes: readonly OutcomeChange[]): number {
  return changes.reduce((sum, { count: n }) => sum + n, 0);
}

const WHY: Readonly<Record<ReplayProblem['why'], string>> = {
  differs: 'the verdict differs',
  'clear-differs': 'the clear fields differ from the plain body',
  'not-opened': 'its key does not open its body',
  'no-body': 'its body is malformed',
  'key-missing': 'its key is erased or missing, and no erasure for its subject is on record',
  'policy-missing': 'its policy or mapping is missing, was changed, or does not open with its keys',
};

const NOT_GIVEN = 'nobody was given an outcome';

const POLICY_ERASED = 'what their policy said of the applicant, such as an entry of a list, was erased';

function problemLines({ problems, problemCount }: Replay): string[] {
  return [
    ...problems.map(
      ({ id, why, parts }) => `${printable(id)}: ${WHY[why]}${parts.length > 0 ? ` (${parts.join(', ')})` : ''}`,
    ),
    ...(problemCount > problems.length ? [`and ${problemCount - problems.length} more`] : []),
  ];
}

function formatReplay(replay: Replay, style: Styler): string {
  const { compared, same, erased, policyErased, other } = replay;
  const lines = [
    `${count(compared, 'decision')} decided again: ${same} the same to the last byte`,
    ...(erased > 0 ? [`${count(erased, 'decision')} erased: no facts to decide on`] : []),
    ...(policyErased > 0 ? [`${count(policyErased, 'decision')} not decided again: ${POLICY_ERASED}`] : []),
    ...problemLines(replay).map((line) => style('red', line)),
  ];
  if (!other) return `${lines.join('\n')}\n`;
  const widest = Math.max(...other.changes.map(({ count: n }) => String(n).length), 1);
  const rows = other.changes.flatMap(({ from, to, count: n, examples, decidedBy }) => {
    const text = `  ${from.padEnd(6)} to ${to.padEnd(6)}  ${String(n).padStart(widest)}`;
    if (from === to) return [style('dim', text)];
    return [
      `${text}  such as ${examples.map(printable).join(', ')}`,
      `    decided by ${reasonWords(decidedBy.old)}; now by ${reasonWords(decidedBy.new)}`,
    ];
  });
  const lacking = Object.entries(other.lacking).map(
    ([path, n]) => `  ${printable(path)}: counts as missing in ${count(n, 'decision')}`,
  );
  return [
    ...lines,
    '',
    style('bold', 'With the other policy'),
    ...(rows.length > 0 ? rows : ['  no decisions']),
    ...(other.aborted > 0 ? [`  ${count(other.aborted, 'aborted decision')} not compared: ${NOT_GIVEN}`] : []),
    ...(lacking.length > 0 ? ['', style('bold', 'Facts that are not on record'), ...lacking] : []),
    '',
  ].join('\n');
}

/** `EMAIL_RISK_HIGH (12), SCORE (3)`. */
function reasonWords(reasons: readonly CountedReason[]): string {
  return reasons.map(({ code, count: n }) => `${printable(code)} (${n})`).join(', ') || 'no reason on record';
}
