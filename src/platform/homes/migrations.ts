/** Numbered files of SQL -> the tables of an area of a database: made, brought up to date, or refused. */

import { readFileSync } from 'node:fs';
import { VerdictError } from '../../errors.ts';
import { findFile } from '../lazy.ts';
import type { Connections } from './connections.ts';
import type { Query } from './query.ts';

/** Tables that belong together, such as those of the state. */
export interface Area {
  /** In `verdict_migration`, in messages, and of the folder of its files. */
  readonly name: string;
  /** A table of its first file. */
  readonly table: string;
  /** Its files without `.sql`, by number: `0001-tables`. */
  readonly files: readonly string[];
  /** How to bring its tables up to date. */
  readonly command: string;
}

type Level = Awaited<ReturnType<typeof readLevel>>;

/**
 * What the tables of an area are like. `numbers`: of the files that were run, those included that this version does not
 * know; `missing`: those that were not; `least`: the least number that a program has to know.
 */
export async function readLevel(query: Query, { name, table, files }: Area) {
  const [found] = await query(
    `select to_regclass('${table}') is null as "isNew", to_regclass('verdict_migration') is null as "isEarlier"`,
  );
  const { isNew, isEarlier } = found as { readonly isNew: boolean; readonly isEarlier: boolean };
  const text = 'select number, least from verdict_migration where area = $1 order by number';
  const rows = isNew || isEarlier ? [] : ((await query(text, [name])) as readonly { number: number; least: number }[]);
  const numbers = rows.map(({ number }) => number);
  const missing = files.filter((_, i) => !numbers.includes(i + 1));
  return { isNew, numbers, missing, least: Math.max(0, ...rows.map(({ least }) => least)) };
}

/** Why this version cannot work with the tables; undefined if it can, as with tables that have more than it knows. */
export function problemOfLevel({ name, files, command }: Area, { missing, least }: Level): string | undefined {
  if (least > files.length) {
    const expected = `expected a version of verdict that knows migration ${least}; this one knows ${files.length}`;
    return `the tables of the ${name} were migrated for a later version: ${expected}`;
  }
  if (missing.length === 0) return undefined;
  return `the tables of the ${name} lack ${missing.join(', ')}: run \`${command}\` as the user who owns them`;
}

/** Opening tables waits while another connection makes or changes them. */
const LOCK = 'schema';
/** A file may take this long: it may make an index of a large table. */
const FILE_MS = 3_600_000;

/** Makes the tables if there are none. Rejects with CONFIGURATION_INVALID if this version cannot work with them. */
export async function openTables(connections: Connections, area: Area): Promise<void> {
  const problem = await connections.transaction(LOCK, async (query) => {
    const level = await readLevel(query, area);
    if (!level.isNew) return problemOfLevel(area, level);
    for (const file of area.files) await query(textOf(area, file));
    return undefined;
  });
  if (problem !== undefined) throw new VerdictError('CONFIGURATION_INVALID', problem);
}

/** Runs the files that were not run, each in a transaction of its own; resolves with them. */
export async function migrate(connections: Connections, area: Area): Promise<readonly string[]> {
  const run: string[] = [];
  for (const file of area.files) {
    const work = async (query: Query) => {
      const isMissing = (await readLevel(query, area)).missing.includes(file);
      if (isMissing) await query(textOf(area, file));
      return isMissing;
    };
    if (await connections.transaction(LOCK, work, FILE_MS)) run.push(file);
  }
  return run;
}

/** The same as a script for psql. */
export function scriptOf(area: Area, files: readonly string[]): string {
  const parts = files.map((file) => `begin;\n${textOf(area, file)}commit;\n`);
  return ['\\set ON_ERROR_STOP on\n', ...parts].join('\n');
}

/** Found by the name of the package, because the built file is at another depth than this one. */
function textOf({ name }: Area, file: string): string {
  return readFileSync(findFile(`verdict-engine/migrations/${name}/${file}.sql`), 'utf8');
}
