/** Two policies -> what was edited: a sentence for each edited thing, from what was read and not from the text. */

import { conditionWords } from '../../../decision/explain/sentence.ts';
import type { Place } from '../../../diagnostics.ts';
import { type FactDefinition, rangeWords, type Velocity } from '../../../facts/catalog.ts';
import { VELOCITY, velocityWords } from '../../../facts/velocity.ts';
import { isNamedList, type NamedList } from '../../../policy/arguments.ts';
import { hasPersonalTexts, namesPeople } from '../../../policy/identities.ts';
import { type Guarantee, type Parameter, type Policy, testsOf } from '../../../policy/language.ts';
import { entriesOf, FACT_ASPECTS, keysAbout, listKey } from '../../../policy/sameness.ts';
import { placeOf, placeOfEntry, placeOfKey } from '../../../policy/source-map.ts';
import { MOST_NAMED } from '../../limits.ts';
import {
  changeKind,
  changesOf,
  changeWords,
  editOf,
  isSame,
  namesParameter,
  type PolicyEdit,
  type Version,
  versionsOf,
} from './edit.ts';
import { conditionEdits, noticeText, ruleEdits } from './rule-edits.ts';

/**
 * The edits that make the new policy of the old one: rules first, then what they refer to, then the policy as a whole.
 * Comments and order do not count as edits. An edit that changes no decision does. `rewritten` are the ids of new rules
 * whose conditions are proved to mean what they did.
 */
export function describeEdits(
  old: Policy,
  now: Policy,
  rewritten: ReadonlySet<string> = new Set(),
): readonly PolicyEdit[] {
  const {
    versions: [before, after],
    renames,
  } = versionsOf(old, now);
  const edits = [
    ...ruleEdits(before, after, rewritten),
    ...renames.map(({ kind, from, to }) => editOf('renamed', [`${kind}s`, to], `${kind} ${from} is now called ${to}`)),
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
  const shapes = ({ policy: { conditions }, shapeOf }: Version) =>
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
    return conditionEdits(before, after, now).map(({ text, test }) =>
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

/** A text that is compared with a personal fact; so is one that nothing uses, since its kind is unknown. */
function isPersonalParameter({ value, facts, isUsed }: Parameter, policy: Policy): boolean {
  if (typeof value !== 'string') return false;
  return !isUsed || [...facts].some((path) => hasPersonalTexts(path, policy.facts));
}

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

/** What a policy or a mapping can declare of a fact, apart from its description. */
const FACT_KEYS = keysAbout(FACT_ASPECTS, 'meaning', 'values', 'privacy');

function factEdits(old: Policy, now: Policy): readonly PolicyEdit[] {
  const isEqual = (one: FactDefinition, other: FactDefinition) => one === other;
  return changesOf(old.facts, now.facts, isEqual).flatMap(({ name, old: before, now: after }) => {
    const path = name.startsWith(VELOCITY) ? ['velocity', name.slice(VELOCITY.length)] : ['facts', name];
    if (!before && after)
      return [editOf('added', path, `fact ${name} is new: ${keyWords(after, 'velocity', now.facts) ?? after.type}`)];
    if (!before || !after) return [editOf('removed', path, `fact ${name} is removed`)];
    return FACT_KEYS.filter((key) => !isSame(before[key], after[key])).map((key) => {
      const [was, is] = [keyWords(before, key, old.facts), keyWords(after, key, now.facts)];
      return editOf(
        'changed',
        key === 'velocity' ? path : [...path, key],
        `fact ${name}: ${key} ${changeWords(was, is)}`,
      );
    });
  });
}

function keyWords(
  definition: FactDefinition,
  key: (typeof FACT_KEYS)[number],
  facts: Policy['facts'],
): string | undefined {
  const { compute, velocity, range, [key]: value } = definition;
  if (value === undefined) return undefined;
  if (key === 'range' && range) return rangeWords(range);
  if (key === 'velocity' && velocity) return velocityWords(withoutValue(velocity, facts));
  if (Array.isArray(value)) return value.join(', ');
  if (key !== 'compute' || !compute) return String(value);
  const operands = compute.operands.map((each) => (typeof each === 'number' ? each : each.fact));
  return `${compute.name} of ${operands.join(', ')}`;
}

/** A velocity without the value of a personal fact that it counts. */
function withoutValue({ where, ...velocity }: Velocity, facts: Policy['facts']): Velocity {
  if (!where) return velocity;
  return { ...velocity, where: namesPeople(where.key, facts) ? { ...where, value: '(not shown)' } : where };
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
  scoreNotices: [
    [['score', 'review', 'notice'], ({ policy }) => noticeText(policy.scoreNotices.review)],
    [['score', 'reject', 'notice'], ({ policy }) => noticeText(policy.scoreNotices.reject)],
  ],
  defaultNotice: [[['defaultNotice'], ({ policy }) => noticeText(policy.defaultNotice)]],
  stages: [[['stages'], ({ policy }) => policy.stages?.map((stage) => stage.join(' + ')).join(', then ')]],
  timeZone: [[['timeZone'], ({ policy }) => policy.timeZone]],
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
      // Elsewhere a day of the one policy is compared with the same day of the other.
      const byOwn = name === 'timeZone' ? '; for some hours it is another day' : '';
      const text = name === 'description' ? 'description edited' : `${name} ${changeWords(before, after)}${byOwn}`;
      return [editOf(changeKind(before, after), path, text)];
    });
}

/** The edits of guarantees, by id. */
function guaranteeEdits(old: Version, now: Version): readonly PolicyEdit[] {
  const isEqual = (one: Guarantee, other: Guarantee) => one === other;
  return changesOf(byId(old.policy), byId(now.policy), isEqual).flatMap(({ name, old: before, now: after }) => {
    const path = ['guarantees', name];
    const whole = (guarantee: Guarantee, { policy: { facts } }: Version) =>
      `${claimWords(guarantee)} if ${conditionWords(guarantee.when, facts)}`;
    if (!after) {
      const text = before && `guarantee ${name} is removed: ${whole(before, old)}`;
      return text ? [editOf('removed', path, text, placeOf(before))] : [];
    }
    const place = placeOf(after);
    if (!before) return [editOf('added', path, `guarantee ${name} is new: ${whole(after, now)}`, place)];
    const keys = Object.keys(KEYS) as (keyof typeof KEYS)[];
    const texts = keys.flatMap((key) => (before[key] === after[key] ? [] : KEYS[key](before, after)));
    // Where only the value of a parameter is another one, the parameter is the edited thing.
    const isWrittenAlike = isSame(old.written.guarantees.get(name), now.written.guarantees.get(name));
    return [
      ...[...new Set(texts)].map((text) => editOf('changed', path, `guarantee ${name}: ${text}`, place)),
      ...(isWrittenAlike ? [] : conditionEdits(before.when, after.when, now)).map(({ text, test }) =>
        editOf('changed', [...path, 'when'], `guarantee ${name}: ${text}`, (test && placeOf(test)) ?? place),
      ),
    ];
  });
}

/** The keys of a guarantee other than its condition; claim and outcome make one sentence. */
const KEYS: Readonly<Record<Exclude<keyof Guarantee, 'id' | 'when'>, (old: Guarantee, now: Guarantee) => string>> = {
  claim: (...both) => both.map(claimWords).join(' is now '),
  outcome: (...both) => both.map(claimWords).join(' is now '),
  description: () => 'description edited',
};

function claimWords({ claim, outcome }: Guarantee): string {
  return `${claim === 'atLeast' ? 'at least' : claim} ${outcome}`;
}

function byId({ guarantees }: Policy): ReadonlyMap<string, Guarantee> {
  return new Map(guarantees.map((guarantee) => [guarantee.id, guarantee]));
}

/** The edits of lists, by list. */
function listEdits(old: Version, now: Version): readonly PolicyEdit[] {
  const isShown = shownLists([old.policy, now.policy]);
  const isEqual = (one: NamedList, other: NamedList) => listKey(one) === listKey(other);
  return changesOf(old.policy.lists, now.policy.lists, isEqual).flatMap(({ name, old: before, now: after }) => {
    const path = ['lists', name];
    if (!before && after) {
      return [editOf('added', path, `list ${name} is new: ${amount(entriesOf(after).size)}`)];
    }
    if (before && !after) {
      return [editOf('removed', path, `list ${name} is removed: ${amount(entriesOf(before).size)}`)];
    }
    if (!before || !after) return [];
    const written = new Map([old, now].flatMap(({ written: { entries } }) => [...(entries.get(name) ?? [])]));
    const show = (entry: string) => (isShown(name) ? (written.get(entry) ?? entry) : undefined);
    return entryEdits(name, before, after, show);
  });
}

/** `show` gives an entry as written; undefined if it may be personal. */
function entryEdits(
  name: string,
  old: NamedList,
  now: NamedList,
  show: (entry: string) => string | undefined,
): readonly PolicyEdit[] {
  const changes = changesOf(lastDaysOf(old), lastDaysOf(now), (one, other) => one === other);
  const groups = Map.groupBy(changes, ({ old: before, now: after }) =>
    before === undefined ? 'added' : after === undefined ? 'removed' : 'changed',
  );
  return [...groups].map(([kind, own]) => {
    const [first] = own;
    const isOne = own.length === 1;
    const shown = first && show(first.name);
    const which = isOne && shown !== undefined ? `entry ${shown}` : amount(own.length);
    const what = {
      added: isOne ? 'is new' : 'are new',
      removed: isOne ? 'is removed' : 'are removed',
      changed: isOne ? `${untilWords(first?.old)} is now ${untilWords(first?.now)}` : 'have another last day',
    }[kind];
    const such = shown === undefined ? ' (not shown)' : isOne ? '' : `, such as ${shown}`;
    const place = first && placeOfText(kind === 'removed' ? old : now, first.name);
    return editOf(kind, ['lists', name, 'entries'], `list ${name}: ${which} ${what}${such}`, place);
  });
}

/** The entries with the last day on which each counts, the empty text for always, by text. */
function lastDaysOf(list: NamedList): ReadonlyMap<string, string> {
  const entries = [...entriesOf(list)].sort(([one], [other]) => (one < other ? -1 : 1));
  return new Map(entries.map(([text, until]) => [text, until ?? '']));
}

function placeOfText(list: NamedList, entry: string): Place | undefined {
  return placeOfEntry(list, [...entriesOf(list).keys()].indexOf(entry));
}

function amount(entries: number): string {
  return entries === 1 ? '1 entry' : `${entries} entries`;
}

function untilWords(until: string | undefined): string {
  return until ? `until ${until}` : 'without a last day';
}

/** Whether entries of a list may be shown: every fact that is looked up in it is not personal. */
function shownLists(policies: readonly Policy[]): (name: string) => boolean {
  const shown = new Map<string, boolean>();
  for (const { rules, conditions, facts } of policies) {
    for (const condition of [...rules.map(({ when }) => when), ...conditions.values()]) {
      for (const { fact, argument } of testsOf(condition)) {
        if (!isNamedList(argument)) continue;
        shown.set(argument.name, shown.get(argument.name) !== false && !namesPeople(fact, facts));
      }
    }
  }
  return (name) => shown.get(name) ?? false;
}
