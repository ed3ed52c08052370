/** The YAML of one rule -> the rule. */

import { type MapEntry, reportAt, type Yaml } from '../../platform/yaml.ts';
import {
  type KeySet,
  readBoolean,
  readFields,
  readInteger,
  readList,
  readMatch,
  readOneOf,
  readText,
} from '../../platform/yaml-fields.ts';
import { OUTCOMES, type Rule, WHEN_UNKNOWN, type WhenUnknown } from '../language.ts';
import { placed, readCondition, type Scope } from './condition.ts';
import { readDay } from './list.ts';
import { readMessage } from './message.ts';

const RULE_KEYS: KeySet = {
  required: ['id', 'when'],
  optional: [
    'then',
    'reason',
    'message',
    'notice',
    'points',
    'final',
    'whenUnknown',
    'mode',
    'from',
    'until',
    'tags',
    'description',
    'owner',
  ],
};

/** The form of the ids of rules and tables. */
export const ID = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/** `ID` for people. */
export const ID_FORM = 'kebab-case (like port-and-email)';

/** The form of reason codes. */
export const CODE = /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/;

/** What a rule inherits from its policy, and the ids that are taken. */
export interface RuleContext {
  readonly scope: Scope;
  readonly whenUnknown: WhenUnknown;
  readonly ids: Set<string>;
}

/** Reads the value of a key, if the key is there. */
export type ReadKey = <Value>(key: string, reader: (node: Yaml, what: string) => Value) => Value | undefined;

/** A reader of the keys of some fields. */
export function keyReader(fields: ReadonlyMap<string, Pick<MapEntry, 'value'>>): ReadKey {
  return (key, reader) => {
    const entry = fields.get(key);
    return entry && reader(entry.value, `\`${key}\``);
  };
}

/** Takes an id, which is reported if it is malformed or taken. */
export function readId(node: Yaml, what: string, ids: Set<string>): string | undefined {
  const id = readMatch(node, what, ID, ID_FORM);
  if (id !== undefined && ids.has(id)) reportAt(node, 'duplicate-name', `the id "${id}" is taken`);
  else if (id !== undefined) ids.add(id);
  return id;
}

/** Reads a rule; undefined, with diagnostics, where anything in it is wrong. */
export function readRule(node: Yaml, { scope, whenUnknown, ids }: RuleContext): Rule | undefined {
  const fields = readFields(node, 'a rule', RULE_KEYS);
  if (!fields) return undefined;
  const read = keyReader(fields);
  const id = read('id', (at, what) => readId(at, what, ids));
  const idNode = fields.get('id')?.value ?? node;
  const when = read('when', (at) => readCondition(at, scope));
  const final = read('final', readBoolean) ?? false;
  const rule = { ...readCircumstances(read, whenUnknown), ...readEffect(read, id ?? '', scope), id: id ?? '', final };
  if (!fields.isMeant('then') && !fields.isMeant('points')) {
    reportAt(idNode, 'no-effect', 'a rule with neither `then` nor `points` does nothing');
  }
  checkPoints(rule, fields.get('points')?.value ?? node);
  if (final && !fields.isMeant('then')) {
    reportAt(fields.get('final')?.key ?? node, 'no-effect', 'a final rule decides, and this one has no `then`');
  }
  return id !== undefined && when ? placed({ ...rule, when }, node, scope) : undefined;
}

/** What a rule does when it fires. */
export type Effect = Pick<Rule, 'then' | 'reason' | 'message' | 'notice' | 'points'>;

/** Reads what a rule or a row of a table does. */
export function readEffect(read: ReadKey, id: string, scope: Scope): Effect {
  const reason = read('reason', (at, what) => readMatch(at, what, CODE, 'UPPER_SNAKE (like PORTED_AND_RISKY_EMAIL)'));
  const then = read('then', (at, what) => readOneOf(at, what, OUTCOMES));
  return {
    then,
    reason: reason ?? id.toUpperCase().replace(/[-/]/g, '_'),
    message: read('message', (at) => readMessage(at, scope)),
    notice: read('notice', readText),
    points: read('points', readPoints),
  };
}

/** What holds for a whole rule or table, whatever it does. */
export type Circumstances = Pick<Rule, 'whenUnknown' | 'shadow' | 'from' | 'until' | 'tags' | 'description' | 'owner'>;

/** Reads what holds for a whole rule or table. */
export function readCircumstances(read: ReadKey, whenUnknown: WhenUnknown): Circumstances {
  const from = read('from', readDay);
  return {
    whenUnknown: read('whenUnknown', (at, what) => readOneOf(at, what, WHEN_UNKNOWN)) ?? whenUnknown,
    shadow: read('mode', (at, what) => readOneOf(at, what, ['shadow'])) === 'shadow',
    from,
    until: read('until', (at, what) => {
      const until = readDay(at, what);
      if (from === undefined || until === undefined || from <= until) return until;
      reportAt(at, 'wrong-value', `${until} is before ${from}, the day from which it is active`);
      return undefined;
    }),
    tags: read('tags', readTags) ?? [],
    description: read('description', readText),
    owner: read('owner', readText),
  };
}

/** Reports points that contradict what a rule or row asks for. */
export function checkPoints({ then, points }: Pick<Effect, 'then' | 'points'>, node: Yaml): void {
  if (points === undefined || points >= 0 || then === undefined || then === 'accept') return;
  reportAt(node, 'points-sign', `negative points on a rule that asks for ${then}`);
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
