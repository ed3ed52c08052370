/** `verdict audit checkpoint`: a log, and maybe an earlier checkpoint -> a signed note of the length of its chains. */

import type { Command } from 'commander';
import { count } from '../../../text.ts';
import { formatFindings } from '../../findings.ts';
import { EXIT, type Io, say } from '../../io.ts';
import { addJson } from '../../options/arguments.ts';
import { writeNewFile } from '../../options/own-file.ts';
import { addSigning, readSigning } from '../../options/signing.ts';
import { endWith } from '../../result.ts';

export function addCheckpoint(audit: Command, io: Io): void {
  const command = audit
    .command('checkpoint <log>')
    .description('verify the log, and print a signed note of the length of each chain, to be kept elsewhere')
    .option('--previous <file>', 'sign only if the log continues this earlier note, kept elsewhere')
    .option('--out <file>', 'write the note to a new file');
  addJson(addSigning(command)).action(async (dir, options) => {
    const { takeCheckpoint } = await import('../../../audit/checkpoint/take.ts');
    const { withoutKeys } = await import('../../../audit/place.ts');
    const { place, signingKey, checkpoint: previous } = await readSigning(dir, options, io, options.previous);
    const { note, against } = await takeCheckpoint({
      ...withoutKeys(place),
      signingKey,
      ...(previous ? { previous } : {}),
    });
    const refusal = `verdict: ${count(against.length, 'finding')}: no checkpoint was signed`;
    if (note === undefined) await say(io.stderr, `${formatFindings(against)}${refusal}\n`);
    // Never over a file, which may be an earlier checkpoint.
    else if (options.out !== undefined) writeNewFile(options.out, note);
    await endWith(io, options, {
      data: () => ({ note: note ?? null, against: note === undefined ? against : [] }),
      text: () => (options.out === undefined ? (note ?? '') : ''),
      exitCode: note === undefined ? EXIT.found : EXIT.done,
    });
  });
}
