/** `verdict export`: a policy -> the same policy for another engine, on standard output. */

import { type Command, Option } from 'commander';
import { DIALECT_NAMES } from '../../decision/sql/dialect.ts';
import type { SqlDay } from '../../decision/sql/sql.ts';
import { loadColumns } from '../input/columns.ts';
import { addPolicyFiles, loadPolicyFiles } from '../input/load-policy.ts';
import { EXIT, type Io, say } from '../io.ts';
import { present, readDay, readMany, refuseOld } from '../options/arguments.ts';
import { endWith } from '../result.ts';

export function addExport(program: Command, io: Io): void {
  const command = program.command('export').description('write a policy as one SELECT over a table of facts');
  refuseOld(command, '--to <language>', 'SQL is what is exported');
  addPolicyFiles(command)
    .addOption(new Option('--dialect <dialect>', 'whose SQL').choices(DIALECT_NAMES).makeOptionMandatory())
    .option('--table <name>', 'the table, perhaps with its schema: lake.applicants', 'applicants')
    .addOption(
      new Option('--at <day>', 'the day of the decisions, or the DATE column that has it')
        .argParser(readDayOrColumn)
        .default({ column: 'at' }, 'the column at'),
    )
    .option('--columns <file>', 'the columns of facts that are not named by the convention, as YAML')
    .option('--key <column>', 'a column to pass on beside the result; repeatable', readMany)
    .option('--json', 'print { sql, refusals } as JSON')
    .action(async ({ dialect, table, at, columns, key, json, ...files }) => {
      const { toSql } = await import('../../decision/sql/sql.ts');
      const { formatRefusal } = await import('../../decision/sql/dialect.ts');
      const policy = await loadPolicyFiles(files);
      const { sql, refusals: found } = toSql(policy, {
        dialect,
        table,
        at,
        ...(await loadColumns(columns, policy.facts)),
        ...present({ keys: key }),
      });
      // A refusal without a position is about the whole policy.
      const refusals = found.map((refused) => ({ file: files.policy, ...refused }));
      if (!json && sql === undefined) await say(io.stderr, refusals.map((each) => `${formatRefusal(each)}\n`).join(''));
      const output = { format: json ? 'json' : 'text' };
      await endWith(io, output, {
        data: () => ({ sql: sql ?? null, refusals }),
        text: () => sql ?? '',
        exitCode: sql === undefined ? EXIT.found : EXIT.done,
      });
    });
}

/** A text that begins with a digit is a day; any other is a column. */
function readDayOrColumn(text: string): SqlDay {
  return /^\d/.test(text) ? readDay(text) : { column: text };
}
