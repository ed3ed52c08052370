/** The configuration and the environment -> where the log, the state and the counts are, with their secrets. */

import { readFileSync } from 'node:fs';
import type { LogPlace } from '../../audit/place.ts';
import { VerdictError } from '../../errors.ts';
import { velocitiesIn } from '../../facts/velocity.ts';
import { type Policy, policyFacts } from '../../policy/language.ts';
import type { StatePlace } from '../../stores/state/state.ts';
import type { VelocityStoreOptions } from '../../stores/velocity/velocity.ts';
import type { People, ServeConfig } from '../config.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Looks up the variables of the log. Throws CONFIGURATION_INVALID if one is not set. */
export function findLogPlace({ audit }: ServeConfig, env: Environment): LogPlace | undefined {
  if (!audit) return undefined;
  if (!('postgresVariable' in audit)) {
    const { mode: _, ...place } = audit;
    return place;
  }
  const url = (name: string) => readVariable(name, 'the URL of PostgreSQL', env);
  const { postgresVariable, keys } = audit;
  if (typeof keys === 'string') return { postgres: url(postgresVariable), keys };
  const { masterKeyVariable = '', masterKeyFile, postgresVariable: ofKeys } = keys;
  const masterKey = masterKeyFile
    ? readMasterKey(masterKeyFile)
    : readVariable(masterKeyVariable, 'the master key', env);
  return { postgres: url(postgresVariable), keys: { masterKey, ...(ofKeys ? { postgres: url(ofKeys) } : {}) } };
}

function readMasterKey(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    throw new VerdictError('CONFIGURATION_INVALID', 'the file of the master key cannot be read');
  }
}

/** Looks up the variables of the state. Throws CONFIGURATION_INVALID if one is not set. */
export function findStatePlace(state: ServeConfig['state'], env: Environment): StatePlace {
  if ('dir' in state) return state;
  return {
    postgres: readVariable(state.postgresVariable, 'the URL of PostgreSQL', env),
    key: readVariable(state.keyVariable, 'the key of the state, 64 hex digits', env),
    connections: state.connections,
  };
}

/** The store of velocity; undefined without one. Throws CONFIGURATION_INVALID if its variable is not set. */
export function findVelocityPlace(config: ServeConfig, env: Environment): VelocityStoreOptions | undefined {
  const { velocity } = config;
  if (!velocity) return undefined;
  const { sqlite, postgresVariable, redisVariable, keyFile, connections } = velocity;
  const log = findLogPlace(config, env);
  const key = keyFile ? { keyFile } : log ? { keys: log } : {};
  if (sqlite !== undefined) return { sqlite, ...key };
  if (redisVariable !== undefined) return { redis: readVariable(redisVariable, 'the URL of Redis', env), ...key };
  const postgres = readVariable(postgresVariable ?? '', 'the URL of PostgreSQL', env);
  return { postgres, ...key, ...(connections === undefined ? {} : { connections }) };
}

/** A sentence for each policy that counts what the configuration has no place for: it would review everybody. */
export function missingStores({ velocity, audit }: ServeConfig, policies: readonly Policy[]): readonly string[] {
  return policies.flatMap((policy) => {
    const counted = [...velocitiesIn(policy.facts)].filter(([path]) => policyFacts(policy).has(path));
    const [first] = counted.map(([path]) => path);
    if (first === undefined) return [];
    if (!velocity)
      return `policy "${policy.name}" reads ${first}, and there is no \`velocity\`: add \`${VELOCITY_EXAMPLE}\``;
    const said = counted.find(([, { where }]) => where?.key === 'disposition')?.[0];
    if (audit || said === undefined) return [];
    return `policy "${policy.name}" reads ${said}, which counts what people say on record, and there is no \`audit\``;
  });
}

const VELOCITY_EXAMPLE = 'velocity: { sqlite: state/velocity.sqlite }';

/** Looks up the secret of the client. Throws CONFIGURATION_INVALID if its variable is not set. */
export function findClientSecret({ clientSecretVariable }: People, env: Environment): string {
  return readVariable(clientSecretVariable, 'the secret of the client at the issuer', env);
}

/** The value of a variable that serve.yaml names. Throws CONFIGURATION_INVALID if it is not set. */
export function readVariable(name: string, content: string, env: Environment): string {
  const value = env[name];
  if (value) return value;
  throw new VerdictError('CONFIGURATION_INVALID', `${name} is not set: serve.yaml names it for ${content}`);
}
