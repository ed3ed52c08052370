/** `verdict audit replay`: the decisions on record -> whether they are the same when decided again. */

import type { Command } from 'commander';
import type { DecisionFields } from '../../../audit/entry/entry.ts';
import type { LogIndex } from '../../../audit/index/log-index.ts';
import type { LogPlace } from '../../../audit/place.ts';
import type { SearchQuery } from '../../../audit/read/criteria.ts';
import type { Filter } from '../../../audit/read/filter.ts';
import { reportTampering } from '../../findings.ts';
import { addSet, loadPolicyFiles } from '../../input/load-policy.ts';
import { EXIT, type Io, say } from '../../io.ts';
import { addJson, requireWith } from '../../options/arguments.ts';
import { addFilters, queryOf, undecidableWords } from '../../options/filters.ts';
import { addKeys, logPlaceOf, withIndex } from '../../options/log-place.ts';
import { endWith } from '../../result.ts';

export function addReplay(audit: Command, io: Io): void {
  withOptions(audit.command('replay <log>')).action(async (dir, options) => {
    const { policy: file } = options;
    requireWith(options, ['set', 'mapping'], 'policy');
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
    await reportTampering(io, async () => {
      const replay = await counting(io, 'decision', (onProgress) => {
        const run = (index?: LogIndex) =>
          replayLog({ ...settings, onProgress, ...(index ? { narrowing: { index, filter } } : {}) });
        return Object.keys(filter).length > 0 ? withIndex(place, io, run) : run();
      });
      await endWith(io, options, {
        data: () => replay,
        text: async (style) => {
          const { replayText } = await import('../../../report/log.ts');
          const { textOf } = await import('../../../report/plain-text.ts');
          return textOf(replayText(replay), style);
        },
        exitCode: replay.problemCount > 0 ? EXIT.found : EXIT.done,
      });
      if (undecidable > 0) await say(io.stderr, `${undecidableWords(undecidable)}\n`);
    });
  });
}

function withOptions(replay: Command<[string]>) {
  const command = replay
    .description('decide the decisions on record again, and compare')
    .option('--policy <file>', 'compare with the outcomes of this policy as well')
    .option('--mapping <file>', "the mapping with that policy's match results (default: the shipped one)");
  return addJson(addKeys(addFilters(addSet(command), { isReplay: true })));
}

/** What the options ask of a decision. */
async function filterOf(place: LogPlace, options: SearchQuery, io: Io): Promise<Filter> {
  const { homeOf } = await import('../../../audit/home.ts');
  const { readQuery } = await import('../../../audit/read/filter.ts');
  const { checkNames } = await import('../../../audit/query/known-names.ts');
  const query = await queryOf(options, io);
  await checkNames(place, query);
  return readQuery(query, await homeOf(place));
}
