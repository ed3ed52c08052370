/** The rules and conditions of two policies -> a sentence for each thing of them that was edited. */

import { conditionWords, shownArgumentWords } from '../../../decision/explain/sentence.ts';
import type { FactTable } from '../../../facts/catalog.ts';
import { namesPersonalValue } from '../../../policy/identities.ts';
import {
  type Condition,
  type MessagePart,
  type Notice,
  noticeTexts,
  type Policy,
  type Rule,
  type Test,
} from '../../../policy/language.ts';
import { reasonOf } from '../../../policy/read/rule.ts';
import { createRuleKey } from '../../../policy/sameness.ts';
import { placeOf } from '../../../policy/source-map.ts';
import { count } from '../../../text.ts';
import { changeKind, changeWords, editOf, isSame, type PolicyEdit, type Version } from './edit.ts';

/** The edits of rules and rows, in the order of the new policy. */
export function ruleEdits(old: Version, now: Version, rewritten: ReadonlySet<string>): readonly PolicyEdit[] {
  const edits = pairRules(old, now).flatMap((pair) => editsOfPair(pair, old, now, rewritten));
  // What holds for a whole table is said once.
  return [...new Map(edits.map((edit) => [edit.text, edit])).values()];
}

function editsOfPair(
  { old, now }: RulePair,
  before: Version,
  after: Version,
  rewritten: ReadonlySet<string>,
): readonly PolicyEdit[] {
  if (!old && !now) return [];
  if (!old && now) {
    return [editOf('added', pathOf(now), `${nameOf(now)} is new: ${ruleWords(now, after.policy)}`, placeOf(now))];
  }
  if (old && !now) {
    const text = `${nameOf(old)} is removed: ${ruleWords(old, before.policy)}`;
    return [editOf('removed', pathOf(old), text, placeOf(old))];
  }
  const pair = [old as Rule, now as Rule] as const;
  const edits = whenEdits(...pair, before, after);
  const when = edits.length > 0 && rewritten.has(pair[1].id) ? [rewrittenEdit(pair[1])] : edits;
  return [...renameEdits(...pair), ...when, ...keyEdits(...pair, before, after)];
}

function renameEdits(old: Rule, now: Rule): readonly PolicyEdit[] {
  // The number of a row is not a name.
  if (old.id === now.id || rowOf(now)) return [];
  const isSameReason = old.reason === now.reason;
  const reason = isSameReason ? '' : `, and its reason ${old.reason} is now ${now.reason}`;
  const note = `; reports by the old ${isSameReason ? 'id' : 'id or reason'} miss it`;
  return [editOf('renamed', pathOf(now), `rule ${old.id} is now called ${now.id}${reason}${note}`, placeOf(now))];
}

function whenEdits(old: Rule, now: Rule, before: Version, after: Version): readonly PolicyEdit[] {
  const written = [before.written.rules.get(old.id)?.['when'], after.written.rules.get(now.id)?.['when']];
  // Where only the value of a parameter is another one, the parameter is the edited thing.
  if (isSame(written[0], written[1])) return [];
  return conditionEdits(old.when, now.when, after).map(({ text, test }) =>
    editOf('changed', [...pathOf(now), 'when'], `${nameOf(now)}: ${text}`, (test && placeOf(test)) ?? placeOf(now)),
  );
}

function rewrittenEdit(rule: Rule): PolicyEdit {
  const text = `${nameOf(rule)}: the condition is written differently and means the same`;
  return editOf('changed', [...pathOf(rule), 'when'], text, placeOf(rule));
}

/** The keys of a rule other than its condition, in the order of the sentences. */
const KEYS: Readonly<Record<Exclude<keyof Rule, 'id' | 'when'>, KeyWords>> = {
  then: { words: (old, now) => optionWords('outcome', old.then, now.then) },
  points: { words: (old, now) => pointWords(old.points, now.points) },
  final: { isOfTable: true, words: (_, { final }) => (final ? 'now final' : 'no longer final') },
  whenUnknown: { isOfTable: true, words: (old, now) => optionWords('whenUnknown', old.whenUnknown, now.whenUnknown) },
  shadow: {
    isOfTable: true,
    words: (_, { shadow }) => (shadow ? 'now in shadow mode, without effect' : 'no longer in shadow mode'),
  },
  from: { isOfTable: true, words: (old, now) => optionWords('from', old.from, now.from) },
  until: { isOfTable: true, words: (old, now) => optionWords('until', old.until, now.until) },
  reason: { words: (old, now) => optionWords('reason', old.reason, now.reason) },
  message: { words: (old, now) => optionWords('message', messageText(old.message), messageText(now.message)) },
  notice: { words: (old, now) => optionWords('notice', noticeText(old.notice), noticeText(now.notice)) },
  owner: { isOfTable: true, words: (old, now) => optionWords('owner', old.owner, now.owner) },
  tags: { isOfTable: true, words: (old, now) => optionWords('tags', listText(old.tags), listText(now.tags)) },
  description: { isOfTable: true, words: () => 'description edited' },
};

interface KeyWords {
  /** Whether all rows of a table have it in common. */
  readonly isOfTable?: true;
  words(old: Rule, now: Rule): string;
}

function keyEdits(old: Rule, now: Rule, before: Version, after: Version): readonly PolicyEdit[] {
  const written = [before.written.rules.get(old.id), after.written.rules.get(now.id)];
  const isRenamed = old.id !== now.id;
  return (Object.keys(KEYS) as (keyof typeof KEYS)[]).flatMap((key) => {
    const { isOfTable, words } = KEYS[key];
    if (isSame(old[key], now[key]) || (key === 'reason' && isRenamed && !written[1]?.['reason'])) return [];
    const inData = key === 'shadow' ? 'mode' : key;
    // The value of a parameter, or of the whole policy.
    if (isSame(written[0]?.[inData], written[1]?.[inData])) return [];
    const row = isOfTable && rowOf(now);
    const path = row ? ['tables', row.table] : pathOf(now);
    const name = row ? `table ${row.table}` : nameOf(now);
    const kind = changeKind(old[key], now[key]);
    return [editOf(kind, [...path, inData], `${name}: ${words(old, now)}`, row ? undefined : placeOf(now))];
  });
}

type Option = string | number | undefined;

function optionWords(name: string, old: Option, now: Option): string {
  return `${name} ${changeWords(old?.toString(), now?.toString())}`;
}

/** `15 points are now 20`. */
function pointWords(old: number | undefined, now: number | undefined): string {
  const points = old ?? now ?? 0;
  const change = old === undefined ? 'new' : now === undefined ? 'removed' : `now ${now}`;
  return `${count(points, 'point')} ${points === 1 ? 'is' : 'are'} ${change}`;
}

function messageText(message: readonly MessagePart[] | undefined): string | undefined {
  if (!message) return undefined;
  const shown = (part: MessagePart) =>
    typeof part === 'string' ? part : `{${part.place === 'daysSince' ? 'daysSince ' : ''}${part.fact}}`;
  return `"${message.map(shown).join('')}"`;
}

/** The texts of a notice, by language. */
export function noticeText(notice: Notice | undefined): string | undefined {
  if (notice === undefined) return undefined;
  const texts = noticeTexts(notice).map(({ language, text }) => (language ? `${language}: "${text}"` : `"${text}"`));
  return texts.join(', ');
}

function listText(items: readonly string[]): string | undefined {
  return items.length === 0 ? undefined : items.join(', ');
}

/** `review, 25 points, if phone.type is voip`. */
function ruleWords(rule: Rule, { facts }: Policy): string {
  const { then, points, final, shadow, from, until, when } = rule;
  const parts = [
    then,
    points === undefined ? undefined : count(points, 'point'),
    final && 'final',
    shadow && 'in shadow mode',
    from && `from ${from}`,
  ];
  const said = [...parts, until && `until ${until}`].filter((part) => part);
  return `${said.join(', ')} if ${conditionWords(when, facts)}`;
}

function nameOf(rule: Rule): string {
  const row = rowOf(rule);
  return row ? `row ${row.row} of table ${row.table}` : `rule ${rule.id}`;
}

function pathOf(rule: Rule): readonly string[] {
  const row = rowOf(rule);
  return row ? ['tables', row.table, 'rows', row.row] : ['rules', rule.id];
}

/** A rule in both policies, or in one. */
interface RulePair {
  readonly old: Rule | undefined;
  readonly now: Rule | undefined;
}

/** The table of a row and its number; undefined for a rule that is not a row. */
function rowOf({ id }: Rule): { readonly table: string; readonly row: string } | undefined {
  const [table, row] = id.split('/');
  return table !== undefined && row !== undefined ? { table, row } : undefined;
}

/**
 * Pairs rules in the order of the new policy, removed ones last. A rule keeps its id, or, under another id, all that it
 * says. A row has no id of its own: of its table's rows, it is the one that says the same, or asks the same, or stands
 * at the same place among those that are left.
 */
function pairRules({ policy: old }: Version, after: Version): readonly RulePair[] {
  const { rules: now } = after.policy;
  const contentOf = createContentKey(after);
  const partners = new Map<Rule, Rule>();
  const left = new Set(old.rules);
  const pairBy = (keyOf: (rule: Rule) => string | undefined) => {
    const byKey = new Map<string, Rule[]>();
    for (const rule of left) {
      const key = keyOf(rule);
      if (key !== undefined) byKey.set(key, [...(byKey.get(key) ?? []), rule]);
    }
    for (const rule of now) {
      const key = partners.has(rule) ? undefined : keyOf(rule);
      const partner = key === undefined ? undefined : byKey.get(key)?.shift();
      if (!partner) continue;
      partners.set(rule, partner);
      left.delete(partner);
    }
  };
  const ofRow = (key: (rule: Rule) => string) => (rule: Rule) => {
    const row = rowOf(rule);
    return row && `${row.table} ${key(rule)}`;
  };
  pairBy((rule) => `${rule.id} ${contentOf(rule)}`);
  pairBy((rule) => (rowOf(rule) ? undefined : rule.id));
  pairBy((rule) => (rowOf(rule) ? undefined : contentOf(rule)));
  pairBy(ofRow(contentOf));
  pairBy(ofRow(({ when }) => after.shapeOf(when)));
  pairBy(ofRow(() => ''));
  return [
    ...now.map((rule) => ({ old: partners.get(rule), now: rule })),
    ...[...left].map((rule) => ({ old: rule, now: undefined })),
  ];
}

/** Gives texts that are equal for rules that say the same. A reason that is made from the id says nothing. */
function createContentKey({ shapeOf }: Version): (rule: Rule) => string {
  const key = createRuleKey(['condition', 'outcome', 'unknown', 'reasons', 'activity', 'text'], shapeOf);
  return (rule) => key(rule.reason === reasonOf(rule.id) ? { ...rule, reason: '' } : rule);
}

/** A changed part of a condition. */
interface ConditionEdit {
  readonly text: string;
  /** The test of the new version that it is about, if it is about one. */
  readonly test?: Test;
}

/** The changed parts. */
export function conditionEdits(old: Condition, now: Condition, after: Version): readonly ConditionEdit[] {
  const { shapeOf } = after;
  const { facts } = after.policy;
  if (shapeOf(old) === shapeOf(now)) return [];
  if (old.kind === 'test' && now.kind === 'test' && old.fact === now.fact) return [testEdit(old, now, facts)];
  if (old.kind === 'not' && now.kind === 'not') {
    return conditionEdits(old.of[0], now.of[0], after).map((edit) => ({ ...edit, text: `not: ${edit.text}` }));
  }
  if (old.kind === 'atLeastOf' && now.kind === 'atLeastOf') {
    const edits = partEdits(old.of, now.of, 'counts', after);
    const counts = [old, now].map(({ count, of }) => `${count} of ${of.length}`);
    return old.count === now.count ? edits : [{ text: `at least ${counts.join(' is now ')}` }, ...edits];
  }
  if (old.kind === 'any' && now.kind === 'any') return partEdits(old.of, now.of, 'suffices', after);
  const [had, has] = [old, now].map((each) => (each.kind === 'all' ? each.of : [each])) as [
    readonly Condition[],
    readonly Condition[],
  ];
  const edits = partEdits(had, has, 'is asked', after);
  // A condition without a common part is shown as a whole.
  const isOther = !had.some((part) => has.some((each) => isRelated(part, each, after)));
  return isOther ? [{ text: `the condition is now: ${conditionWords(now, facts)}` }] : edits;
}

function isRelated(one: Condition, other: Condition, { shapeOf }: Version): boolean {
  if (shapeOf(one) === shapeOf(other)) return true;
  return one.kind === 'test' ? other.kind === 'test' && one.fact === other.fact : one.kind === other.kind;
}

const HOW = {
  'is asked': ['now also asks that', 'no longer asks that'],
  suffices: ['now also true if', 'no longer true if'],
  counts: ['now also counts whether', 'no longer counts whether'],
} as const;

/** The parts of a join: those that are written alike are paired, then tests of one fact, then joins of one kind. */
function partEdits(
  old: readonly Condition[],
  now: readonly Condition[],
  how: keyof typeof HOW,
  after: Version,
): readonly ConditionEdit[] {
  const { shapeOf } = after;
  const { facts } = after.policy;
  const left = [...old];
  const take = (isPartner: (part: Condition) => boolean): Condition | undefined => {
    const at = left.findIndex(isPartner);
    return at < 0 ? undefined : left.splice(at, 1)[0];
  };
  const unpaired = now.filter((part) => !take((each) => shapeOf(each) === shapeOf(part)));
  const isSameTest = (one: Condition, other: Condition) =>
    one.kind === 'test' && other.kind === 'test' && one.fact === other.fact && one.operator === other.operator;
  const pairs = new Map<Condition, Condition>();
  for (const isPartner of [isSameTest, (one: Condition, other: Condition) => isRelated(one, other, after)]) {
    for (const part of unpaired) {
      const partner = pairs.has(part) || part.kind === 'named' ? undefined : take((each) => isPartner(each, part));
      if (partner) pairs.set(part, partner);
    }
  }
  const [added, removed] = HOW[how];
  return [
    ...unpaired.flatMap((part): readonly ConditionEdit[] => {
      const partner = pairs.get(part);
      if (partner) return conditionEdits(partner, part, after);
      const text = `${added} ${conditionWords(part, facts)}`;
      return [part.kind === 'test' ? { text, test: part } : { text }];
    }),
    ...left.map((part) => ({ text: `${removed} ${conditionWords(part, facts)}` })),
  ];
}

function testEdit(old: Test, now: Test, facts: FactTable): ConditionEdit {
  const { fact, operator } = now;
  const [before, after] = [shownArgumentWords(old, facts), shownArgumentWords(now, facts)];
  const said = (one: Test, argument: string) => (one.operator === 'is' ? argument : `${one.operator} ${argument}`);
  const text = () => {
    if (old.operator !== operator) return `${fact} ${said(old, before)} is now ${said(now, after)}`;
    if (namesPersonalValue(now, facts)) return `${fact} ${operator}: other values (not shown)`;
    const [had, has] = [old.expected, now.expected];
    if (!Array.isArray(had) || !Array.isArray(has)) return `${fact} ${said(old, before)} is now ${after}`;
    const gone = had.filter((value) => !has.includes(value));
    const added = has.filter((value) => !had.includes(value));
    if (operator === 'between' || gone.length === had.length) return `${fact} ${operator} ${before} is now ${after}`;
    const changes = [
      ...(added.length > 0 ? [`now has ${added.join(', ')}`] : []),
      ...(gone.length > 0 ? [`no longer has ${gone.join(', ')}`] : []),
    ];
    return `${fact} ${operator} ${changes.join(', and ')}`;
  };
  return { text: text(), test: now };
}
