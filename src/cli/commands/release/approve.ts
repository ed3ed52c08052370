/** `verdict release approve`, `sign`, `activate`, `restore`: what people say of a release, and the one way in force. */

import { createPrivateKey, type KeyObject } from 'node:crypto';
import { type Command, Option } from 'commander';
import type { Judged } from '../../../release/judge.ts';
import { type Io, UsageError } from '../../io.ts';
import { addJson } from '../../options/arguments.ts';
import { addKeys, readInputFile } from '../../options/log-place.ts';
import { addTrust, readNumber, trustOf, withReleases } from '../../options/releases.ts';
import { endWith } from '../../result.ts';
import { endProposed } from './propose.ts';

const SAID = ['approve', 'reject', 'tighten', 'confirm'] as const;

function readKey(file: string): KeyObject {
  try {
    const key = createPrivateKey(readInputFile(file, 'key'));
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    // The cause may quote the key.
  }
  throw new UsageError('--signing-key: expected a private Ed25519 key in PEM: openssl genpkey -algorithm ed25519');
}

export function addApprove(release: Command, io: Io): void {
  const command = release
    .command('approve <log> <number>')
    .description('say something of a release with a key of your own, or add a note that `sign` made')
    .addOption(new Option('--say <what>', 'what').choices(SAID).default('approve'))
    .option('--by <subject>', 'who says it, as trust.yaml names the person of the key')
    .option('--signing-key <file>', 'a private key that trust.yaml trusts')
    .addOption(new Option('--note <file>', 'a signed note').conflicts(['by', 'signingKey', 'say']))
    .option('--why <text>', 'why; needed to reject; encrypted like the facts');
  addJson(addTrust(addKeys(command))).action(async (dir, number, options) => {
    const { say, by, signingKey, note, why } = options;
    if (note === undefined && (by === undefined || signingKey === undefined)) {
      throw new UsageError('expected --by and --signing-key, or --note');
    }
    const trust = await trustOf(options);
    await withReleases(dir, options, io, async (means) => {
      const { addNote, sayOf } = await import('../../../release/acts.ts');
      const about = readNumber(number);
      const judged =
        note === undefined
          ? await sayOf(means, about, trust, {
              ...{ by: by as string, verdict: say, key: readKey(signingKey as string) },
              ...(why === undefined ? {} : { why }),
            })
          : await addNote(means, about, trust, readInputFile(note, 'note').toString('utf8'), why);
      await endJudged(io, options, judged);
    });
  });
}

export function addSign(release: Command, io: Io): void {
  const command = release
    .command('sign <file>')
    .description('print the signed note of a person about a bundle, for `approve --note`; needs no log')
    .addOption(new Option('--say <what>', 'what').choices(SAID).default('approve'))
    .requiredOption('--by <subject>', 'who says it, as trust.yaml names the person of the key')
    .requiredOption('--signing-key <file>', 'your private key');
  command.action(async (bundle, { say, by, signingKey }) => {
    const { readBundle } = await import('../../../release/bundle.ts');
    const { signNoteOf } = await import('../../../release/acts.ts');
    const release = readBundle(readInputFile(bundle, 'bundle').toString('utf8'));
    const note = signNoteOf(release, { by, verdict: say, at: new Date().toISOString() }, readKey(signingKey));
    await endWith(io, { format: 'text' }, { text: () => note });
  });
}

export function addActivate(release: Command, io: Io): void {
  const command = release
    .command('activate <log> <number>')
    .description('put a release in force, if it has its approvals and its proof is made again to the byte')
    .requiredOption('--by <subject>', 'who does it')
    .option('--signing-key <file>', 'a private key that trust.yaml trusts (default: that of the series)');
  addJson(addTrust(addKeys(command))).action(async (dir, number, { by, signingKey, ...options }) => {
    const trust = await trustOf(options);
    await withReleases(dir, options, io, async (means) => {
      const { activate } = await import('../../../release/acts.ts');
      const key = signingKey === undefined ? {} : { key: readKey(signingKey) };
      await endJudged(io, options, await activate(means, readNumber(number), trust, { by, ...key }));
    });
  });
}

export function addRestore(release: Command, io: Io): void {
  const command = release
    .command('restore <log> <number>')
    .description('propose the files of an earlier release again, as a new release that needs approvals')
    .requiredOption('--by <subject>', 'who does it');
  addJson(addKeys(command)).action((dir, number, { by, ...options }) =>
    withReleases(dir, options, io, async (means) => {
      const { restore } = await import('../../../release/acts.ts');
      await endProposed(io, options, await restore(means, readNumber(number), by));
    }),
  );
}

/** Ends a command with a release as it stands. */
export async function endJudged(io: Io, options: { readonly format: string }, judged: Judged): Promise<void> {
  const { judgedData, judgedLines } = await import('../../../release/listing.ts');
  await endWith(io, options, {
    data: () => judgedData(judged),
    text: () =>
      judgedLines(judged)
        .map((line) => `${line}\n`)
        .join(''),
  });
}
