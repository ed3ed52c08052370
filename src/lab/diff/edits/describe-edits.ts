/** Two policies -> what was edited: a sentence for each edited thing, from what was read and not from the text. */

import type { FactDefinition } from '../../../facts/catalog.ts';
import { hasPersonalTexts } from '../../../policy/identities.ts';
import type { Parameter, Policy } from '../../../policy/language.ts';
import { FACT_ASPECTS, keysAbout } from '../../../policy/sameness.ts';
import { placeOf, placeOfKey } from '../../../policy/source-map.ts';
import { conditionEdits, shapeOf } from './condition-edits.ts';
import { conditionWords } from './condition-words.ts';
import { changeKind, changesOf, changeWords, editOf, isSame, type PolicyEdit } from './edit.ts';
import { guaranteeEdits } from './guarantee-edits.ts';
import { listEdits } from './list-edits.ts';
import { noticeText, ruleEdits } from './rule-edits.ts';
import { namesParameter, type Version, writtenIn } from './written.ts';

/**
 * The edits that make the new policy of the old one: rules first, then what they refer to, then the policy as a whole.
 * Comments and the order of things are no edits. An edit that changes no decision is one.
 */
export function describeEdits(old: Policy, now: Policy): readonly PolicyEdit[] {
  const [before, after] = [old, now].map((policy): Version => ({ policy, written: writtenIn(policy) })) as [
    Version,
    Version,
  ];
  const edits = [
    ...ruleEdits(before, after),
    ...guaranteeEdits(before, after),
    ...namedEdits(before, after),
    ...listEdits(before, after),
    ...parameterEdits(before, after),
    ...factEdits(old, now),
    ...settingEdits(before, after),
  ];
  return edits.map((edit) => {
    if (edit.place) return edit;
    const { kind, path, text } = edit;
    return editOf(kind, path, text, placeOfKey(kind === 'removed' ? old : now, path));
  });
}

function namedEdits(old: Version, now: Version): readonly PolicyEdit[] {
  const { facts } = now.policy;
  const isEqual = (one: unknown, other: unknown) => one === other;
  const shapes = ({ policy: { conditions } }: Version) =>
    new Map([...conditions].map(([name, condition]) => [name, shapeOf(condition)]));
  return changesOf(shapes(old), shapes(now), isEqual).flatMap(({ name }) => {
    const path = ['conditions', name];
    const [before, after] = [old.policy.conditions.get(name), now.policy.conditions.get(name)];
    if (!before && after) {
      return [editOf('added', path, `condition ${name} is new: ${conditionWords(after, facts)}`)];
    }
    if (!after) return [editOf('removed', path, `condition ${name} is removed`)];
    // Where only the value of a parameter is another one, the parameter is the edited thing.
    if (!before || isSame(old.written.conditions.get(name), now.written.conditions.get(name))) return [];
    return conditionEdits(before, after, facts).map(({ text, test }) =>
      editOf('changed', path, `condition ${name}: ${text}`, test && placeOf(test)),
    );
  });
}

function parameterEdits(old: Version, now: Version): readonly PolicyEdit[] {
  const [before, after] = [old.policy.parameters, now.policy.parameters];
  return changesOf(before, after, (one, other) => one.value === other.value).map(({ name, old: was, now: is }) => {
    const isHidden =
      (was !== undefined && isPersonalParameter(was, old.policy)) ||
      (is !== undefined && isPersonalParameter(is, now.policy));
    const words = (parameter: Parameter | undefined) => parameter && String(parameter.value);
    const change = isHidden
      ? { added: 'is new', removed: 'is removed', changed: 'has another value (not shown)', renamed: '' }[
          changeKind(was, is)
        ]
      : changeWords(words(was), words(is));
    return editOf(
      changeKind(was, is),
      ['parameters', name],
      `parameter ${name} ${change}${usesOf(name, is ? now : old)}`,
    );
  });
}

/** A text that is compared with a personal fact; so is one that nothing uses, since nobody knows what it is. */
function isPersonalParameter({ value, facts, isUsed }: Parameter, policy: Policy): boolean {
  if (typeof value !== 'string') return false;
  return !isUsed || [...facts].some((path) => hasPersonalTexts(path, policy.facts));
}

/** The most things that are named. */
const MOST_NAMED = 5;

/** What a parameter touches: `, in the rules a and b`. */
function usesOf(name: string, { written }: Version): string {
  const usedIn = (data: ReadonlyMap<string, unknown>) =>
    [...data].flatMap(([key, each]) => (namesParameter(each, name) ? [key] : []));
  const uses = [
    ...usedIn(written.conditions).map((each) => `condition ${each}`),
    ...usedIn(written.rules).map((each) => `rule ${each}`),
    ...usedIn(written.guarantees).map((each) => `guarantee ${each}`),
  ];
  if (uses.length === 0) return '';
  const shown = uses.slice(0, MOST_NAMED);
  const more = uses.length - shown.length;
  return ` (in ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''})`;
}

/** What a policy or a mapping can declare of a fact, beside its description. */
const FACT_KEYS = keysAbout(FACT_ASPECTS, 'meaning', 'values', 'privacy');

function factEdits(old: Policy, now: Policy): readonly PolicyEdit[] {
  const isEqual = (one: FactDefinition, other: FactDefinition) => one === other;
  return changesOf(old.facts, now.facts, isEqual).flatMap(({ name, old: before, now: after }) => {
    const path = ['facts', name];
    if (!before && after) return [editOf('added', path, `fact ${name} is new: ${after.type}`)];
    if (!before || !after) return [editOf('removed', path, `fact ${name} is removed`)];
    return FACT_KEYS.filter((key) => !isSame(before[key], after[key])).map((key) => {
      const [was, is] = [before, after].map((definition) => keyWords(definition, key));
      return editOf('changed', [...path, key], `fact ${name}: ${key} ${changeWords(was, is)}`);
    });
  });
}

function keyWords(definition: FactDefinition, key: (typeof FACT_KEYS)[number]): string | undefined {
  const { compute, [key]: value } = definition;
  if (value === undefined) return undefined;
  if (Array.isArray(value)) return value.join(', ');
  if (key !== 'compute' || !compute) return String(value);
  const operands = compute.operands.map((each) => (typeof each === 'number' ? each : each.fact));
  return `${compute.name} of ${operands.join(', ')}`;
}

/** Every key of a policy that has no edits of its own; a digest says nothing by itself. */
type SettingKey = Exclude<
  keyof Policy,
  'facts' | 'rules' | 'guarantees' | 'conditions' | 'lists' | 'parameters' | 'digest'
>;

type Setting = readonly [path: readonly string[], words: (version: Version) => string | undefined];

/** The settings of the whole policy, each with its words. */
const SETTINGS: Readonly<Record<SettingKey | 'whenUnknown', readonly Setting[]>> = {
  default: [[['default'], ({ policy }) => policy.default]],
  whenUnknown: [[['whenUnknown'], ({ written }) => String(written.whenUnknown)]],
  score: [
    [['score', 'review'], ({ policy }) => policy.score.review?.toString()],
    [['score', 'reject'], ({ policy }) => policy.score.reject?.toString()],
  ],
  scoreNotice: [[['score', 'notice'], ({ policy }) => noticeText(policy.scoreNotice)]],
  defaultNotice: [[['defaultNotice'], ({ policy }) => noticeText(policy.defaultNotice)]],
  stages: [[['stages'], ({ policy }) => policy.stages?.map((stage) => stage.join(' + ')).join(', then ')]],
  name: [[['policy'], ({ policy }) => policy.name]],
  version: [[['version'], ({ policy }) => policy.version]],
  description: [[['description'], ({ policy }) => policy.description]],
};

function settingEdits(old: Version, now: Version): readonly PolicyEdit[] {
  return Object.values(SETTINGS)
    .flat()
    .flatMap(([path, words]) => {
      const [before, after] = [words(old), words(now)];
      if (before === after) return [];
      const name = path.join('.');
      const text = name === 'description' ? 'description edited' : `${name} ${changeWords(before, after)}`;
      return [editOf(changeKind(before, after), path, text)];
    });
}
