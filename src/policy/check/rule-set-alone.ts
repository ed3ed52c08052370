/** A rule set that no policy includes -> its problems, as far as they can be known without a policy. */

import { join, relative, resolve } from 'node:path';
import type { Diagnostic, DiagnosticCode } from '../../diagnostics.ts';
import type { FactTable } from '../../facts/catalog.ts';
import { WORLD } from '../../formats/geo/world.ts';
import { RE2 } from '../../formats/re2.ts';
import { treeOfData } from '../../platform/data-tree.ts';
import type { Yaml } from '../../platform/yaml.ts';
import { PolicyFolder } from '../read/files/folder.ts';
import { readOneOfPolicies } from '../read/read-policy.ts';
import { projectOf } from './files-above.ts';

/** Warnings that hold whatever else a policy says. */
const CERTAIN: readonly DiagnosticCode[] = ['empty-list', 'hidden-character', 'typographic-quotes', 'notice-reveals'];

/** Warnings that hold too if no parameter, whose value a policy may set anew, has a part in them. */
const OF_VALUES: readonly DiagnosticCode[] = [
  'no-such-number',
  'never-true',
  'always-true',
  'never-fires',
  'same-condition',
];

/**
 * Reads it as the only part of a policy. What a policy declares beside it, such as facts of its own, counts as
 * declared, and what asks for it is not checked: one more warning lists these names.
 */
export function checkAlone(path: string, facts: FactTable): readonly Diagnostic[] {
  const { policy, diagnostics, assumed } = readOneOfPolicies(new LoneRuleSet(path), {
    mapping: { facts },
    geodata: WORLD,
    patterns: RE2,
  });
  const known = policy?.parameters.size === 0 ? [...CERTAIN, ...OF_VALUES] : CERTAIN;
  const message = 'no policy includes this rule set: its rules have no effect, and are checked by themselves';
  const left = `; not checked is what uses names that it does not declare: ${assumed.join(', ')}`;
  return [
    ...diagnostics.filter(({ severity, code }) => severity === 'error' || known.includes(code)),
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
    // In the project's folder, since a rule set may name files beside its own folder.
    const project = projectOf(ruleSet);
    super(join(project, 'policy'));
    this.#ruleSet = relative(resolve(project), resolve(ruleSet));
  }

  override readRoot(): Yaml | undefined {
    const data = { policy: 'policy', version: '1', default: 'review', ruleSets: [this.#ruleSet] };
    return treeOfData(data, this.root.shown, this.diagnostics);
  }
}
