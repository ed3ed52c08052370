/** The YAML of one rule -> the rule. */

import { readBoolean, readFields, readInteger, readList, readMatch, readOneOf, readText } from '../facts/fields.ts';
import { reportAt, type Yaml } from '../yaml.ts';
import { readCondition, type Scope } from './condition.ts';
import { OUTCOMES, type Rule, WHEN_UNKNOWN, type WhenUnknown } from './language.ts';
import { readMessage } from './message.ts';

const RULE_KEYS = {
  required: ['id', 'when'],
  optional: ['then', 'reason', 'message', 'points', 'final', 'whenUnknown', 'tags', 'description'],
  notSupported: ['notice', 'mode', 'from', 'until', 'owner'],
};

const ID = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const CODE = /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/;

/** What a rule inherits from its policy, and the ids that are taken. */
export interface RuleContext {
  readonly scope: Scope;
  readonly whenUnknown: WhenUnknown;
  readonly ids: Set<string>;
}

/** Reads a rule; undefined, with diagnostics, where anything in it is wrong. */
export function readRule(node: Yaml, { scope, whenUnknown, ids }: RuleContext): Rule | undefined {
  const fields = readFields(node, 'a rule', RULE_KEYS);
  if (!fields) return undefined;
  const read = <Value>(key: string, reader: (node: Yaml, what: string) => Value): Value | undefined => {
    const entry = fields.get(key);
    return entry && reader(entry.value, `\`${key}\``);
  };
  const id = read('id', (at, what) => readMatch(at, what, ID, 'kebab-case (like port-and-email)'));
  const idNode = fields.get('id')?.value ?? node;
  if (id !== undefined && ids.has(id)) reportAt(idNode, 'duplicate-name', `the rule id "${id}" is taken`);
  else if (id !== undefined) ids.add(id);
  const when = read('when', (at) => readCondition(at, scope));
  const then = read('then', (at, what) => readOneOf(at, what, OUTCOMES));
  const reason = read('reason', (at, what) => readMatch(at, what, CODE, 'UPPER_SNAKE (like PORTED_AND_RISKY_EMAIL)'));
  const points = read('points', readPoints);
  const final = read('final', readBoolean) ?? false;
  const rule = {
    id: id ?? '',
    reason: reason ?? (id ?? '').toUpperCase().replace(/[-/]/g, '_'),
    then,
    message: read('message', (at) => readMessage(at, scope)),
    points,
    final,
    whenUnknown: read('whenUnknown', (at, what) => readOneOf(at, what, WHEN_UNKNOWN)) ?? whenUnknown,
    description: read('description', readText),
    tags: read('tags', readTags) ?? [],
  };
  if (!fields.isMeant('then') && !fields.isMeant('points')) {
    reportAt(idNode, 'no-effect', 'a rule with neither `then` nor `points` does nothing');
  }
  if (final && !fields.isMeant('then')) {
    reportAt(fields.get('final')?.key ?? node, 'no-effect', 'a final rule decides, and this one has no `then`');
  }
  if (points !== undefined && points < 0 && then !== undefined && then !== 'accept') {
    reportAt(fields.get('points')?.value ?? node, 'points-sign', `negative points on a rule that asks for ${then}`);
  }
  return id !== undefined && when ? { ...rule, when } : undefined;
}

/** Sums of more could not be exact, and would depend on the order of the rules. */
const MOST_POINTS = 1_000_000_000;

function readPoints(node: Yaml, what: string): number | undefined {
  const points = readInteger(node, what);
  if (points === undefined || Math.abs(points) <= MOST_POINTS) return points;
  reportAt(node, 'wrong-value', `${points}; ${what} are at most ${MOST_POINTS}, with either sign`);
  return undefined;
}

function readTags(node: Yaml): readonly string[] {
  return (readList(node, '`tags`') ?? []).flatMap((item) => readText(item, 'a tag') ?? []);
}
