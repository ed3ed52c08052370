/** `verdict export`: a policy -> the same policy for another engine, on standard output. */

import { type Command, Option } from 'commander';
import { DIALECT_NAMES, type DialectName } from '../decision/sql/dialect.ts';
import type { ColumnMap } from '../decision/sql/names.ts';
import type { SqlDay } from '../decision/sql/sql.ts';
import { formatDiagnostic } from '../diagnostics.ts';
import type { FactTable } from '../facts/catalog.ts';
import { readDay, readMany } from './arguments.ts';
import { CouldNotRunError, EXIT, type Io, write } from './io.ts';
import type { Finish } from './program.ts';

interface Options {
  readonly policy: string;
  readonly mapping?: string;
  readonly dialect: DialectName;
  readonly table: string;
  readonly at: SqlDay;
  readonly columns?: string;
  readonly key?: readonly string[];
}

/** Adds the command. */
export function addExport(program: Command, io: Io, finish: Finish): void {
  program
    .command('export')
    .description('write a policy as one SELECT over a table of facts')
    .requiredOption('--policy <file>', 'the policy')
    .option('--mapping <file>', 'the mapping whose match results the policy asks about (default: the shipped one)')
    .addOption(new Option('--to <language>', 'what to write').choices(['sql']).makeOptionMandatory())
    .addOption(new Option('--dialect <dialect>', 'whose SQL').choices(DIALECT_NAMES).makeOptionMandatory())
    .option('--table <name>', 'the table, perhaps with its schema: lake.applicants', 'applicants')
    .addOption(
      new Option('--at <day>', 'the day of the decisions, or the DATE column that has it')
        .argParser(readDayOrColumn)
        .default({ column: 'at' }, 'the column at'),
    )
    .option('--columns <file>', 'the columns of facts that are not named by the convention, as YAML')
    .option('--key <column>', 'a column to pass on beside the result; may be given again', readMany)
    .action(async (options: Options) => finish(await exportSql(options, io)));
}

/** What begins with a digit is meant to be a day. */
function readDayOrColumn(text: string): SqlDay {
  return /^\d/.test(text) ? readDay(text) : { column: text };
}

async function exportSql(
  { policy: file, mapping, dialect, table, at, columns, key }: Options,
  io: Io,
): Promise<number> {
  const { loadPolicy } = await import('../policy/parse.ts');
  const { loadMapping } = await import('../facts/mapping.ts');
  const { toSql } = await import('../decision/sql/sql.ts');
  const { formatRefusal } = await import('../decision/sql/refusal.ts');
  const policy = loadPolicy(file, { mapping: loadMapping(mapping) });
  const { sql, refusals } = toSql(policy, {
    dialect,
    table,
    at,
    ...(columns === undefined ? {} : { columns: await loadColumns(columns, policy.facts) }),
    ...(key === undefined ? {} : { keys: key }),
  });
  for (const refusal of refusals) await write(io.stderr, `${file}: ${formatRefusal(refusal)}\n`);
  if (sql === undefined) return EXIT.found;
  await write(io.stdout, sql);
  return EXIT.done;
}

async function loadColumns(file: string, table: FactTable): Promise<ColumnMap> {
  const { readColumns } = await import('../decision/sql/columns-file.ts');
  const { columns, diagnostics } = readColumns(file, table);
  if (columns) return columns;
  throw new CouldNotRunError(`the columns cannot be read:\n${diagnostics.map(formatDiagnostic).join('\n')}`);
}
