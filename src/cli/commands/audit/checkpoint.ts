/** `verdict audit checkpoint`: a log, and maybe an earlier checkpoint -> a signed note of the length of its chains. */

import { writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { count } from '../../../text.ts';
import { formatFindings } from '../../findings.ts';
import { CouldNotRunError, EXIT, type Finish, type Io, say, write } from '../../io.ts';
import { addSigning, readSigning, type SigningOptions } from '../../options/signing.ts';

interface Options extends SigningOptions {
  readonly out?: string;
  readonly previous?: string;
}

/** Adds the command. */
export function addCheckpoint(audit: Command, io: Io, finish: Finish): void {
  const command = audit
    .command('checkpoint <dir>')
    .description('verify the log, and print a signed note of the length of each chain, to be kept elsewhere')
    .option('--previous <file>', 'sign only if the log continues this earlier note, kept elsewhere')
    .option('--out <file>', 'write the note to a new file');
  addSigning(command).action(async (dir: string, options: Options) => {
    const { takeCheckpoint } = await import('../../../audit/checkpoint/take.ts');
    const { signingKey, checkpoint: previous } = await readSigning(dir, options, io, options.previous);
    const { note, against } = await takeCheckpoint({ dir, signingKey, ...(previous ? { previous } : {}) });
    if (note === undefined) {
      const refusal = `verdict: ${count(against.length, 'finding')}: no checkpoint was signed`;
      await say(io.stderr, `${formatFindings(against)}${refusal}\n`);
      finish(EXIT.found);
      return;
    }
    if (options.out === undefined) await write(io.stdout, note);
    else writeNew(options.out, note);
    finish(EXIT.done);
  });
}

/** Never overwrites a file, which may be an earlier checkpoint. */
function writeNew(file: string, text: string): void {
  try {
    writeFileSync(file, text, { flag: 'wx', flush: true });
  } catch (error) {
    const exists = (error as NodeJS.ErrnoException).code === 'EEXIST';
    throw new CouldNotRunError(exists ? `${file} exists, expected a new file` : `${file} cannot be written`);
  }
}
