/** Options and environment -> a client of the verification service: the sandbox started on the spot, or the real one. */

import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { type Command, Option } from 'commander';
import { instantOfDay } from '../../facts/day.ts';
import type { VerifyClient } from '../../signals/client.ts';
import type { VerifyClientOptions } from '../../signals/options.ts';
import { CouldNotRunError, type Io, UsageError } from '../io.ts';

/** Where the service is to be found. */
export interface ServiceOptions {
  readonly sandbox?: boolean;
  readonly profile?: string;
  readonly config?: string;
  /** Not `env-file`, which Node takes for an option of its own wherever it stands. */
  readonly env?: string;
  readonly at?: string;
}

/** A client, and how to end it. */
export interface Connection {
  readonly client: VerifyClient;
  close(): Promise<void>;
}

/** Adds the options that say which service is asked, and as whom; `--at` is the command's own. */
export function addServiceOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--sandbox', 'ask a simulated service, started for this run').conflicts(['profile', 'config']),
    )
    .option('--profile <name>', 'ask as this profile of verdict.config.yaml')
    .option('--config <file>', 'the file of profiles (default: verdict.config.yaml in this folder)')
    .option('--env <file>', 'read VERDICT_BASE_URL and its like from this file too');
}

/** The environment variables of the real service. */
const VARIABLES = ['VERDICT_BASE_URL', 'VERDICT_ENVIRONMENT', 'VERDICT_USERNAME', 'VERDICT_PASSWORD'] as const;

/** The file of profiles that is looked for in the working directory. */
const CONFIG_FILE = 'verdict.config.yaml';

const HOW_TO_BEGIN = `there is no verification service to ask. Either
  add --sandbox, to ask a simulated one, or
  set ${VARIABLES.join(', ')}
  (in the environment, or in a file given with --env), to ask the real one, or
  write a file of profiles, ${CONFIG_FILE}, and name one of them with --profile.`;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Connects to the sandbox, to the service of a profile, or to the one that the environment names.
 *
 * @param clientOptions what the command line says of the client, before what a profile says
 */
export async function connect(
  options: ServiceOptions,
  io: Io,
  clientOptions: Partial<VerifyClientOptions> = {},
): Promise<Connection> {
  const { createVerifyClient } = await import('../../signals/client.ts');
  const { settings, close } = options.sandbox ? await startService(options.at) : await findService(options, io);
  const client = createVerifyClient({ ...settings, ...clientOptions });
  return {
    client,
    close: async () => {
      client.close();
      await close();
    },
  };
}

/** What a client needs, and how to end the service if it is ours. */
interface Service {
  readonly settings: VerifyClientOptions;
  readonly close: () => Promise<void>;
}

async function startService(at: string | undefined): Promise<Service> {
  const { SANDBOX_USERS, startSandbox } = await import('../../sandbox/index.ts');
  const service = await startSandbox(at === undefined ? {} : { now: () => instantOfDay(at) });
  const { username, password } = SANDBOX_USERS[0] ?? { username: '', password: '' };
  const settings = { baseUrl: service.url, environment: 'sandbox', username, password } as const;
  return { settings, close: () => service.close() };
}

/**
 * The profile that is asked for; else the service that the environment names; else the default profile of the working
 * directory, so that what was set for one run alone goes before what lies there for all.
 */
async function findService({ profile, config, env: envFile }: ServiceOptions, io: Io): Promise<Service> {
  const file = envFile === undefined ? {} : readEnvFile(envFile);
  const env = { ...file, ...Object.fromEntries(Object.entries(io.env).filter(([, value]) => value)) };
  const isProfile = profile !== undefined || config !== undefined || (!isAnySet(env) && hasConfigFile());
  const settings = isProfile ? await readProfile(profile, config, env) : readVariables(env);
  return { settings, close: async () => {} };
}

/** Set and forgotten, one of them must not lead to another account than the one that was meant. */
function isAnySet(env: Environment): boolean {
  return VARIABLES.some((name) => env[name]);
}

function hasConfigFile(): boolean {
  return existsSync(resolve(CONFIG_FILE));
}

async function readProfile(
  profile: string | undefined,
  file: string | undefined,
  env: Environment,
): Promise<VerifyClientOptions> {
  const { clientOptionsOf, findProfile, readConfig } = await import('./config.ts');
  if (file === undefined && !hasConfigFile()) {
    throw new UsageError(`there is no ${CONFIG_FILE} in this folder; name the file of profiles with --config`);
  }
  return clientOptionsOf(findProfile(readConfig(file ?? CONFIG_FILE), profile), env);
}

function readVariables(env: Environment): VerifyClientOptions {
  const missing = VARIABLES.filter((name) => !env[name]);
  if (missing.length === VARIABLES.length) throw new UsageError(HOW_TO_BEGIN);
  if (missing.length > 0) throw new UsageError(`${missing.join(', ')} ${missing.length > 1 ? 'are' : 'is'} not set`);
  const [baseUrl = '', environment = '', username = '', password = ''] = VARIABLES.map((name) => env[name]);
  if (environment !== 'sandbox' && environment !== 'production') {
    throw new UsageError('VERDICT_ENVIRONMENT has to be sandbox or production');
  }
  return { baseUrl, environment, username, password };
}

function readEnvFile(file: string): Environment {
  try {
    return parseEnv(readFileSync(file, 'utf8'));
  } catch {
    throw new CouldNotRunError(`${file} cannot be read`);
  }
}
