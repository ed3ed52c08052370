/** `verdict audit replay`: the decisions on record -> whether they are the same when decided again. */

import type { Command } from 'commander';
import type { DecisionFields } from '../../../audit/entry/entry.ts';
import type { LogIndex } from '../../../audit/index/log-index.ts';
import type { LogPlace } from '../../../audit/place.ts';
import type { Filter } from '../../../audit/read/filter.ts';
import { reportTampering } from '../../findings.ts';
import { addSet, loadPolicyFiles, type SetOption } from '../../input/load-policy.ts';
import { EXIT, type Finish, type Io, say, UsageError } from '../../io.ts';
import { addFormat } from '../../options/arguments.ts';
import { addFilters, checkNamesOf, type FilterOptions, queryOf, undecidableWords } from '../../options/filters.ts';
import { printResult } from '../../options/html.ts';
import { addKeys, type KeysOptions, logPlaceOf, withIndex } from '../../options/log-place.ts';

interface Options extends Omit<FilterOptions, 'policy'>, KeysOptions, SetOption {
  readonly decidedBy?: readonly string[];
  readonly policy?: string;
  readonly mapping?: string;
  readonly format: 'text' | 'json';
}

/** Adds the command. */
export function addReplay(audit: Command, io: Io, finish: Finish): void {
  const command = audit
    .command('replay <log>')
    .description('decide the decisions on record again, and compare')
    .option('--policy <file>', 'compare with the outcomes of this policy as well')
    .option('--mapping <file>', "the mapping with that policy's match results (default: the shipped one)");
  addFilters(addSet(command), '--decided-by');
  addFormat(addKeys(command), ['text', 'json']).action(async (dir: string, options: Options) => {
    const { policy: file, mapping, set } = options;
    if (file === undefined && (mapping !== undefined || set)) {
      throw new UsageError(`${set ? '--set' : '--mapping'} goes with --policy`);
    }
    const { replayLog } = await import('../../../audit/query/replay/replay.ts');
    const policy = file === undefined ? undefined : await loadPolicyFiles({ ...options, policy: file });
    const place = logPlaceOf(dir, options, io);
    let undecidable = 0;
    const filter = await filterOf(place, options, io);
    const { passes } = await import('../../../audit/read/filter.ts');
    const isWanted = (record: DecisionFields) => {
      const found = passes(record, filter);
      if (found === undefined) undecidable += 1;
      return found === true;
    };
    const settings = { ...place, ...(policy ? { policy } : {}), isWanted };
    const { counting } = await import('../../progress.ts');
    await reportTampering(io, finish, async () => {
      const replay = await counting(io, 'decision', (onProgress) => {
        const run = (index?: LogIndex) =>
          replayLog({ ...settings, onProgress, ...(index ? { narrowing: { index, filter } } : {}) });
        return Object.keys(filter).length > 0 ? withIndex(place, io, run) : run();
      });
      await printResult(io, options, {
        data: () => replay,
        text: async (style) => {
          const { replayText } = await import('../../../report/log.ts');
          const { textOf } = await import('../../../report/plain-text.ts');
          return textOf(replayText(replay), style);
        },
      });
      if (undecidable > 0) await say(io.stderr, `${undecidableWords(undecidable)}\n`);
      finish(replay.problemCount > 0 ? EXIT.found : EXIT.done);
    });
  });
}

/** What the options ask of a decision. */
async function filterOf(place: LogPlace, { decidedBy, ...options }: Options, io: Io): Promise<Filter> {
  const { homeOf } = await import('../../../audit/home.ts');
  const { readQuery } = await import('../../../audit/read/filter.ts');
  const { policy, ...filters } = options;
  const query = await queryOf({ ...filters, ...(decidedBy === undefined ? {} : { policy: decidedBy }) }, io);
  await checkNamesOf(query, place);
  return readQuery(query, await homeOf(place));
}
