/** `verdict release list`, `show`, `verify` and `export`: what releases there are, and whether they are sound. */

import type { Command } from 'commander';
import type { LogHome } from '../../../audit/place.ts';
import type { Release } from '../../../release/store.ts';
import { count } from '../../../text.ts';
import { EXIT, type Io, UsageError } from '../../io.ts';
import { addJson } from '../../options/arguments.ts';
import { addKeys, checkIsLog, logPlaceOf, readInputFile } from '../../options/log-place.ts';
import { writeNewFile } from '../../options/own-file.ts';
import { addTrust, readNumber, trustOf, withReleases } from '../../options/releases.ts';
import { endWith } from '../../result.ts';
import { endJudged } from './approve.ts';

/** The releases of a log that is not opened for writing. */
async function releasesOf(dir: string, options: Parameters<typeof logPlaceOf>[1], io: Io) {
  const { homeOf } = await import('../../../audit/home.ts');
  const { openReleases } = await import('../../../release/store.ts');
  const place = logPlaceOf(dir, options, io);
  checkIsLog(dir);
  const home: LogHome = await homeOf(place);
  return openReleases(home);
}

export function addList(release: Command, io: Io): void {
  const command = release.command('list <log>').description('list the releases of a log, and which one is in force');
  addJson(addKeys(command)).action(async (dir, options) => {
    const store = await releasesOf(dir, options, io);
    const { countedTable } = await import('../../../report/plain-text.ts');
    const { listReleases } = await import('../../../release/listing.ts');
    const listed = await listReleases(store);
    const rows = listed.map(({ number, state, title, authors, approvals }) => [
      ...[String(number), state, title, authors.join(', '), approvals.join(', ')],
    ]);
    const columns = ['number', 'state', 'title', 'authors', 'approved by'];
    await endWith(io, options, {
      data: () => listed,
      text: (style) => countedTable({ columns, rows }, count(rows.length, 'release'), style),
    });
  });
}

export function addShow(release: Command, io: Io): void {
  const command = release
    .command('show <log> <number>')
    .description('show what a release changes, who said what of it, and what it still needs');
  addJson(addTrust(addKeys(command))).action(async (dir, number, options) => {
    const trust = await trustOf(options);
    await withReleases(dir, options, io, async (means) => {
      const { judgeNow } = await import('../../../release/acts.ts');
      await endJudged(io, options, await judgeNow(means, readNumber(number), trust));
    });
  });
}

export function addVerify(release: Command, io: Io): void {
  const command = release
    .command('verify <log> [number]')
    .description('verify a release, all of them, or a bundle, against trust.yaml: every byte, note and activation')
    .option('--rerun', 'make its proof again, and its impact as far as the log has the records');
  addJson(addTrust(addKeys(command))).action(async (dir, number, { rerun = false, ...options }) => {
    const trust = await trustOf(options);
    const { verifyReleases } = await import('../../../release/verify.ts');
    const isBundle = dir.endsWith('.json');
    if (isBundle && number !== undefined) throw new UsageError('a bundle has one release: expected no number');
    const asked = number === undefined ? undefined : readNumber(number);
    const bundle = async (): Promise<Release> => {
      const { readBundle } = await import('../../../release/bundle.ts');
      return readBundle(readInputFile(dir, 'bundle').toString('utf8'));
    };
    const found = isBundle
      ? await verifyReleases([await bundle()], trust)
      : await withReleases(dir, options, io, (means) =>
          import('../../../release/verify.ts').then(({ verifyLogReleases }) =>
            verifyLogReleases(means, trust, { number: asked, rerun }),
          ),
        );
    const problems = found.filter(({ problem }) => problem !== undefined);
    await endWith(io, options, {
      data: () => found,
      text: () =>
        `${found.map(({ number: n, problem, words }) => `release ${n}: ${problem ?? words}\n`).join('')}` +
        `${count(found.length, 'release')}, ${count(problems.length, 'problem')}\n`,
      exitCode: problems.length > 0 ? EXIT.found : EXIT.done,
    });
  });
}

export function addExport(release: Command, io: Io): void {
  const command = release
    .command('export <log> <number>')
    .description('write a release with its files, evidence, notes and activation; lists name people')
    .requiredOption('--out <file>', 'a new file');
  addKeys(command).action(async (dir, number, { out, ...options }) => {
    const { formatBundle } = await import('../../../release/bundle.ts');
    const found = await (await releasesOf(dir, options, io)).read(readNumber(number));
    if (!found) throw new UsageError(`there is no release ${number}`);
    writeNewFile(out, formatBundle(found));
  });
}
