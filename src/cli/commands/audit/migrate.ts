/** `verdict audit migrate`: the tables of a log, or of its keys, in PostgreSQL -> brought up to date. */

import type { Command } from 'commander';
import { EXIT, type Finish, type Io } from '../../io.ts';
import { addTables, changeTables, postgresOf, type TablesOptions } from '../../options/tables.ts';

interface Options extends TablesOptions {
  readonly keys?: true;
}

/** Adds the command. */
export function addMigrate(audit: Command, io: Io, finish: Finish): void {
  const command = audit
    .command('migrate <place>')
    .description('make the tables of a log in PostgreSQL, postgres:NAME, or bring them up to date')
    .option('--keys', 'those of its keys, which may be in another database');
  addTables(command).action(async (place: string, options: Options) => {
    const { KEY_TABLES, LOG_TABLES } = await import('../../../audit/database.ts');
    const area = options.keys ? KEY_TABLES : LOG_TABLES;
    await changeTables({ url: postgresOf(place, io), area, migrates: true }, options, io);
    finish(EXIT.done);
  });
}
