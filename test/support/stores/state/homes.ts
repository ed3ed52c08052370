/** The homes that the state may have, each for the same tests. */

import { scriptOf } from '../../../../src/platform/homes/migrations.ts';
import type { StatePlace } from '../../../../src/stores/state/state.ts';
import { STATE_TABLES } from '../../../../src/stores/state/state-postgres.ts';
import { HAS_POSTGRES, KEY, type PostgresServer } from './postgres.ts';
import { newState, sql } from './processes.ts';

export interface StateHome {
  readonly title: string;
  readonly isThere: boolean;
  /** A new place. */
  readonly newPlace: () => Promise<StatePlace>;
  /** What a statement changes in the tables, as time does, or finds there. */
  readonly query: (at: StatePlace, statement: string) => Promise<readonly unknown[]>;
}

export function stateHomes(server: PostgresServer): readonly StateHome[] {
  const query: StateHome['query'] = async (at, statement) =>
    'dir' in at ? sql(at.dir, statement) : server.sql(at.postgres, statement);
  const newSchema = async () => {
    const url = await server.newSchema();
    // Without the commands of psql.
    await server.sql(url, scriptOf(STATE_TABLES, STATE_TABLES.files).replace(/^\\.*$/gm, ''));
    return { postgres: await server.clerk(url), key: KEY };
  };
  return [
    { title: 'SQLite', isThere: true, newPlace: async () => ({ dir: newState() }), query },
    {
      title:
        'PostgreSQL, as a user who may read and write rows and no more (skipped where postgresql is not installed)',
      ...{ isThere: HAS_POSTGRES, newPlace: newSchema, query },
    },
  ];
}
