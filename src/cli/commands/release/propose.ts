/** `verdict release init`, `propose`, `import` and `evidence`: a folder of rules -> a release to be approved. */

import { type Command, Option, type OptionValues } from 'commander';
import type { Means } from '../../../release/acts.ts';
import type { Texts } from '../../../release/files.ts';
import type { ReadManifest } from '../../../release/manifest.ts';
import { EXIT, type Io } from '../../io.ts';
import {
  addJson,
  type NoOptions,
  type OptionsOf,
  readDay,
  readMany,
  stepsOption,
  today,
} from '../../options/arguments.ts';
import { addKeys, readInputFile } from '../../options/log-place.ts';
import { readNumber, withReleases } from '../../options/releases.ts';
import { endWith } from '../../result.ts';

export function addInit(release: Command, io: Io): void {
  const command = release
    .command('init <log>')
    .description('begin the releases of a log, and print a trust.yaml for the machines that decide');
  addKeys(command).action((dir, options) =>
    withReleases(dir, options, io, async ({ log }) => {
      const { beginSeries } = await import('../../../release/acts.ts');
      const { homeOfLog } = await import('../../../audit/log.ts');
      const { openReleases } = await import('../../../release/store.ts');
      const { trustText } = await import('../../../service/config/trust.ts');
      const series = await beginSeries({ log });
      const text = trustText(series, await openReleases(homeOfLog(log)).signingKey());
      await endWith(io, { format: 'text' }, { text: () => text });
    }),
  );
}

function addTold<Args extends unknown[], Opts extends OptionValues>(command: Command<Args, Opts>) {
  return addJson(
    addKeys(command)
      .requiredOption('--title <text>', 'what it is for, in one line')
      .requiredOption('--author <subject>', 'who saved a file of it; repeatable', readMany),
  );
}

type Told = OptionsOf<typeof addTold<[], NoOptions>> & { readonly mapping: string };

export function addPropose(release: Command, io: Io): void {
  const command = release
    .command('propose <log>')
    .description('keep a folder of rules as a release that replaces the one in force')
    .requiredOption('--rules <dir>', 'policies, rule sets, tables, lists, the mapping and tests')
    .option('--mapping <file>', 'the mapping among the files', 'signals.yaml');
  addTold(command).action((dir, { rules, ...options }) =>
    withReleases(dir, options, io, async (means) => {
      const { readRules } = await import('../../../release/files.ts');
      await proposeTexts(means, readRules(rules), options, io);
    }),
  );
}

export function addImport(release: Command, io: Io): void {
  const command = release
    .command('import <log> <file>')
    .description('propose the files of a bundle that `export` wrote; its approvals do not come along');
  addTold(command).action((dir, bundle, options) =>
    withReleases(dir, options, io, async (means) => {
      const { readBundle } = await import('../../../release/bundle.ts');
      const { readManifest } = await import('../../../release/manifest.ts');
      const { content, manifest } = readBundle(readInputFile(bundle, 'bundle').toString('utf8'));
      const { mapping } = readManifest(manifest).manifest;
      await proposeTexts(means, content?.files ?? {}, { ...options, mapping }, io);
    }),
  );
}

async function proposeTexts(means: Means, files: Texts, { title, author, mapping, ...options }: Told, io: Io) {
  const { propose } = await import('../../../release/acts.ts');
  await endProposed(io, options, await propose(means, { files, title, authors: author, mapping }));
}

/** Ends a command that proposed a release. */
export async function endProposed(io: Io, options: { readonly format: string }, { manifest, digest }: ReadManifest) {
  await endWith(io, options, {
    data: () => ({ number: manifest.number, digest, base: manifest.base }),
    text: () => `release ${manifest.number} ${digest}\n`,
  });
}

export function addEvidence(release: Command, io: Io): void {
  const command = release
    .command('evidence <log> <number>')
    .description('prove what a release changes, count whom it would have changed in 30 days, and keep both')
    .option('--at <day>', 'the day of the proof (default: today)', readDay)
    .addOption(stepsOption())
    .addOption(
      new Option('--since-proposed', 'count whom it would have changed since it was proposed; keep nothing').conflicts([
        ...['at', 'steps'],
      ]),
    );
  addJson(addKeys(command)).action((dir, number, { at = today(), steps, sinceProposed, ...options }) =>
    withReleases(dir, options, io, async (means) => {
      const { addEvidence: add, countSinceProposed } = await import('../../../release/acts.ts');
      if (sinceProposed) {
        const { countLines } = await import('../../../release/evidence/words.ts');
        const impact = await countSinceProposed(means, readNumber(number));
        return endWith(io, options, {
          data: () => ({ impact }),
          text: () =>
            countLines(impact)
              .map((line) => `${line}\n`)
              .join(''),
        });
      }
      const { proof, impact } = await add(means, readNumber(number), {
        day: at,
        ...(steps === undefined ? {} : { steps }),
      });
      const { changeLines, doubtLines } = await import('../../../release/evidence/words.ts');
      const doubts = doubtLines(proof);
      await endWith(io, options, {
        data: () => ({ proof, impact }),
        text: () => [...doubts, ...changeLines(proof, impact)].map((line) => `${line}\n`).join(''),
        exitCode: doubts.length > 0 ? EXIT.found : EXIT.done,
      });
    }),
  );
}
