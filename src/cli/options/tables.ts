/** The tables of an area in PostgreSQL -> made, brought up to date, or shown. */

import type { Command, OptionValues } from 'commander';
import type { Connections } from '../../platform/homes/connections.ts';
import type { Area } from '../../platform/homes/migrations.ts';
import { CouldNotRunError, EXIT, type Io, UsageError, write } from '../io.ts';
import { endWith } from '../result.ts';
import { addJson, type NoOptions, type OptionsOf } from './arguments.ts';

const POSTGRES = 'postgres:';

/** Whether an argument names a database and not a folder. */
export function isDatabase(text: string): boolean {
  return text.startsWith(POSTGRES);
}

/** The URL in the variable that `postgres:NAME` names. */
export function postgresOf(text: string, { env }: Pick<Io, 'env'>): string {
  const name = isDatabase(text) ? text.slice(POSTGRES.length) : '';
  // A URL would show its password to everyone on this machine.
  if (!/^\w+$/.test(name)) throw new UsageError('expected postgres:NAME, the variable that has the URL of PostgreSQL');
  const url = env[name];
  if (!url) throw new UsageError(`${name} is not set, expected the URL of PostgreSQL`);
  return url;
}

/** Adds `--sql` and the format of the output. */
export function addTables<Args extends unknown[], Opts extends OptionValues>(command: Command<Args, Opts>) {
  return addJson(command).option('--sql', 'print the SQL for psql, and change nothing');
}

/** Makes the tables of an area; with `migrates`, brings those up to date that are there. */
export async function changeTables(
  { url, area, migrates }: { readonly url: string; readonly area: Area; readonly migrates: boolean },
  options: OptionsOf<typeof addTables<[], NoOptions>>,
  io: Io,
): Promise<void> {
  const { migrate, problemOfLevel, readLevel, scriptOf } = await import('../../platform/homes/migrations.ts');
  await withDatabase(url, area, async (connections) => {
    const level = await readLevel(connections.query, area);
    const problem = problemOfLevel(area, migrates || level.isNew ? { ...level, missing: [] } : level);
    if (problem !== undefined) throw new CouldNotRunError(problem);
    if (options.sql) return write(io.stdout, scriptOf(area, level.missing));
    const run = await migrate(connections, area);
    const text = () => `the tables of the ${area.name} are up to date; run now: ${run.join(', ') || 'none'}\n`;
    return endWith(io, options, { data: () => ({ run }), text });
  });
}

/** Shows what was run and what is missing, which is found: exit code 1. */
export async function showTables(
  { url, area }: { readonly url: string; readonly area: Area },
  options: OptionsOf<typeof addJson<[], NoOptions>>,
  io: Io,
): Promise<void> {
  const { problemOfLevel, readLevel } = await import('../../platform/homes/migrations.ts');
  const level = await withDatabase(url, area, ({ query }) => readLevel(query, area));
  const problem = problemOfLevel(area, level) ?? null;
  const at = level.numbers.at(-1) ?? 0;
  const text = () => `${area.name}: migration ${at} of ${area.files.length}\n${problem === null ? '' : `${problem}\n`}`;
  const { missing, least } = level;
  const data = () => ({ area: area.name, at, missing, least, problem });
  await endWith(io, options, { data, text, exitCode: problem === null ? EXIT.done : EXIT.found });
}

async function withDatabase<Result>(url: string, area: Area, use: (connections: Connections) => Promise<Result>) {
  const { openConnections, toMendInPostgres } = await import('../../platform/homes/connections.ts');
  const what = `the ${area.name}`;
  const toMend = toMendInPostgres(what);
  const failed = (code: string) =>
    new CouldNotRunError(toMend[code] ?? `the tables of ${what} cannot be used (${code})`);
  const connections = await openConnections(url, { limitMs: LIMIT_MS, what: area.name, most: 1 }, failed);
  try {
    return await use(connections);
  } finally {
    await connections.end();
  }
}

/** How long to wait for the server. */
const LIMIT_MS = 10_000;
