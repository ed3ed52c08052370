/** verdict.config.yaml -> profiles: how an account reaches the service, and the variables of its secrets. */

import { dirname, resolve } from 'node:path';
import {
  DIAGNOSTIC_CODES,
  type Diagnostic,
  type DiagnosticCode,
  formatDiagnostic,
  listProblems,
  sortDiagnostics,
} from '../../diagnostics.ts';
import { VerdictError } from '../../errors.ts';
import { reportAt } from '../../platform/files/source.ts';
import { readSource } from '../../platform/files/source-file.ts';
import { parseYaml, toData, type Yaml } from '../../platform/yaml.ts';
import { type Fields, readFields, readMap } from '../../platform/yaml-fields.ts';
import { CLIENT_DEFAULTS, type VerifyClientOptions } from '../../signals/options.ts';
import { readOptions } from '../../signals/read-options.ts';
import { didYouMean } from '../../text.ts';
import { CouldNotRunError, UsageError } from '../io.ts';
import { type CertificateFiles, readCertificates } from './connection.ts';

/** One account of the service. A child account has its own user name and password, and so its own profile. */
export interface Profile {
  readonly options: Omit<VerifyClientOptions, 'username' | 'password'>;
  readonly username: Variable;
  readonly password: Variable;
  readonly files: Pick<CertificateFiles, 'caFile' | 'certFile' | 'keyFile'>;
  /** Of the key. */
  readonly passphrase: Variable | undefined;
}

/** An environment variable, and the node of the file that names it. */
interface Variable {
  readonly name: string;
  readonly node: Yaml;
}

export interface Config {
  readonly file: string;
  readonly profiles: ReadonlyMap<string, Profile>;
  readonly default: string | undefined;
}

/** The client options that a profile may set: every number and switch. */
const TUNING_KEYS = [
  // The two that have no default.
  'maxPerSecond',
  'maxCallsPerDay',
  ...Object.entries(CLIENT_DEFAULTS).flatMap(([name, value]) =>
    typeof value === 'number' || typeof value === 'boolean' ? [name] : [],
  ),
];

/** The keys of files, relative to the file of profiles. */
const FILE_KEYS = ['caFile', 'certFile', 'keyFile'] as const;

const PROFILE_KEYS = {
  required: ['baseUrl', 'environment', 'usernameVariable', 'passwordVariable'],
  optional: [
    ...['tokenPath', 'requestIdHeader', 'requestIdPath', 'proxy', 'passphraseVariable'],
    ...FILE_KEYS,
    ...TUNING_KEYS,
  ],
};

/** Reads a file of profiles. Throws `CouldNotRunError` with all problems of the file, which never repeat a value. */
export function readConfig(file: string): Config {
  const diagnostics: Diagnostic[] = [];
  const source = readSource(file, file, diagnostics);
  const root = source && parseYaml(source);
  for (const [i, diagnostic] of diagnostics.entries()) {
    const { hint: _, ...shown } = diagnostic;
    const { code } = diagnostic;
    if (QUOTING.includes(code)) diagnostics[i] = { ...shown, message: DIAGNOSTIC_CODES[code] };
  }
  const config = root && readRoot(root, file);
  if (config && diagnostics.length === 0) return config;
  throw new CouldNotRunError(`the profiles cannot be read:\n${show(diagnostics)}`);
}

/** The profile with that name, or the default profile. Throws `UsageError`. */
export function findProfile({ file, profiles, default: fallback }: Config, name = fallback): Profile {
  const names = `its profiles are ${[...profiles.keys()].join(', ')}`;
  if (name === undefined) throw new UsageError(`${file} has no default profile: choose one with --profile (${names})`);
  const profile = profiles.get(name);
  if (profile) return profile;
  throw new UsageError(`${file} has no profile with that name (${didYouMean(name, profiles.keys()).hint ?? names})`);
}

/** The client options of a profile, with its secrets. Throws `UsageError` if a variable is not set. */
export function clientOptionsOf(
  { options, username, password, files, passphrase }: Profile,
  env: Readonly<Record<string, string | undefined>>,
): VerifyClientOptions {
  const lookUp = ({ name }: Variable) => (Object.hasOwn(env, name) ? env[name] : undefined) ?? '';
  const unset = [username, password, passphrase].filter((variable) => variable && lookUp(variable) === '');
  if (unset.length === 0) {
    const secret = passphrase && lookUp(passphrase);
    const certificates = readCertificates({ ...files, passphrase: secret }, (name) => `${name} of the profile`);
    return { ...options, ...certificates, username: lookUp(username), password: lookUp(password) };
  }
  // Reported without its name, which may be a password in capitals.
  const nodes = unset.flatMap((variable) => (variable ? [variable.node] : []));
  for (const node of nodes) reportAt(node, 'wrong-value', 'the environment variable named here is not set');
  const found = nodes.flatMap(({ source }) => source.diagnostics.splice(0));
  throw new UsageError(`the profile cannot be used:\n${show(found)}`);
}

/** Without the source lines, names and numbers: any of them may be a misplaced password. */
function show(diagnostics: readonly Diagnostic[]): string {
  const shown = diagnostics.map(({ line: _, message, ...diagnostic }) => {
    const withoutNumber = message.replace(/^found the (number|boolean) \S+;/, 'found a $1;');
    return { ...diagnostic, message: withoutNumber.replace(/^"[\s\S]*" is not a key of/, 'this is not a key of') };
  });
  return listProblems(sortDiagnostics(shown, []), formatDiagnostic).join('\n');
}

/** Messages and hints with these codes may quote a value. */
const QUOTING: readonly DiagnosticCode[] = ['yaml-syntax', 'wrong-type', 'duplicate-key'];

function readRoot(root: Yaml, file: string): Config | undefined {
  const fields = readFields(root, 'a file of profiles', { required: ['profiles'], optional: ['default'] });
  const entries = fields?.get('profiles');
  const map = entries && readMap(entries.value, '`profiles`');
  if (!map) return undefined;
  const profiles = new Map<string, Profile>();
  for (const [name, { value }] of map.entries) {
    const profile = readProfile(value, dirname(file));
    if (profile) profiles.set(name, profile);
  }
  const node = fields?.get('default')?.value;
  const name = node && textOf(node);
  if (node && (name === undefined || !map.entries.has(name))) {
    // Without the names of the profiles: one of them may be a misplaced secret.
    reportAt(node, 'wrong-value', '`default` is not a profile of this file');
  }
  return { file, profiles, default: name };
}

/** INVARIANT: every problem of a profile is reported, and a file with a problem is not used. */
function readProfile(node: Yaml, folder: string): Profile | undefined {
  const fields = readFields(node, 'a profile', PROFILE_KEYS);
  if (!fields) return undefined;
  const username = readVariable(fields, 'usernameVariable');
  const password = readVariable(fields, 'passwordVariable');
  const passphrase = readVariable(fields, 'passphraseVariable');
  const files: Partial<Record<(typeof FILE_KEYS)[number], string>> = {};
  const options: Record<string, unknown> = {};
  for (const [key, { value }] of fields) {
    if (key.endsWith('Variable')) continue;
    const fileKey = FILE_KEYS.find((name) => name === key);
    if (fileKey !== undefined) {
      const path = textOf(value);
      if (path) files[fileKey] = resolve(folder, path);
      else reportAt(value, 'wrong-value', `${key} has to be the path of a file in PEM`);
      continue;
    }
    options[key] = toData(value);
    const allowClearText = fields.get('allowClearText')?.value;
    const problem = problemOf(key, options[key], allowClearText && toData(allowClearText));
    if (problem !== undefined) reportAt(value, 'wrong-value', problem);
  }
  if (!username || !password) return undefined;
  return { options: options as unknown as Profile['options'], username, password, files, passphrase };
}

/** The problem of one option by the client's own schema, which never repeats a value. */
function problemOf(key: string, value: unknown, allowClearText: unknown): string | undefined {
  const valid = {
    baseUrl: 'https://localhost',
    environment: 'sandbox',
    username: '-',
    password: '-',
    allowClearText: allowClearText === true,
  } as const;
  try {
    const { proxy } = readOptions({ ...valid, [key]: value });
    const hasLogin =
      key === 'proxy' && value !== 'environment' && proxy !== undefined && proxy.username + proxy.password !== '';
    return hasLogin ? 'proxy must not have a user name or password here: set VERDICT_PROXY instead' : undefined;
  } catch (error) {
    if (!(error instanceof VerdictError)) throw error;
    return error.message.slice(error.message.indexOf(': ') + 2);
  }
}

/** Capitals only: the usual form of environment variables, and hardly that of a password. */
const VARIABLE_NAME = /^[A-Z][A-Z0-9_]*$/;

function readVariable(fields: Fields, key: string): Variable | undefined {
  const node = fields.get(key)?.value;
  if (!node) return undefined;
  const name = textOf(node);
  if (name !== undefined && VARIABLE_NAME.test(name)) return { name, node };
  const hint = 'use capitals, digits and _, such as VERDICT_PASSWORD; the secret itself stays in the environment';
  reportAt(node, 'malformed', `"${key}" is not the name of an environment variable`, { hint });
  return undefined;
}

function textOf(node: Yaml): string | undefined {
  return node.kind === 'scalar' && typeof node.value === 'string' ? node.value : undefined;
}
