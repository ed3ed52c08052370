/** Two policies -> each edit by itself: the old policy with it alone, and the new policy without it. */

import { VerdictError } from '../../../errors.ts';
import { isObject } from '../../../platform/json.ts';
import { isNamedList } from '../../../policy/arguments.ts';
import { type Band, type Policy, testsOf } from '../../../policy/language.ts';
import { policyFromData } from '../../../policy/read/parse.ts';
import { FACT_ASPECTS, keysAbout, RULE_ASPECTS } from '../../../policy/sameness.ts';
import { canonicalData, filesIn, keepData, policyData } from '../../../policy/source-map.ts';
import { testRewriter, withConditions } from '../../space/rewrite-tests.ts';
import { describeEdits } from './describe-edits.ts';
import { isSame, type PolicyEdit } from './edit.ts';

/** What of a policy is edited by itself: a rule, a table, a declaration, a band of the score or another setting. */
const KINDS = {
  rules: 'rule',
  tables: 'table',
  parameters: 'parameter',
  conditions: 'condition',
  lists: 'list',
  facts: 'fact',
  velocity: 'velocity',
  score: 'score',
  settings: 'setting',
} as const;

/** Declarations by name: they do nothing by themselves, only where something names them. */
const DECLARATIONS = ['parameters', 'conditions', 'lists', 'facts', 'velocity'] as const;

/** The settings of the whole policy that decide. */
const SETTINGS = ['default', 'whenUnknown', 'timeZone'] as const;

type Kind = keyof typeof KINDS;

/** An edited thing, with the policies that differ from the old or the new one in it, and in what it needs. */
export interface SingleEdit {
  readonly kind: (typeof KINDS)[Kind];
  /** Its name or id; of a band or a setting its key. */
  readonly name: string;
  /** What is edited of it, a sentence each, as `describeEdits` says it. */
  readonly texts: readonly [string, ...string[]];
  /** The old policy with this edit; undefined if it cannot be read without further edits. */
  alone(): Policy | undefined;
  /** The new policy without this edit; undefined if it cannot be read so. */
  without(): Policy | undefined;
}

type Data = Readonly<Record<string, unknown>>;

/** The parts of a policy that decide, as data, by kind and name. Files are joined: their order decides nothing. */
type Parts = Readonly<Record<Kind, ReadonlyMap<string, unknown>>>;

interface Place {
  readonly kind: Kind;
  readonly name: string;
}

/**
 * The edits that can change a decision, in the order of `describeEdits`. What only one of the policies declares is no
 * edit of its own: it goes with whatever names it.
 */
export function singleEdits(old: Policy, now: Policy): readonly SingleEdit[] {
  const [before, after] = [partsOf(old), partsOf(now)];
  const placed = describeEdits(old, now).flatMap((edit) => {
    const place = placeOf(edit);
    return place ? [{ place, text: edit.text }] : [];
  });
  const groups = Map.groupBy(placed, ({ place }) => keyOf(place));
  return [...groups.values()].flatMap(([first, ...others]): readonly SingleEdit[] => {
    if (!first) return [];
    const { place } = first;
    const { kind, name } = place;
    const [was, is] = [before[kind].get(name), after[kind].get(name)];
    const isDeclared = DECLARATIONS.some((each) => each === kind);
    const isOfOne = isDeclared && (was === undefined || is === undefined);
    if (isOfOne || isSame(was, is)) return [];
    return [
      {
        ...{ kind: KINDS[kind], name, texts: [first.text, ...others.map(({ text }) => text)] as const },
        alone: () => replaced(old, before, after, place),
        without: () => replaced(now, after, before, place),
      },
    ];
  });
}

function keyOf({ kind, name }: Place): string {
  return `${kind} ${name}`;
}

const TEXT_KEYS: readonly string[] = keysAbout(RULE_ASPECTS, 'reasons', 'text');
const PRIVATE_KEYS: readonly string[] = keysAbout(FACT_ASPECTS, 'privacy');

/** The part that an edit is about; undefined for one that cannot change a decision. */
function placeOf({ kind: change, path }: PolicyEdit): Place | undefined {
  const [kind = '', name = '', ...keys] = path;
  const key = keys.at(-1) ?? '';
  if (change === 'renamed') return undefined;
  if (SETTINGS.some((each) => each === kind)) return { kind: 'settings', name: kind };
  if (kind === 'settings' || !(kind in KINDS)) return undefined;
  const silent = { rules: TEXT_KEYS, tables: TEXT_KEYS, facts: PRIVATE_KEYS, score: ['notice'] }[kind];
  return silent?.includes(key) ? undefined : { kind: kind as Kind, name };
}

function partsOf(policy: Policy): Parts {
  const parts = Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, new Map<string, unknown>()])) as Record<
    Kind,
    Map<string, unknown>
  >;
  const data = policyData(policy) as Data;
  for (const file of filesIn(data)) {
    for (const kind of DECLARATIONS) {
      for (const [name, each] of Object.entries((file[kind] ?? {}) as Data)) parts[kind].set(name, each);
    }
    for (const kind of ['rules', 'tables'] as const) {
      for (const each of (file[kind] ?? []) as readonly Data[]) parts[kind].set(String(each['id']), each);
    }
  }
  for (const key of SETTINGS) if (data[key] !== undefined) parts.settings.set(key, data[key]);
  const bands = (data['score'] ?? {}) as Readonly<Record<Band, unknown>>;
  for (const band of ['review', 'reject'] as const) {
    const limit = bands[band];
    if (limit !== undefined) parts.score.set(band, isObject(limit) ? limit['atLeast'] : limit);
  }
  return parts;
}

/** A policy with one part as the other has it, and with what that part needs. */
function replaced(policy: Policy, own: Parts, other: Parts, place: Place): Policy | undefined {
  const withNew = neededBy(place, own, other, { isChangedNeeded: false });
  return (
    read(policy, own, other, withNew) ??
    read(policy, own, other, neededBy(place, own, other, { isChangedNeeded: true }))
  );
}

/**
 * The part itself, and the declarations that it names and only the other policy has. `isChangedNeeded`: those too that
 * the other has otherwise, such as a fact with a value more; and the other band of a score.
 */
function neededBy(
  place: Place,
  own: Parts,
  other: Parts,
  { isChangedNeeded }: { readonly isChangedNeeded: boolean },
): readonly Place[] {
  const together = isChangedNeeded && place.kind === 'score' ? [...other.score.keys(), ...own.score.keys()] : [];
  const first = [place, ...together.map((name): Place => ({ kind: 'score', name }))];
  const needed = new Map(first.map((each) => [keyOf(each), each]));
  for (const one of needed.values()) {
    for (const named of namedBy(one, other, other)) {
      const mine = own[named.kind].get(named.name);
      const isOther = isChangedNeeded && !isSame(mine, other[named.kind].get(named.name));
      if (mine === undefined || isOther) needed.set(keyOf(named), named);
    }
  }
  return [...needed.values()];
}

/** The declarations that a part may name. */
function namedBy({ kind, name }: Place, { [kind]: parts }: Parts, declared: Parts): readonly Place[] {
  return kind === 'lists' ? [] : placesIn(parts.get(name), declared);
}

/** A word that may be a name: of a parameter with its sign, or the path of a fact. */
const NAMES = /\$?[A-Za-z][\w.-]*/g;

/** The declarations that data may name; one that only has the name of something else does no harm. */
function placesIn(data: unknown, parts: Parts): readonly Place[] {
  if (typeof data === 'string') {
    return (data.match(NAMES) ?? []).flatMap((word) =>
      DECLARATIONS.flatMap((kind): readonly Place[] => {
        const sign = { parameters: '$', velocity: 'velocity.', conditions: '', lists: '', facts: '' }[kind];
        const name = word.startsWith(sign) ? word.slice(sign.length) : undefined;
        return name !== undefined && parts[kind].has(name) ? [{ kind, name }] : [];
      }),
    );
  }
  if (Array.isArray(data)) return data.flatMap((each) => placesIn(each, parts));
  return isObject(data) ? Object.entries(data).flatMap((entry) => placesIn(entry, parts)) : [];
}

function read(policy: Policy, own: Parts, other: Parts, places: readonly Place[]): Policy | undefined {
  const parts = (kind: Kind): ReadonlyMap<string, unknown> => {
    const all = new Map(own[kind]);
    for (const { name } of places.filter((each) => each.kind === kind)) {
      const part = other[kind].get(name);
      if (part === undefined) all.delete(name);
      else all.set(name, part);
    }
    return all;
  };
  const long = longLists(own, other, places);
  const lists = new Map([...parts('lists'), ...long]);
  const declared = DECLARATIONS.flatMap((kind) => {
    const all = kind === 'lists' ? lists : parts(kind);
    return all.size > 0 ? [[kind, Object.fromEntries(all)] as const] : [];
  });
  const score = parts('score');
  const data = {
    ...{ policy: policy.name, version: policy.version, ...Object.fromEntries(parts('settings')) },
    ...Object.fromEntries(declared),
    ...(score.size > 0 ? { score: Object.fromEntries(score) } : {}),
    ...{ rules: [...parts('rules').values()], tables: [...parts('tables').values()] },
  };
  // What the mapping declares is not among the data.
  const isMapped = (path: string) => !own.facts.has(path) && !path.startsWith('velocity.');
  const facts = new Map([...policy.facts].filter(([path]) => isMapped(path)));
  try {
    return withLists(policyFromData(data, { mapping: { facts } }), policy, long);
  } catch (error) {
    if (VerdictError.is(error)) return undefined;
    throw error;
  }
}

/** To read more entries for each edit takes longer than all the rest. */
const MOST_ENTRIES_READ = 1000;

/** The long lists that the places do not name, each with its first entry: the rules that name them stay as they are. */
function longLists(own: Parts, other: Parts, places: readonly Place[]): ReadonlyMap<string, readonly unknown[]> {
  const named = places.flatMap((place) => [place, ...namedBy(place, other, own)]);
  const isNamed = (list: string) => named.some(({ kind, name }) => kind === 'lists' && name === list);
  return new Map(
    [...own.lists].flatMap(([name, list]) => {
      const entries = isObject(list) ? list['entries'] : list;
      const isLong = Array.isArray(entries) && entries.length > MOST_ENTRIES_READ && !isNamed(name);
      return isLong ? [[name, entries.slice(0, 1)] as const] : [];
    }),
  );
}

/** A policy that was read with some lists cut short, with the whole lists of the policy that it is made of. */
function withLists(read: Policy, policy: Policy, cut: ReadonlyMap<string, unknown>): Policy {
  if (cut.size === 0) return read;
  const whole = new Map(
    policy.rules.flatMap(({ when }) => [...testsOf(when)].map((test) => [test.key, test.argument])),
  );
  const rewrite = testRewriter((test) => {
    const isCut = isNamedList(test.argument) && cut.has(test.argument.name);
    return isCut ? { ...test, argument: whole.get(test.key) } : test;
  });
  const lists = new Map([...read.lists, ...[...policy.lists].filter(([name]) => cut.has(name))]);
  return keepData({ ...withConditions(read, rewrite), lists }, canonicalData(read));
}
