/** `verdict state`: the commands for what the processes of a service share. */

import type { Command } from 'commander';
import { count } from '../../../text.ts';
import { EXIT, type Io, orCannotRun } from '../../io.ts';
import { addJson, type OptionsOf } from '../../options/arguments.ts';
import { addTables, changeTables, postgresOf, showTables } from '../../options/tables.ts';
import { endWith } from '../../result.ts';

export function addStateCommands(program: Command, io: Io): void {
  const state = program.command('state').description('make, migrate and rebuild the state of `verdict serve`');
  const add = (name: string, description: string) =>
    state
      .command(name)
      .description(description)
      .requiredOption('--state <place>', 'postgres:NAME, the variable that has the URL of PostgreSQL');
  const place = async ({ state: named }: { readonly state: string }) => {
    const { STATE_TABLES } = await import('../../../stores/state/state-postgres.ts');
    return { url: postgresOf(named, io), area: STATE_TABLES };
  };
  addTables(add('init', 'make the tables; again, no change')).action(async (options) =>
    changeTables({ ...(await place(options)), migrates: false }, options, io),
  );
  addTables(add('migrate', 'make the tables, or bring them up to date')).action(async (options) =>
    changeTables({ ...(await place(options)), migrates: true }, options, io),
  );
  addJson(add('status', 'show which migrations the tables have, and which are missing')).action(async (options) =>
    showTables(await place(options), options, io),
  );
  rebuildOptions(state.command('rebuild')).action((options) => rebuild(options, io));
}

function rebuildOptions(command: Command) {
  const config = command
    .description('after a restore: put back what the log has of references, cases and counts; again, no change')
    .option('--config <file>', 'the configuration of the service', 'serve.yaml');
  return addJson(config);
}

async function rebuild(options: OptionsOf<typeof rebuildOptions>, io: Io): Promise<void> {
  const { readServeConfig } = await import('../../../service/config.ts');
  const { rebuildState } = await import('../../../service/handlers/rebuild-state.ts');
  const rebuilt = await orCannotRun(async () => rebuildState(readServeConfig(options.config), io.env));
  const { references, withoutQuestion, closed, cases, counted } = rebuilt;
  const text = () => {
    const lines = [
      `references: ${references} restored; new again are those that were in flight and never came on record`,
      withoutQuestion > 0 && `  ${withoutQuestion} without a question on record: a request under one is refused`,
      closed > 0 &&
        `  ${count(closed, 'decision')} erased or without a key: a request under its reference is billed again`,
      `cases: ${cases} wait`,
      counted !== undefined && `counts: ${count(counted, 'decision')} counted`,
    ];
    return lines.map((line) => (line === false ? '' : `${line}\n`)).join('');
  };
  const exitCode = withoutQuestion + closed > 0 ? EXIT.found : EXIT.done;
  await endWith(io, options, { data: () => rebuilt, text, exitCode });
}
