/** One file of a policy -> warnings about it alone: a rule set without its policies, a version that did not change. */

import { join, relative, resolve } from 'node:path';
import type { Diagnostic, DiagnosticCode } from '../../diagnostics.ts';
import type { FactTable } from '../../facts/catalog.ts';
import { treeOfData } from '../../platform/data-tree.ts';
import { projectOf } from '../../platform/files/project.ts';
import { WORLD } from '../../platform/formats/geo/world.ts';
import { RE2 } from '../../platform/formats/re2.ts';
import type { Yaml } from '../../platform/yaml.ts';
import type { Policy } from '../language.ts';
import { PolicyFolder } from '../read/files/folder.ts';
import { PolicyInGit } from '../read/files/policy-in-git.ts';
import { type LoadingOptions, readParts } from '../read/read-policy.ts';
import { checkParts } from './check.ts';

/** Warnings that hold whatever else a policy says. */
const CERTAIN: readonly DiagnosticCode[] = [
  ...(['empty-list', 'hidden-character', 'typographic-quotes', 'mixed-scripts', 'notice-reveals'] as const),
];

/** Warnings that also hold if no parameter is involved: a policy may override its value. */
const OF_VALUES: readonly DiagnosticCode[] = [
  'no-such-number',
  'never-true',
  'always-true',
  'never-fires',
  'same-condition',
];

/**
 * Reads it as the only part of a policy. What a policy declares elsewhere, such as facts of its own, counts as
 * declared, and what asks for it is not checked: one more warning lists these names.
 */
export function checkAlone(path: string, facts: FactTable): readonly Diagnostic[] {
  const { policy, assumed, problems } = checkParts(new LoneRuleSet(path), {
    mapping: { facts },
    geodata: WORLD,
    patterns: RE2,
  });
  const knownCodes = policy?.parameters.size === 0 ? [...CERTAIN, ...OF_VALUES] : CERTAIN;
  const message = 'no policy includes this rule set: its rules have no effect, and are checked by themselves';
  const left = `; it was not checked where it uses names that it does not declare: ${assumed.join(', ')}`;
  return [
    ...problems().diagnostics.filter(({ severity, code }) => severity === 'error' || knownCodes.includes(code)),
    {
      code: 'unused-file',
      severity: 'warning',
      message: assumed.length === 0 ? message : `${message}${left}`,
      file: path,
      hint: 'add it to the `ruleSets` of a policy',
    },
  ];
}

/** The files of a policy that has nothing but one rule set. */
class LoneRuleSet extends PolicyFolder {
  readonly isPart = true;
  readonly #ruleSet: string;

  constructor(ruleSet: string) {
    // In the project's folder, since a rule set may name files outside its own folder.
    const project = projectOf(ruleSet);
    super(join(project, 'policy'));
    this.#ruleSet = relative(resolve(project), resolve(ruleSet));
  }

  override readRoot(): Yaml | undefined {
    const data = { policy: 'policy', version: '1', default: 'review', ruleSets: [this.#ruleSet] };
    return treeOfData(data, this.root.shown, this.diagnostics);
  }
}

/**
 * Compares the digests, which cover rule sets, lists and tables in CSV, and no comments. Undefined if the policy was
 * not there, did not load, or had another name or version. Throws as `PolicyInGit` does.
 */
export function versionUnchanged(
  path: string,
  policy: Policy,
  since: string,
  options: LoadingOptions,
): Diagnostic | undefined {
  const before = readParts(new PolicyInGit(path, since), options);
  const old = before.policy;
  if (old?.name !== policy.name || old.version !== policy.version || old.digest === policy.digest) return undefined;
  const message = `the policy has changed since that revision, and its version is still "${policy.version}"`;
  const hint = 'raise `version`: decisions on record name it';
  return { code: 'version-unchanged', severity: 'warning', message, hint, file: path, ...placeOfVersion(path) };
}

/** Where the policy says its version. */
function placeOfVersion(path: string): Pick<Diagnostic, 'position' | 'line'> {
  const root = new PolicyFolder(path).readRoot();
  const value = root?.kind === 'map' ? root.entries.get('version')?.value : undefined;
  if (!value) return {};
  const { position, line } = value.source.placeOf(value.start, value.end);
  return { position, line };
}
