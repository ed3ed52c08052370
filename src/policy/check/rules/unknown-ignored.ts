/** `whenUnknown: ignore` of rules that reject, their own or inherited -> a warning each, with the rules. */

import type { Yaml } from '../../../platform/yaml.ts';
import type { Rule } from '../../language.ts';
import { type Check, nameRules } from '../context.ts';

export function checkUnknownIgnored({ policy, keys, warn, nodeOf }: Check): void {
  const rules = new Map<Yaml | undefined, Rule[]>();
  for (const rule of policy.rules) {
    if (rule.then !== 'reject' || rule.whenUnknown !== 'ignore' || rule.shadow) continue;
    const own = nodeOf(rule, 'whenUnknown');
    const isOwn = own?.kind === 'scalar' && own.value === 'ignore';
    const node = isOwn ? own : keys.get('whenUnknown')?.value;
    const affected = rules.get(node) ?? [];
    rules.set(node, affected);
    affected.push(rule);
  }
  for (const [node, affected] of rules) {
    const message = `the rule ${nameRules(affected)} rejects, but asks for nothing when it cannot be decided`;
    warn(node, 'unknown-ignored', `${message}: an applicant who keeps its facts unknown is not stopped`);
  }
}
