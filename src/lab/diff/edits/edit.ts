/** A policy -> its rules and conditions as written; what differs between two -> edits, for people and programs. */

import type { Place } from '../../../diagnostics.ts';
import { canonicalJson } from '../../../platform/digest.ts';
import { fold } from '../../../platform/formats/fold.ts';
import { isNamedList } from '../../../policy/arguments.ts';
import type { Condition, Parameter, Policy, Test } from '../../../policy/language.ts';
import { createConditionKey, listKey, questionKey, testKey } from '../../../policy/sameness.ts';
import { filesIn, policyData } from '../../../policy/source-map.ts';

/** One edited thing of a policy: something that differs in its data, whether or not it changes a decision. */
export interface PolicyEdit {
  readonly kind: 'added' | 'removed' | 'renamed' | 'changed';
  /** Leads to it: `['rules', 'phone-voip', 'points']`. A removed thing has the path of the old policy. */
  readonly path: readonly string[];
  /** One sentence, without a full stop. No value of a personal fact is in it. */
  readonly text: string;
  /** Its place in the new files, or in the old ones if it is removed; absent if its value was set from outside. */
  readonly place?: Pick<Place, 'file'> & { readonly line: number };
}

/** An edit, with its place if it has one. */
export function editOf(
  kind: PolicyEdit['kind'],
  path: readonly string[],
  text: string,
  place?: Place | undefined,
): PolicyEdit {
  return { kind, path, text, ...(place ? { place: { file: place.file, line: place.position.line } } : {}) };
}

/** Whether two values are the same as JSON. */
export function isSame(one: unknown, other: unknown): boolean {
  return one === other || textOf(one) === textOf(other);
}

function textOf(value: unknown): string {
  return value === undefined ? '' : canonicalJson(value);
}

/** How a value changed: `25 is now 30`, `25 is new`, `25 is removed`; undefined means no value. */
export function changeWords(old: string | undefined, now: string | undefined): string {
  if (old === undefined) return `${now} is new`;
  return now === undefined ? `${old} is removed` : `${old} is now ${now}`;
}

/** The kind of a change between values that may be absent; a list without entries is. */
export function changeKind(old: unknown, now: unknown): PolicyEdit['kind'] {
  const isAbsent = (value: unknown) => value === undefined || (Array.isArray(value) && value.length === 0);
  if (isAbsent(old)) return 'added';
  return isAbsent(now) ? 'removed' : 'changed';
}

/** What was added to a map, removed from it and changed in it, in the order of the new one, removed last. */
export function changesOf<Value>(
  old: ReadonlyMap<string, Value>,
  now: ReadonlyMap<string, Value>,
  isEqual: (old: Value, now: Value) => boolean,
): readonly { readonly name: string; readonly old: Value | undefined; readonly now: Value | undefined }[] {
  const names = [...now.keys(), ...[...old.keys()].filter((name) => !now.has(name))];
  return names.flatMap((name) => {
    const [before, after] = [old.get(name), now.get(name)];
    return before !== undefined && after !== undefined && isEqual(before, after)
      ? []
      : [{ name, old: before, now: after }];
  });
}

type Json = Readonly<Record<string, unknown>>;

/** One of the two policies, with its data; what the old one calls otherwise has its new name. */
export interface Version {
  readonly policy: Policy;
  readonly written: Written;
  /** Equal for conditions that are written alike, also by other names; the order of their parts does not count. */
  shapeOf(condition: Condition): string;
}

/** Both policies, and what only changed its name between them. */
export function versionsOf(
  old: Policy,
  now: Policy,
): { readonly versions: readonly [old: Version, now: Version]; readonly renames: readonly Rename[] } {
  const lists = renamesIn('list', old.lists, now.lists, listKey);
  const listName = (name: string) => lists.find(({ from }) => from === name)?.to ?? name;
  const test = (asked: Test) => {
    const { argument } = asked;
    if (!isNamedList(argument)) return questionKey(asked);
    return testKey({ ...asked, argument: { ...argument, name: listName(argument.name) } });
  };
  const conditions = renamesIn('condition', old.conditions, now.conditions, createConditionKey({ test }));
  const useOf = ({ value, facts, isUsed }: Parameter) => canonicalJson({ value, facts: [...facts].sort(), isUsed });
  const parameters = renamesIn('parameter', old.parameters, now.parameters, useOf);
  const named = (name: string) => JSON.stringify(conditions.find(({ from }) => from === name)?.to ?? name);
  const shapeOf = createConditionKey({ test, named });
  const renamed: Policy = {
    ...old,
    lists: withNewNames(old.lists, lists),
    conditions: withNewNames(old.conditions, conditions),
    parameters: withNewNames(old.parameters, parameters),
  };
  return {
    versions: [
      { policy: renamed, written: writtenIn(old), shapeOf },
      { policy: now, written: writtenIn(now), shapeOf },
    ],
    renames: [...conditions, ...lists, ...parameters],
  };
}

/** A thing that both policies have, under two names. */
export interface Rename {
  readonly kind: 'condition' | 'list' | 'parameter';
  readonly from: string;
  readonly to: string;
}

/** What is only in the old policy, with what is only in the new one and says the same. */
function renamesIn<Thing>(
  kind: Rename['kind'],
  old: ReadonlyMap<string, Thing>,
  now: ReadonlyMap<string, Thing>,
  keyOf: (thing: Thing) => string,
): readonly Rename[] {
  const added = [...now].filter(([name]) => !old.has(name));
  return [...old].flatMap(([from, thing]) => {
    const at = now.has(from) ? -1 : added.findIndex(([, each]) => keyOf(each) === keyOf(thing));
    const [to] = at < 0 ? [] : (added.splice(at, 1)[0] ?? []);
    return to === undefined ? [] : { kind, from, to };
  });
}

function withNewNames<Thing>(
  things: ReadonlyMap<string, Thing>,
  renames: readonly Rename[],
): ReadonlyMap<string, Thing> {
  return new Map([...things].map(([name, thing]) => [renames.find(({ from }) => from === name)?.to ?? name, thing]));
}

/** Parts of a policy as data. */
interface Written {
  /** By id. A row of a table has the keys of the table and its cells, by column. */
  readonly rules: ReadonlyMap<string, Json>;
  readonly conditions: ReadonlyMap<string, unknown>;
  readonly guarantees: ReadonlyMap<string, unknown>;
  /** The entries of each list, by their folded texts. */
  readonly entries: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** What holds for rules that do not say otherwise. */
  readonly whenUnknown: unknown;
}

/** Reads the data of a policy, with those of its rule sets. */
function writtenIn(policy: Policy): Written {
  const rules = new Map<string, Json>();
  const conditions = new Map<string, unknown>();
  const entries = new Map<string, ReadonlyMap<string, string>>();
  const data = policyData(policy) as Json;
  for (const file of filesIn(data)) {
    for (const rule of (file['rules'] ?? []) as readonly Json[]) rules.set(String(rule['id']), rule);
    for (const table of (file['tables'] ?? []) as readonly Json[]) addRows(table, rules);
    for (const [name, condition] of Object.entries((file['conditions'] ?? {}) as Json)) conditions.set(name, condition);
    for (const [name, list] of Object.entries((file['lists'] ?? {}) as Json)) entries.set(name, textsOf(list));
  }
  const named = ((data['guarantees'] ?? []) as readonly Json[]).map(
    (each) => [String(each['id']), each['when']] as const,
  );
  return { rules, conditions, guarantees: new Map(named), entries, whenUnknown: data['whenUnknown'] ?? 'review' };
}

/** A file of rows comes with its columns. */
function addRows({ id, rows, columns, ...table }: Json, into: Map<string, Json>): void {
  const inFile = Array.isArray(rows) ? { rows, columns } : (rows as Json);
  const names = inFile['columns'] as readonly string[];
  for (const [i, cells] of (inFile['rows'] as readonly (readonly unknown[])[]).entries()) {
    const when: Record<string, unknown> = {};
    const row: Record<string, unknown> = { ...table, when };
    // The path of a fact has a dot, and a key of a row has none.
    for (const [at, name] of names.entries()) (name.includes('.') ? when : row)[name] = cells[at];
    into.set(`${id}/${i + 1}`, row);
  }
}

function textsOf(list: unknown): ReadonlyMap<string, string> {
  const entries = Array.isArray(list) ? list : ((list as Json)['entries'] as readonly unknown[]);
  const texts = entries.map((entry) => String(typeof entry === 'object' ? (entry as Json)['value'] : entry));
  return new Map(texts.map((text) => [fold(text) ?? text, text]));
}

/** Whether data name a parameter: as a value, or in a message. */
export function namesParameter(data: unknown, name: string): boolean {
  if (typeof data === 'string') return data === `$${name}` || data.includes(`{$${name}}`);
  return typeof data === 'object' && data !== null && Object.values(data).some((each) => namesParameter(each, name));
}
