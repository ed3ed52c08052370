/** `verdict test accept`: tests that fail -> their expectations rewritten, once a person has seen the difference. */

import type { CommandUnknownOpts } from 'commander';
import type { FileEdits } from '../../../lab/cases/accept-cases.ts';
import { applyEdits } from '../../../platform/files/source.ts';
import { textForFile } from '../../../platform/files/source-file.ts';
import type { Styler } from '../../../report/outline.ts';
import { count, printable } from '../../../text.ts';
import { pathsOr } from '../../input/files-of.ts';
import { CouldNotRunError, EXIT, type Io, isConfirmed, say, stylerFor, UsageError, write } from '../../io.ts';
import { checkFileWritable, writeOwnFile } from '../../options/own-file.ts';
import { ciVariableIn } from './test-paths.ts';

export function addAccept(test: CommandUnknownOpts, io: Io): void {
  test
    .command('accept')
    .description('rewrite what failing tests expect to what is decided today, after showing the difference')
    .argument('[paths...]', 'files of tests, or folders of them (default: rules/)')
    .option('--yes', 'write without asking')
    .action(async (paths, { yes }) => {
      const ciVariable = ciVariableIn(io);
      if (ciVariable !== undefined) {
        throw new UsageError(
          `the environment variable ${ciVariable} is set: expectations are accepted by a person, never in CI`,
        );
      }
      const { acceptCases } = await import('../../../lab/cases/accept-cases.ts');
      const { readTests } = await import('../../../lab/test/run-tests.ts');
      const { TestReader } = await import('../../../lab/test/read-tests.ts');
      const named = pathsOr(paths, 'the files of tests');
      const { files, expectations, refused } = acceptCases(readTests(named, new TestReader({ allowOnly: true })));
      const lines = refused.map(({ name, why }) => `verdict: left as it is: ${printable(name)}: ${why}\n`);
      await say(io.stderr, lines.join(''));
      const unfinished = refused.length > 0 ? EXIT.found : EXIT.done;
      if (files.length === 0) {
        io.finish(unfinished);
        return write(io.stdout, refused.length > 0 ? 'nothing can be accepted\n' : 'no test fails\n');
      }
      for (const { file } of files) checkFileWritable(file);
      await write(io.stdout, await differenceOf(files, stylerFor(io.stdout, io.env)));
      const question = `Accept ${count(expectations, 'expectation')}?`;
      if (!yes && !(await isConfirmed(question, NOBODY_TO_ASK, io))) {
        io.finish(EXIT.found);
        return say(io.stderr, 'verdict: nothing was written\n');
      }
      // All are checked before the first is written.
      const edited = files.map(({ file, source, edits }) => {
        const text = textForFile(file, source, applyEdits(source.text, edits));
        if (text === undefined) throw new CouldNotRunError(`${file} was changed meanwhile; run it again`);
        return { file, text };
      });
      for (const { file, text } of edited) writeOwnFile(file, text);
      await say(io.stderr, `verdict: ${count(expectations, 'expectation')} accepted\n`);
      io.finish(unfinished);
    });
}

const NOBODY_TO_ASK = 'nobody can be asked, since standard input is not a terminal; --yes accepts the difference';

/** The lines that change, as a diff of the files. */
async function differenceOf(files: readonly FileEdits[], style: Styler): Promise<string> {
  const { hunksOf } = await import('../../../lab/cases/accept-cases.ts');
  const lines = files.flatMap(({ file, source, edits }) =>
    hunksOf(source.text, edits).flatMap(({ line, old, now }) => [
      style('bold', `${printable(file)}:${line}`),
      ...old.map((text) => style('red', `- ${printable(text)}`)),
      ...now.map((text) => style('green', `+ ${printable(text)}`)),
    ]),
  );
  return `${lines.join('\n')}\n`;
}
