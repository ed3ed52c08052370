/** The options `--policy`, `--mapping` and `--set` -> the policy. */

import { existsSync } from 'node:fs';
import type { Command, OptionValues } from 'commander';
import type { Policy } from '../../policy/language.ts';
import type { Declarations } from '../../policy/read/parse.ts';
import type { PolicyAndCondition } from '../../policy/read/read-policy.ts';
import type { ParameterSettings } from '../../policy/read/values/parameters.ts';
import { type NoOptions, type OptionsOf, readPair } from '../options/arguments.ts';

/** The values that the user gave for parameters. */
type SetOption = OptionsOf<typeof addSet<[], NoOptions>>;

export interface PolicyFiles extends SetOption {
  readonly policy: string;
  /** Default: the shipped mapping. */
  readonly mapping?: string | undefined;
  /** The git revision whose files are read. Default: the files as they are. */
  readonly revision?: string | undefined;
}

/** Adds `--set`, which every command has that reads a policy. */
export function addSet<Args extends unknown[], Opts extends OptionValues>(command: Command<Args, Opts>) {
  return command.option('--set <name=value>', 'a value for a parameter of the policy; repeatable', readPair);
}

/** Adds `--policy`, `--mapping` and `--set`. */
export function addPolicyFiles<Args extends unknown[], Opts extends OptionValues>(command: Command<Args, Opts>) {
  return addSet(
    command
      .requiredOption('--policy <file>', 'the policy')
      .option('--mapping <file>', "the mapping with the policy's match results (default: the shipped one)"),
  );
}

/** The values as the reader of policies takes them: each is read as the kind of value that the policy declares. */
export function settingsOf({ set = {} }: SetOption): ParameterSettings {
  return Object.fromEntries(Object.entries(set).map(([name, text]) => [name, { text }]));
}

/** A file, or `main:rules/onboarding.yaml`: the file as it was in a git revision. A file of that name comes first. */
export function versionOf(text: string): Pick<PolicyFiles, 'policy' | 'revision'> {
  const [, revision, policy] = /^([^:]{2,}):(.+)$/s.exec(text) ?? [];
  if (revision === undefined || policy === undefined || existsSync(text)) return { policy: text };
  return { policy, revision };
}

/** Loads the readers only now, so that other commands start without them. */
export async function loadPolicyFiles({ policy, mapping, revision, ...given }: PolicyFiles): Promise<Policy> {
  const { loadPolicy } = await import('../../policy/read/parse.ts');
  const { loadMapping } = await import('../../facts/mapping/mapping.ts');
  const options = { mapping: loadMapping(mapping), parameters: settingsOf(given) };
  if (revision === undefined) return loadPolicy(policy, options);
  const { PolicyInGit } = await import('../../policy/read/files/policy-in-git.ts');
  const { loadPolicyIn } = await import('../../policy/read/read-policy.ts');
  const { RE2 } = await import('../../platform/formats/re2.ts');
  return loadPolicyIn(new PolicyInGit(policy, revision), { ...options, patterns: RE2 });
}

/** The same with a condition in the names of the policy, as YAML, which the user gave with an option. */
export async function loadPolicyAndCondition(
  { policy, mapping, revision, ...given }: PolicyFiles,
  option: string,
  text: string,
): Promise<PolicyAndCondition> {
  const { loadMapping } = await import('../../facts/mapping/mapping.ts');
  const { PolicyFolder } = await import('../../policy/read/files/folder.ts');
  const { PolicyInGit } = await import('../../policy/read/files/policy-in-git.ts');
  const reader = await import('../../policy/read/read-policy.ts');
  const { RE2 } = await import('../../platform/formats/re2.ts');
  const parts = revision === undefined ? new PolicyFolder(policy) : new PolicyInGit(policy, revision);
  const options = { mapping: loadMapping(mapping), parameters: settingsOf(given), patterns: RE2 };
  return reader.loadPolicyAndCondition(parts, options, { text, shown: option });
}

/** The same with the lists as they are declared. */
export async function loadPolicyWithLists({ policy, mapping, ...options }: PolicyFiles): Promise<Declarations> {
  const { loadDeclarations } = await import('../../policy/read/parse.ts');
  const { loadMapping } = await import('../../facts/mapping/mapping.ts');
  return loadDeclarations(policy, { mapping: loadMapping(mapping), parameters: settingsOf(options) });
}
