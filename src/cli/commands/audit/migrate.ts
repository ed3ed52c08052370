/** `verdict audit migrate`: the tables of a log, or of its keys, in PostgreSQL -> brought up to date. */

import type { Command } from 'commander';
import type { Io } from '../../io.ts';
import { addTables, changeTables, postgresOf } from '../../options/tables.ts';

export function addMigrate(audit: Command, io: Io): void {
  const command = audit
    .command('migrate <place>')
    .description('make the tables of a log in PostgreSQL, postgres:NAME, or bring them up to date')
    .option('--keys', 'those of its keys, which may be in another database');
  addTables(command).action(async (place, options) => {
    const { KEY_TABLES, LOG_TABLES } = await import('../../../audit/database.ts');
    const area = options.keys ? KEY_TABLES : LOG_TABLES;
    await changeTables({ url: postgresOf(place, io), area, migrates: true }, options, io);
  });
}
