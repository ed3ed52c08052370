/** Options and environment -> a client of the verification service: the sandbox started on the spot, or the real one. */

import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { instantOfDay } from '../facts/day.ts';
import { createVerifyClient, type VerifyClient } from '../signals/client.ts';
import { CouldNotRunError, type Io, UsageError } from './io.ts';

/** Where the service is to be found. */
export interface ServiceOptions {
  readonly sandbox?: boolean;
  readonly envFile?: string;
  readonly at?: string;
}

/** A client, and how to end it. */
export interface Connection {
  readonly client: VerifyClient;
  close(): Promise<void>;
}

/** The environment variables of the real service. */
const VARIABLES = ['VERDICT_BASE_URL', 'VERDICT_ENVIRONMENT', 'VERDICT_USERNAME', 'VERDICT_PASSWORD'] as const;

const HOW_TO_BEGIN = `there is no verification service to ask. Either
  add --sandbox, to ask a simulated one, or
  set ${VARIABLES.join(', ')}
  (in the environment, or in a file given with --env-file), to ask the real one.`;

/** Connects to the sandbox, or to the service that the environment names. */
export async function connect({ sandbox, envFile, at }: ServiceOptions, io: Io): Promise<Connection> {
  if (sandbox) return connectToSandbox(at);
  const file = envFile === undefined ? {} : readEnvFile(envFile);
  const settings = VARIABLES.map((name) => io.env[name] || file[name]);
  const missing = VARIABLES.filter((_, i) => !settings[i]);
  if (missing.length === VARIABLES.length) throw new UsageError(HOW_TO_BEGIN);
  if (missing.length > 0) throw new UsageError(`${missing.join(', ')} ${missing.length > 1 ? 'are' : 'is'} not set`);
  const [baseUrl = '', environment = '', username = '', password = ''] = settings;
  if (environment !== 'sandbox' && environment !== 'production') {
    throw new UsageError('VERDICT_ENVIRONMENT has to be sandbox or production');
  }
  const client = createVerifyClient({ baseUrl, environment, username, password });
  return { client, close: async () => client.close() };
}

async function connectToSandbox(at: string | undefined): Promise<Connection> {
  const { SANDBOX_USERS, startSandbox } = await import('../sandbox/index.ts');
  const service = await startSandbox(at === undefined ? {} : { now: () => instantOfDay(at) });
  const { username, password } = SANDBOX_USERS[0] ?? { username: '', password: '' };
  const client = createVerifyClient({ baseUrl: service.url, environment: 'sandbox', username, password });
  return {
    client,
    close: async () => {
      client.close();
      await service.close();
    },
  };
}

function readEnvFile(file: string): NodeJS.Dict<string> {
  try {
    return parseEnv(readFileSync(file, 'utf8'));
  } catch {
    throw new CouldNotRunError(`${file} cannot be read`);
  }
}
