/** `verdict audit replay`: the decisions on record -> made again; whether they are the same, and what another policy would change. */

import type { Command } from 'commander';
import type { Replay, ReplayProblem } from '../../audit/replay.ts';
import { count, printable } from '../../diagnostics.ts';
import { addFormat } from '../arguments.ts';
import { EXIT, type Io, type Styler, stylerFor, UsageError, write } from '../io.ts';
import type { Finish } from '../program.ts';
import { addKeys, type KeysOptions, placeOf } from './place.ts';

interface Options extends KeysOptions {
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
  addFormat(addKeys(command), ['text', 'json']).action(async (dir: string, options: Options) => {
    if (options.mapping !== undefined && options.policy === undefined) {
      throw new UsageError('--mapping is of no use without --policy');
    }
    const { replayLog } = await import('../../audit/replay.ts');
    const other = options.policy === undefined ? {} : { policy: await loadOther(options.policy, options.mapping) };
    const replay = await replayLog({ ...placeOf(dir, options, io), ...other });
    const text =
      options.format === 'json'
        ? `${JSON.stringify(replay, null, 2)}\n`
        : formatReplay(replay, stylerFor(io.stdout, io.env));
    await write(io.stdout, text);
    finish(replay.problemCount > 0 ? EXIT.found : EXIT.done);
  });
}

async function loadOther(file: string, mapping: string | undefined) {
  const { loadPolicy } = await import('../../policy/parse.ts');
  const { loadMapping } = await import('../../facts/mapping.ts');
  return loadPolicy(file, { mapping: loadMapping(mapping) });
}

const WHY: Readonly<Record<ReplayProblem['why'], string>> = {
  differs: 'comes out otherwise',
  'not-opened': 'its key does not open it',
  'key-missing': 'its key is not in the key folder, and no erasure is on record',
  'policy-missing': 'its policy or mapping is not kept, or is not as it was',
};

function formatReplay({ compared, same, erased, problemCount, problems, other }: Replay, style: Styler): string {
  const lines = [
    `${count(compared, 'decision')} made again: ${same} the same to the last byte`,
    ...(erased > 0 ? [`${count(erased, 'decision')} erased: nothing left to decide on`] : []),
    ...problems.map(({ id, why, parts }) =>
      style('red', `${id}: ${WHY[why]}${parts.length > 0 ? ` (${parts.join(', ')})` : ''}`),
    ),
    ...(problemCount > problems.length ? [style('red', `and ${problemCount - problems.length} more`)] : []),
  ];
  if (!other) return `${lines.join('\n')}\n`;
  const widest = Math.max(...other.changes.map(({ count: n }) => String(n).length), 1);
  const rows = other.changes.map(({ from, to, count: n, examples }) => {
    const text = `  ${from.padEnd(6)} to ${to.padEnd(6)}  ${String(n).padStart(widest)}`;
    return from === to ? style('dim', text) : `${text}  such as ${examples.join(', ')}`;
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
