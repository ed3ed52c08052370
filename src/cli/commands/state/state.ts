/** `verdict state`: the commands for what the processes of a service share. */

import type { Command } from 'commander';
import type { Finish, Io } from '../../io.ts';
import { addFormat, type JsonOptions } from '../../options/arguments.ts';
import { addTables, changeTables, postgresOf, showTables, type TablesOptions } from '../../options/tables.ts';

interface PlaceOptions {
  readonly state: string;
}

/** Adds the commands. */
export function addStateCommands(program: Command, io: Io, finish: Finish): void {
  const state = program.command('state').description('make and migrate the tables of the state of `verdict serve`');
  const add = (name: string, description: string) =>
    state
      .command(name)
      .description(description)
      .requiredOption('--state <place>', 'postgres:NAME, the variable that has the URL of PostgreSQL');
  const place = async (options: PlaceOptions) => {
    const { STATE_TABLES } = await import('../../../stores/state/state-postgres.ts');
    return { url: postgresOf(options.state, io), area: STATE_TABLES };
  };
  addTables(add('init', 'make the tables; again, no change')).action(async (options: PlaceOptions & TablesOptions) =>
    changeTables({ ...(await place(options)), migrates: false }, options, io),
  );
  addTables(add('migrate', 'make the tables, or bring them up to date')).action(
    async (options: PlaceOptions & TablesOptions) =>
      changeTables({ ...(await place(options)), migrates: true }, options, io),
  );
  addFormat(add('status', 'show which migrations the tables have, and which are missing'), ['text', 'json']).action(
    async (options: PlaceOptions & JsonOptions) => showTables(await place(options), options, io, finish),
  );
}
