/** The YAML of a rule or a guarantee -> the rule or the guarantee. */

import { refer, TEXT } from '../../facts/json-schema.ts';
import { reportAt, type Span } from '../../platform/files/source.ts';
import type { Yaml } from '../../platform/yaml.ts';
import { type Fields, readBoolean, readFields, readInteger, readList, readText } from '../../platform/yaml-fields.ts';
import { joinWords } from '../../text.ts';
import {
  CLAIMS,
  type Claim,
  type Guarantee,
  OUTCOMES,
  RESERVED_CODES,
  type Rule,
  WHEN_UNKNOWN,
  type WhenUnknown,
} from '../language.ts';
import { isCombinator, readCondition } from './conditions/condition.ts';
import { noteSpan, type Scope } from './conditions/scope.ts';
import { CODE, ID, readForm } from './form.ts';
import {
  DESCRIPTION,
  dayKey,
  type KeyTable,
  key,
  keySetOf,
  oneOfKey,
  readValues,
  required,
  textKey,
  type ValuesOf,
} from './key.ts';
import { messageSchema, noticeKey, readMessage } from './message.ts';
import { GUARANTEE_SYNONYMS, RULE_SYNONYMS } from './mistakes/keys.ts';
import {
  MODE_SYNONYMS,
  OUTCOME_SYNONYMS,
  pointsMeant,
  RULE_OUTCOME_SYNONYMS,
  WHEN_UNKNOWN_SYNONYMS,
} from './mistakes/values.ts';
import { orParameter } from './values/parameters.ts';

/** What rules are read with: the names they refer to, their policy's `whenUnknown`, and the ids that are taken. */
export interface RuleContext {
  readonly scope: Scope;
  readonly whenUnknown: WhenUnknown;
  readonly ids: Map<string, Span>;
}

/** Sums of larger points might not be exact, and would then depend on the order of the rules. */
const MAX_POINTS = 1_000_000_000;

/** `id` of a rule, a table or a guarantee. */
export function idKey(description: string) {
  return required(
    key(description, ID.schema, (node, what, { ids }: Pick<RuleContext, 'ids'>) => readId(node, what, ids)),
  );
}

/** `when` of a rule or a guarantee. */
function whenKey(description: string) {
  const read = (node: Yaml, _: string, { scope }: Pick<RuleContext, 'scope'>) => readCondition(node, scope);
  return required(key(description, refer('condition'), read));
}

/** Paths of facts (they have a dot) and combinators are not keys of a rule: they belong inside `when`. */
const OUTER_WHEN = { when: (name: string) => name.includes('.') || isCombinator(name) };

/** What a rule does when it fires. These keys can be columns of a table. */
export const EFFECT_KEYS = {
  then: oneOfKey('What the rule asks for when it fires.', OUTCOMES, RULE_OUTCOME_SYNONYMS, pointsMeant),
  reason: key(
    'The code of the reason, for programs. By default it is the id in capitals: PHONE_RISKY.',
    { ...CODE.schema, not: { enum: RESERVED_CODES } },
    readReason,
  ),
  message: key(
    'For the analyst, with placeholders: {fact}, {daysSince fact} for a date, {$parameter}. {{ and }} are braces.',
    messageSchema,
    (node, _, { scope }: RuleContext) => readMessage(node, scope),
  ),
  notice: noticeKey('What the applicant may be told: a text without placeholders, or one for each language.'),
  points: key('Added to the score when the rule fires.', orParameter({ type: 'integer' }), readPoints),
} satisfies KeyTable<RuleContext>;

/** What holds for a rule whatever it does; a table has these keys for all of its rows. */
export const CIRCUMSTANCE_KEYS = {
  whenUnknown: oneOfKey(
    'What the rule asks for if its condition is unknown: review, or ignore for nothing. By default that of the policy.',
    WHEN_UNKNOWN,
    WHEN_UNKNOWN_SYNONYMS,
  ),
  mode: oneOfKey('shadow: evaluated and recorded, but without effect on outcome and score.', ['shadow'], MODE_SYNONYMS),
  from: dayKey('The first day on which it is active.'),
  until: dayKey('The last day on which it is active.'),
  tags: key('For people: words to find the rule by.', { type: 'array', items: TEXT }, (node, what) =>
    readList(node, what)?.flatMap((item) => readText(item, 'a tag') ?? []),
  ),
  owner: textKey('For people: who is responsible for it.'),
} satisfies KeyTable<RuleContext>;

/** The keys of a rule. */
export const RULE_KEYS = {
  id: idKey('The name of the rule, unique in the policy, in small letters and digits joined by hyphens.'),
  description: DESCRIPTION,
  when: whenKey('The condition: the name of one, or facts with the tests that have to hold.'),
  ...EFFECT_KEYS,
  final: key(
    'true: if it fires, it decides alone (allow list, hard block). Of several that fire, the strictest decides.',
    { type: 'boolean' },
    readBoolean,
  ),
  ...CIRCUMSTANCE_KEYS,
} satisfies KeyTable<RuleContext>;

const RULE_KEY_SET = keySetOf(RULE_KEYS, { synonyms: RULE_SYNONYMS, outer: OUTER_WHEN });

/** Reads a rule; undefined, with diagnostics, where anything in it is wrong. */
export function readRule(node: Yaml, context: RuleContext): Rule | undefined {
  const fields = readFields(node, 'a rule', RULE_KEY_SET);
  if (!fields) return undefined;
  const values = readValues(fields, RULE_KEYS, context);
  const { id, when, final = false } = values;
  const rule = {
    ...circumstancesOf(values, fields, context.whenUnknown),
    ...effectOf(values, id ?? '', values.then),
    final,
  };
  if (!fields.isMeant('reason') && RESERVED_CODES.includes(rule.reason)) {
    const message = `the reason of the rule "${id}" would be ${rule.reason}, the code of the score or the default`;
    reportAt(fields.get('id')?.value ?? node, 'wrong-value', message, { hint: 'give it another id, or a `reason`' });
  }
  if (!fields.isMeant('then') && !fields.isMeant('points')) {
    const message = 'a rule without `then` and `points` has no effect; add one of them';
    reportAt(fields.get('id')?.value ?? node, 'no-effect', message);
  }
  checkPoints(rule, fields.get('points')?.value ?? node, context);
  if (final && !fields.isMeant('then')) {
    reportAt(fields.get('final')?.key ?? node, 'no-effect', 'a final rule must decide; add `then`');
  }
  return id !== undefined && when ? noteSpan({ ...rule, id, when }, node, context.scope) : undefined;
}

/** Reads the code of a reason; one of the score or the default would pass for theirs. */
function readReason(node: Yaml, what: string): string | undefined {
  const code = readForm(node, what, CODE);
  if (code === undefined || !RESERVED_CODES.includes(code)) return code;
  return reportAt(node, 'wrong-value', `found ${code}, the code of the score or the default; ${what} must be another`, {
    hint: `say what the rule found, such as PHONE_${code}`,
  });
}

/** What a rule does when it fires. */
type Effect = Pick<Rule, keyof typeof EFFECT_KEYS>;

/** What a rule or a row of a table does; its reason is made from the id unless it has one. */
export function effectOf(values: Omit<ValuesOf<typeof EFFECT_KEYS>, 'then'>, id: string, then: Rule['then']): Effect {
  const { reason, message, notice, points } = values;
  return { then, reason: reason ?? reasonOf(id), message, notice, points };
}

/** The reason code of a rule without one of its own. */
export function reasonOf(id: string): string {
  return id.toUpperCase().replace(/[-/]/g, '_');
}

/** What holds for a whole rule or table, whatever it does. */
export type Circumstances = Pick<Rule, 'whenUnknown' | 'shadow' | 'from' | 'until' | 'tags' | 'description' | 'owner'>;

/** What holds for a whole rule or table; reports days of activity that are the wrong way round. */
export function circumstancesOf(
  values: ValuesOf<typeof CIRCUMSTANCE_KEYS & { description: typeof DESCRIPTION }>,
  fields: Fields,
  inherited: WhenUnknown,
): Circumstances {
  const { whenUnknown = inherited, mode, from, until, tags = [], description, owner } = values;
  const untilNode = fields.get('until')?.value;
  if (untilNode && from !== undefined && until !== undefined && until < from) {
    reportAt(untilNode, 'wrong-value', `found ${until}; \`until\` must not be before \`from\`, ${from}`);
  }
  return { whenUnknown, shadow: mode === 'shadow', from, until, tags, description, owner };
}

/** Reports points that contradict what a rule or row asks for. */
export function checkPoints(
  { then, points }: Pick<Effect, 'then' | 'points'>,
  node: Yaml,
  { scope }: RuleContext,
): void {
  if (points === undefined || points >= 0 || then === undefined || then === 'accept') return;
  const message = `found negative points on a rule that asks for ${then}; a strict rule must not lower the score`;
  const hint = 'leave `then` out of a rule that lowers the score';
  reportAt(scope.parameters.resolve(node) ?? node, 'points-sign', message, { hint });
}

function readId(node: Yaml, what: string, ids: Map<string, Span>): string | undefined {
  const id = readForm(node, what, ID);
  const first = id === undefined ? undefined : ids.get(id);
  if (first) {
    const related = { at: first, message: `"${id}" is here first` };
    reportAt(node, 'duplicate-name', `the id "${id}" is used twice; ids must be unique over all files`, { related });
  } else if (id !== undefined) ids.set(id, node);
  return id;
}

function readPoints(written: Yaml, what: string, { scope }: RuleContext): number | undefined {
  const node = scope.parameters.resolve(written);
  const points = node && readInteger(node, what);
  if (node === undefined || points === undefined || Math.abs(points) <= MAX_POINTS) return points;
  return reportAt(node, 'wrong-value', `found ${points}; ${what} must be from -${MAX_POINTS} to ${MAX_POINTS}`);
}

type GuaranteeContext = Pick<RuleContext, 'scope' | 'ids'>;

/** The keys of a guarantee: one of the claims is needed. */
export const GUARANTEE_KEYS = {
  id: idKey('The name of the guarantee, unique among them, in small letters and digits joined by hyphens.'),
  description: DESCRIPTION,
  never: oneOfKey('No applicant for whom the condition is true gets this outcome.', OUTCOMES, OUTCOME_SYNONYMS),
  always: oneOfKey('Every applicant for whom the condition is true gets this outcome.', OUTCOMES, OUTCOME_SYNONYMS),
  atLeast: oneOfKey(
    'Every applicant for whom the condition is true gets this outcome or a stricter one.',
    OUTCOMES.filter((outcome) => outcome !== 'accept'),
    { ...OUTCOME_SYNONYMS, accept: { hint: 'every applicant gets at least accept: write `review`, or remove it' } },
  ),
  when: whenKey('Whom it is about: the name of a condition, or facts with the tests that have to hold.'),
} satisfies KeyTable<GuaranteeContext>;

const GUARANTEE_KEY_SET = keySetOf(GUARANTEE_KEYS, { synonyms: GUARANTEE_SYNONYMS, outer: OUTER_WHEN });

/** Reads guarantees; those with mistakes are reported and left out. */
export function readGuarantees(nodes: readonly Yaml[], scope: Scope): readonly Guarantee[] {
  const ids = new Map<string, Span>();
  return nodes.flatMap((node) => readGuarantee(node, { scope, ids }) ?? []);
}

function readGuarantee(node: Yaml, context: GuaranteeContext): Guarantee | undefined {
  const fields = readFields(node, 'a guarantee', GUARANTEE_KEY_SET);
  if (!fields) return undefined;
  const values = readValues(fields, GUARANTEE_KEYS, context);
  const claim = claimOf(fields, node);
  const { id, description, when } = values;
  const outcome = claim && values[claim];
  if (id === undefined || !when || !outcome) return undefined;
  return noteSpan({ id, description, claim, outcome, when }, node, context.scope);
}

/** The one claim of a guarantee; reports none and several. */
function claimOf(fields: Fields, node: Yaml): Claim | undefined {
  const [claim, second] = CLAIMS.filter((each) => fields.isMeant(each));
  const all = joinWords(CLAIMS.map((each) => `"${each}"`));
  if (claim === undefined) {
    return reportAt(fields.get('id')?.value ?? node, 'missing-key', `a guarantee needs one of the keys ${all}`);
  }
  if (second === undefined) return claim;
  const message = `found "${claim}" and "${second}"; a guarantee has one of the keys ${all}`;
  return reportAt(fields.get(second)?.key ?? node, 'wrong-value', message, { hint: 'write a guarantee for each' });
}
