/** Options and environment -> a client of the verification service: a sandbox started for the run, or the real one. */

import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { type Command, Option, type OptionValues } from 'commander';
import { CLEAR_TEXT_PROBLEM, isClearText, type VerifyClientOptions } from '../../signals/options.ts';
import { CouldNotRunError, type Io, UsageError } from '../io.ts';
import type { NoOptions, OptionsOf } from './arguments.ts';
import { type CertificateFiles, readCertificates } from './connection.ts';

/** The options for the service and the account, and the `--at` that the command adds itself. */
type ServiceOptions = OptionsOf<typeof addServiceOptions<[], NoOptions>> & { readonly at?: string };

/** Adds the options for the service and the account. */
export function addServiceOptions<Args extends unknown[], Opts extends OptionValues>(command: Command<Args, Opts>) {
  return (
    command
      .optionsGroup('Service:')
      .addOption(
        new Option('--sandbox', 'ask a simulated service, started for this run').conflicts(['profile', 'config']),
      )
      .option('--profile <name>', 'use this profile of verdict.config.yaml')
      .option('--config <file>', 'the file of profiles (default: verdict.config.yaml in this folder)')
      // Not `--env-file`, which Node takes for its own option in any position.
      .option('--env <file>', 'read VERDICT_BASE_URL and the other variables from this file too')
      .optionsGroup('Options:')
  );
}

const VARIABLES = ['VERDICT_BASE_URL', 'VERDICT_ENVIRONMENT', 'VERDICT_USERNAME', 'VERDICT_PASSWORD'] as const;

/** Of the network, so for every account. */
const PROXY_VARIABLE = 'VERDICT_PROXY';

/** The authority is of the network, too; the certificate and its key are of the account of `VARIABLES`. */
const CERTIFICATE_VARIABLES = {
  caFile: 'VERDICT_CA_FILE',
  certFile: 'VERDICT_CERT_FILE',
  keyFile: 'VERDICT_KEY_FILE',
  passphrase: 'VERDICT_KEY_PASSPHRASE',
} as const satisfies Record<keyof CertificateFiles, string>;

/** The file of profiles. */
export const CONFIG_FILE = 'verdict.config.yaml';

/** How a command takes its service: the option for a simulated one, and what names a profile. */
const OPTIONS = { simulated: '--sandbox', profile: '--profile' };

const howToBegin = ({ simulated, profile }: typeof OPTIONS) => `no verification service is configured. Either
  add ${simulated}, to ask a simulated one, or
  set ${VARIABLES.join(', ')}
  (in the environment, or in a file given with --env), to ask the real one, or
  write a file of profiles, ${CONFIG_FILE}, and name one of them with ${profile}.`;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Connects to the sandbox, to the service of a profile, or to the one that the environment names.
 *
 * @param clientOptions client options of the command line, which override those of a profile
 */
export async function connect(options: ServiceOptions, io: Io, clientOptions: Partial<VerifyClientOptions> = {}) {
  const { createVerifyClient } = await import('../../signals/client.ts');
  const { settings, close } = options.sandbox ? await startService(options.at) : await findService(options, io);
  const client = createVerifyClient({ ...settings, ...clientOptions });
  return {
    client,
    close: async () => {
      await client.close();
      await close();
    },
  };
}

/** The settings of a client, and how to end a service that was started for it. */
interface Service {
  readonly settings: VerifyClientOptions;
  /** The variables that were looked at. */
  readonly env: Environment;
  readonly close: () => Promise<void>;
}

/** Starts a simulated service. */
export async function startService(at: string | undefined): Promise<Service> {
  const { SANDBOX_USERS, startSandbox } = await import('../../sandbox/index.ts');
  const service = await startSandbox(at === undefined ? {} : { now: () => Date.parse(at) });
  const { username, password } = SANDBOX_USERS[0] ?? { username: '', password: '' };
  const settings = { baseUrl: service.url, environment: 'sandbox', username, password } as const;
  return { settings, env: {}, close: () => service.close() };
}

/**
 * The profile of the options; else the service of the environment; else the default profile of the working directory.
 * Settings of one run override settings of the folder.
 */
export async function findService(
  { profile, config, env: envFile }: Pick<ServiceOptions, 'profile' | 'config' | 'env'>,
  io: Io,
  named = OPTIONS,
): Promise<Service> {
  const file = envFile === undefined ? {} : readEnvFile(envFile);
  const env = { ...file, ...Object.fromEntries(Object.entries(io.env).filter(([, value]) => value)) };
  // A single forgotten variable must not select another account, so any of them counts.
  const isAnySet = [...VARIABLES, CERTIFICATE_VARIABLES.certFile].some((name) => env[name]);
  const isProfile = profile !== undefined || config !== undefined || (!isAnySet && hasConfigFile());
  const account = isProfile ? await readProfile(profile, config, env) : readVariables(env, named);
  const settings = { ...readNetwork(env), ...account };
  return { settings, env, close: async () => {} };
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
    throw new UsageError(`no ${CONFIG_FILE} in this folder: name the file of profiles with --config`);
  }
  return clientOptionsOf(findProfile(readConfig(file ?? CONFIG_FILE), profile), env);
}

function readVariables(env: Environment, named: typeof OPTIONS): VerifyClientOptions {
  const missing = VARIABLES.filter((name) => !env[name]);
  if (missing.length === VARIABLES.length) throw new UsageError(howToBegin(named));
  if (missing.length > 0) throw new UsageError(`${missing.join(', ')} ${missing.length > 1 ? 'are' : 'is'} not set`);
  const [baseUrl = '', environment = '', username = '', password = ''] = VARIABLES.map((name) => env[name]);
  if (environment !== 'sandbox' && environment !== 'production') {
    throw new UsageError('VERDICT_ENVIRONMENT is neither sandbox nor production');
  }
  if (isClearText(baseUrl)) {
    const how = `use https, or a profile of ${CONFIG_FILE} with allowClearText: true`;
    throw new UsageError(`VERDICT_BASE_URL ${CLEAR_TEXT_PROBLEM}: ${how}`);
  }
  const { certFile, keyFile, passphrase } = readNames(env);
  const certificates = readCertificates({ certFile, keyFile, passphrase }, (name) => CERTIFICATE_VARIABLES[name]);
  return { baseUrl, environment, username, password, ...certificates };
}

/** What the network asks of every client: an account may have its own. */
function readNetwork(env: Environment): Pick<VerifyClientOptions, 'proxy' | 'ca'> {
  const { [PROXY_VARIABLE]: proxy } = env;
  const { caFile } = readNames(env);
  return { ...(proxy ? { proxy } : {}), ...readCertificates({ caFile }, (name) => CERTIFICATE_VARIABLES[name]) };
}

function readNames(env: Environment): CertificateFiles {
  const { caFile, certFile, keyFile, passphrase } = CERTIFICATE_VARIABLES;
  return { caFile: env[caFile], certFile: env[certFile], keyFile: env[keyFile], passphrase: env[passphrase] };
}

function readEnvFile(file: string): Environment {
  try {
    return parseEnv(readFileSync(file, 'utf8'));
  } catch {
    throw new CouldNotRunError(`${file} cannot be read`);
  }
}
