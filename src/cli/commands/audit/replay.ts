/** `verdict audit replay`: the decisions on record -> made again; whether they are the same, and what another policy would change. */

import type { Command } from 'commander';
import type { DecisionFields } from '../../../audit/entry/entry.ts';
import type { LogPlace } from '../../../audit/place.ts';
import type { OutcomeChange } from '../../../audit/query/replay/comparison.ts';
import type { Replay, ReplayProblem } from '../../../audit/query/replay/replay.ts';
import type { Policy } from '../../../policy/language.ts';
import type { Styler } from '../../../report/words/style.ts';
import { count, printable } from '../../../text.ts';
import type { Finish } from '../../io.ts';
import { EXIT, type Io, stylerFor, UsageError, write } from '../../io.ts';
import { addFormat } from '../../options/arguments.ts';
import { addFilters, type FilterOptions, queryOf } from '../../options/filters.ts';
import { addHtml, type PageOptions, writePageFile } from '../../options/html.ts';
import { addKeys, type KeysOptions, logPlaceOf } from '../../options/log-place.ts';
import { counting } from '../../terminal/counter.ts';
import { reportTampering } from '../../terminal/format-finding.ts';

interface Options extends Omit<FilterOptions, 'policy'>, KeysOptions, PageOptions {
  readonly decidedBy?: readonly string[];
  readonly policy?: string;
  readonly mapping?: string;
  readonly format: 'text' | 'json';
}

/** Adds the command. */
export function addReplay(audit: Command, io: Io, finish: Finish): void {
  const command = audit
    .command('replay <dir>')
    .description('decide what is on record again, and compare')
    .option('--policy <file>', 'tell what this policy would have decided')
    .option('--mapping <file>', 'the mapping whose match results that policy asks about (default: the shipped one)');
  addFilters(command, '--decided-by');
  addFormat(addHtml(addKeys(command)), ['text', 'json']).action(async (dir: string, options: Options) => {
    if (options.mapping !== undefined && options.policy === undefined) {
      throw new UsageError('--mapping is of no use without --policy');
    }
    const { replayLog } = await import('../../../audit/query/replay/replay.ts');
    const policy = options.policy === undefined ? undefined : await loadOther(options.policy, options.mapping);
    const place = logPlaceOf(dir, options, io);
    const asked = { ...place, ...(policy ? { policy } : {}), isWanted: await filterOf(place, options, io) };
    await reportTampering(io, finish, async () => {
      const replay = await counting(io, 'decision', (onProgress) => replayLog({ ...asked, onProgress }));
      if (options.html !== undefined) await writePageFile(options.html, await pageOf(replay, policy), io);
      else {
        const text =
          options.format === 'json'
            ? `${JSON.stringify(replay, null, 2)}\n`
            : formatReplay(replay, stylerFor(io.stdout, io.env));
        await write(io.stdout, text);
      }
      finish(replay.problemCount > 0 ? EXIT.found : EXIT.done);
    });
  });
}

/** Which decisions the options ask for. */
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
  const filter = await readQuery(query, async () => readIndexKeys(place.keys, (await readLog(place.dir)).log));
  return (record) => passes(record, filter);
}

async function loadOther(file: string, mapping: string | undefined): Promise<Policy> {
  const { loadPolicy } = await import('../../../policy/read/parse.ts');
  const { loadMapping } = await import('../../../facts/mapping/mapping.ts');
  return loadPolicy(file, { mapping: loadMapping(mapping) });
}

async function pageOf(
  { compared, same, erased, problemCount, problems, policies, other }: Replay,
  policy?: Policy,
): Promise<string> {
  const { replayPage } = await import('../../../report/html/replay-page.ts');
  // Of another policy it is told how its outcomes compare with those on record.
  const again = other ? added(other.changes) : compared;
  const differing = other ? added(other.changes.filter(({ from, to }) => from !== to)) : compared - same;
  const more = problemCount > problems.length ? [`and ${problemCount - problems.length} more`] : [];
  return replayPage({
    compared: again,
    same: again - differing,
    differing,
    erased,
    changes: other?.changes ?? [],
    policy: { old: policies, ...(policy === undefined ? {} : { new: policy }) },
    ...(other ? { lacking: other.lacking } : {}),
    problems: [...problems.map(problemWords), ...more],
  });
}

function added(changes: readonly OutcomeChange[]): number {
  return changes.reduce((sum, { count: n }) => sum + n, 0);
}

function problemWords({ id, why, parts }: ReplayProblem): string {
  return `${printable(id)}: ${WHY[why]}${parts.length > 0 ? ` (${parts.join(', ')})` : ''}`;
}

const WHY: Readonly<Record<ReplayProblem['why'], string>> = {
  differs: 'comes out otherwise',
  'clear-differs': 'its body, in clear, says something else than the rest of the record',
  'not-opened': 'its key does not open it',
  'no-body': 'what its body holds is no decision',
  'key-missing': 'its key is gone, and no erasure for its subject is on record',
  'policy-missing': 'its policy or mapping is not kept, or is not as it was',
};

function formatReplay({ compared, same, erased, problemCount, problems, other }: Replay, style: Styler): string {
  const lines = [
    `${count(compared, 'decision')} made again: ${same} the same to the last byte`,
    ...(erased > 0 ? [`${count(erased, 'decision')} erased: nothing left to decide on`] : []),
    ...problems.map((problem) => style('red', problemWords(problem))),
    ...(problemCount > problems.length ? [style('red', `and ${problemCount - problems.length} more`)] : []),
  ];
  if (!other) return `${lines.join('\n')}\n`;
  const widest = Math.max(...other.changes.map(({ count: n }) => String(n).length), 1);
  const rows = other.changes.map(({ from, to, count: n, examples }) => {
    const text = `  ${from.padEnd(6)} to ${to.padEnd(6)}  ${String(n).padStart(widest)}`;
    return from === to ? style('dim', text) : `${text}  such as ${examples.map(printable).join(', ')}`;
  });
  const lacking = Object.entries(other.lacking).map(
    ([path, n]) => `  ${printable(path)}: not on record of ${count(n, 'decision')}, and so missing`,
  );
  return [
    ...lines,
    '',
    style('bold', 'By the other policy'),
    ...(rows.length > 0 ? rows : ['  nothing to decide on']),
    ...(lacking.length > 0 ? ['', style('bold', 'What it asks about'), ...lacking] : []),
    '',
  ].join('\n');
}
