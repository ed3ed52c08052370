/** The optional package DuckDB, loaded on demand -> a connection to a database in memory. */

import { VerdictError } from '../../errors.ts';

/** An embedded database in memory. */
export type DuckDb = Awaited<ReturnType<typeof openDuckDb>>;

/** The version that the tests compare with the other runners; another one may read a pattern differently. */
const VERSION = '1.5';

/** How to add the package, for messages. A test holds the version to the one that is tested. */
export const HOW_TO_INSTALL = 'npm install @duckdb/node-api@1.5.5-r.5';

/** Writes nothing to the disk unasked, downloads nothing, and keeps nothing of the files. Days are those of UTC. */
const SETTINGS = [
  `SET temp_directory = ''`,
  'SET autoinstall_known_extensions = false',
  'SET autoload_known_extensions = false',
  'SET enable_external_file_cache = false',
  `SET TimeZone = 'UTC'`,
];

/** Opens a database; throws CONFIGURATION_INVALID, with how to install the package, if it or its version is missing. */
export async function openDuckDb() {
  const duckdb = await import(/* webpackIgnore: true */ '@duckdb/node-api').catch((cause: unknown) => {
    const message = `DuckDB, an optional package, is not installed. This needs it: ${HOW_TO_INSTALL}`;
    throw new VerdictError('CONFIGURATION_INVALID', message, { cause });
  });
  const installed = duckdb.version().replace(/^v/, '');
  if (!installed.startsWith(`${VERSION}.`)) {
    const message = `DuckDB ${installed} is installed; ${VERSION} was expected: ${HOW_TO_INSTALL}`;
    throw new VerdictError('CONFIGURATION_INVALID', message);
  }
  const instance = await duckdb.DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  for (const setting of SETTINGS) await connection.run(setting);
  return {
    package: duckdb,
    connection,
    close: () => {
      connection.closeSync();
      instance.closeSync();
    },
  };
}
