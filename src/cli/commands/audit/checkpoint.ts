/** `verdict audit checkpoint`: a log, and maybe an earlier checkpoint -> a signed note of the length of its chains. */

import type { Command } from 'commander';
import { count } from '../../../text.ts';
import { formatFindings } from '../../findings.ts';
import { EXIT, type Finish, type Io, say, write, writeJson } from '../../io.ts';
import { addFormat, type JsonOptions } from '../../options/arguments.ts';
import { writeNewFile } from '../../options/own-file.ts';
import { addSigning, readSigning, type SigningOptions } from '../../options/signing.ts';

interface Options extends SigningOptions, JsonOptions {
  readonly out?: string;
  readonly previous?: string;
}

/** Adds the command. */
export function addCheckpoint(audit: Command, io: Io, finish: Finish): void {
  const command = audit
    .command('checkpoint <log>')
    .description('verify the log, and print a signed note of the length of each chain, to be kept elsewhere')
    .option('--previous <file>', 'sign only if the log continues this earlier note, kept elsewhere')
    .option('--out <file>', 'write the note to a new file');
  addFormat(addSigning(command), ['text', 'json']).action(async (dir: string, options: Options) => {
    const { takeCheckpoint } = await import('../../../audit/checkpoint/take.ts');
    const { withoutKeys } = await import('../../../audit/place.ts');
    const { place, signingKey, checkpoint: previous } = await readSigning(dir, options, io, options.previous);
    const { note, against } = await takeCheckpoint({
      ...withoutKeys(place),
      signingKey,
      ...(previous ? { previous } : {}),
    });
    if (note === undefined) {
      if (options.format === 'json') await writeJson(io.stdout, { note: null, against });
      const refusal = `verdict: ${count(against.length, 'finding')}: no checkpoint was signed`;
      await say(io.stderr, `${formatFindings(against)}${refusal}\n`);
      finish(EXIT.found);
      return;
    }
    // Never over a file, which may be an earlier checkpoint.
    if (options.out !== undefined) writeNewFile(options.out, note);
    if (options.format === 'json') await writeJson(io.stdout, { note, against: [] });
    else if (options.out === undefined) await write(io.stdout, note);
    finish(EXIT.done);
  });
}
