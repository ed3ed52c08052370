/** Captured answers -> every place in them where a value or a list stands, with its names from the root and its samples. */

import { isScalar, type Scalar } from '../../facts/mapping/value/spelling-key.ts';
import { indexStep, isNameable, isPersonalKey, labelFilter, nameStep, pairFilter } from '../names/json-path.ts';
import { readName } from '../names/tokenise.ts';
import { labelKeys, labelledPairs, withoutKeys } from './labels.ts';
import { findLegend, findTable, isNamedBy, type Legend, type Table } from './legends.ts';

/** What one answer has at a place. */
export interface Sample {
  /** Which answer, from 0. */
  readonly answer: number;
  readonly value: Scalar | null;
}

/** A place where single values stand, or (`list`) where a list of any length does. */
export interface Spot {
  readonly kind: 'value' | 'list';
  /** JSONPath, `$` in front. */
  readonly place: string;
  /** The place of what it is a part of. */
  readonly parent: string;
  /** From the root: the names of fields, and the words of labels. */
  readonly names: readonly string[];
  /** The values; of a list, its entries that are scalars. */
  readonly samples: readonly Sample[];
  /** Of a list: how long it is in each answer that has it. */
  readonly lengths: readonly { readonly answer: number; readonly length: number }[];
  /** Whether one answer can have several values here. */
  readonly many: boolean;
}

interface Found {
  readonly answer: number;
  readonly value: unknown;
}

interface Where {
  readonly place: string;
  readonly parent: string;
  readonly names: readonly string[];
  readonly many: boolean;
  readonly depth: number;
}

/** Nobody names a field at greater length. */
const MAX_KEY_LENGTH = 200;
/** What nests deeper is left aside: mappings are for people, and nobody follows a place down so far. */
const MAX_DEPTH = 32;
/** So many values and lists are looked at; answers of the service have some hundreds. */
const MAX_VISITS = 100_000;
/** Of one list, so many entries: the others are like them. */
const MAX_ENTRIES = 500;

/** Every place of the answers, in the order in which it is first met. Never throws on JSON. */
export function collectSpots(answers: readonly unknown[]): readonly Spot[] {
  const spots: Spot[] = [];
  const walk = new Walk(spots, findLegend(answers));
  walk.visit(
    answers.map((value, answer) => ({ answer, value })),
    { place: '$', parent: '', names: [], many: false, depth: 0 },
  );
  return spots;
}

class Walk {
  readonly #spots: Spot[];
  readonly #legend: Legend | undefined;
  #visits = 0;

  constructor(spots: Spot[], legend: Legend | undefined) {
    this.#spots = spots;
    this.#legend = legend;
  }

  /** All that stands at one place, in whatever answer. */
  visit(found: readonly Found[], where: Where): void {
    this.#visits += found.length;
    if (this.#visits > MAX_VISITS || where.depth > MAX_DEPTH) return;
    const scalars = found.filter((one): one is Sample => one.value === null || isScalar(one.value));
    if (scalars.length > 0) this.#spots.push({ kind: 'value', ...at(where), samples: scalars, lengths: [] });
    const lists = found.flatMap(({ answer, value }) => (Array.isArray(value) ? [{ answer, value }] : []));
    if (lists.length > 0) this.#visitLists(lists, where);
    const maps = found.flatMap(({ answer, value }) => (isMap(value) ? [{ answer, value }] : []));
    if (maps.length > 0) this.#visitMaps(maps, where);
  }

  #visitMaps(maps: readonly { answer: number; value: Record<string, unknown> }[], where: Where): void {
    const keys = [...new Set(maps.flatMap(({ value }) => Object.keys(value).slice(0, MAX_ENTRIES)))];
    if (isById(keys, maps)) {
      const entries = maps.flatMap(({ answer, value }) => Object.values(value).map((one) => ({ answer, value: one })));
      this.#visitEntries(entries, where);
      return;
    }
    const table = findTable(maps.map(({ value }) => value));
    if (table) this.#visitTable(table, maps, where);
    const legend = this.#legend && maps.every(({ value }) => this.#isNamed(value)) ? this.#legend : undefined;
    for (const key of keys) {
      if (key === table?.columnsKey || key === table?.rowsKey) continue;
      // A key that is a datum of the applicant is no name, and would not be there for another applicant.
      if (isPersonalKey(key) || key.length > MAX_KEY_LENGTH || !isNameable(key)) continue;
      const inside = maps.flatMap(({ answer, value }) =>
        Object.hasOwn(value, key) ? [{ answer, value: value[key] }] : [],
      );
      this.visit(inside, step(where, nameStep(key), splitLabel(legend?.get(key) ?? withoutPrefix(key))));
    }
  }

  #isNamed(map: Record<string, unknown>): boolean {
    return this.#legend !== undefined && isNamedBy(this.#legend, Object.keys(map), Object.values(map));
  }

  /** The columns of a table, each a place of its own. */
  #visitTable(
    { rowsKey, columns }: Table,
    maps: readonly { answer: number; value: Record<string, unknown> }[],
    where: Where,
  ): void {
    const rows = maps.flatMap(({ answer, value }) => {
      return (value[rowsKey] as readonly (readonly unknown[])[]).slice(0, MAX_ENTRIES).map((row) => ({ answer, row }));
    });
    for (const [index, name] of columns.entries()) {
      const inside = rows.map(({ answer, row }) => ({ answer, value: row[index] }));
      const place = step(where, `${nameStep(rowsKey)}[*]${indexStep(index)}`, splitLabel(name ?? ''));
      if (name !== undefined) this.visit(inside, { ...place, many: where.many || hasSeveral(inside) });
    }
  }

  #visitLists(lists: readonly { answer: number; value: readonly unknown[] }[], where: Where): void {
    const entries = lists.flatMap(({ answer, value }) =>
      value.slice(0, MAX_ENTRIES).map((one) => ({ answer, value: one })),
    );
    this.#spots.push({
      kind: 'list',
      ...at(where),
      samples: entries.filter((one): one is Sample => isScalar(one.value)),
      lengths: lists.map(({ answer, value }) => ({ answer, length: value.length })),
    });
    if (isCoordinates(lists)) {
      for (const index of [0, 1]) {
        const inside = lists.map(({ answer, value }) => ({ answer, value: value[index] }));
        this.visit(inside, step(where, indexStep(index), [`item ${index}`]));
      }
    }
    this.#visitEntries(
      entries.filter(({ value }) => !isScalar(value) && value !== null),
      where,
    );
  }

  /** The entries of a list, or of a map by id: told apart by their labels where they have such, else all alike. */
  #visitEntries(entries: readonly Found[], where: Where): void {
    if (entries.length === 0) return;
    const pairs = labelledPairs(entries.map(({ value }) => value));
    if (pairs) {
      for (const { labels, indexes } of pairs.groups) {
        const inside = indexes.flatMap((index) => entries[index] ?? []);
        const values = inside.map(({ answer, value }) => ({
          answer,
          value: (value as readonly unknown[])[pairs.width - 1],
        }));
        const place = step(where, `${pairFilter(labels)}${indexStep(pairs.width - 1)}`, labels.flatMap(splitLabel));
        this.visit(values, { ...place, many: where.many || hasSeveral(inside) });
      }
      return;
    }
    const keys = labelKeys(entries.map(({ value }) => value));
    const rest = keys ? entries.filter(({ value }) => !keys.isLabelled(value)) : entries;
    for (const { labels, indexes } of keys?.groups ?? []) {
      const inside = indexes.flatMap((index) => entries[index] ?? []);
      const without = inside.map(({ answer, value }) => ({ answer, value: withoutKeys(value, keys?.names ?? []) }));
      const place = step(where, labelFilter(keys?.names ?? [], labels), labels.flatMap(splitLabel));
      this.visit(without, { ...place, many: where.many || hasSeveral(inside) });
    }
    if (rest.length > 0 && !keys) {
      this.visit(rest, { ...step(where, '[*]', []), many: where.many || hasSeveral(rest) });
    }
  }
}

function at({ place, parent, names, many }: Where): Pick<Spot, 'place' | 'parent' | 'names' | 'many'> {
  return { place, parent, names, many };
}

function step({ place, names, many, depth }: Where, path: string, further: readonly string[]): Where {
  return { place: place + path, parent: place, names: [...names, ...further], many, depth: depth + 1 };
}

function hasSeveral(found: readonly Found[]): boolean {
  return new Set(found.map(({ answer }) => answer)).size < found.length;
}

/** `phone` of `ns2:phone`: what XML has in front of a name says nothing, unless it is a word that is known. */
function withoutPrefix(key: string): string {
  const [, prefix = '', name = key] = /^([a-z][a-z\d]{0,9}):([^:\s]+)$/.exec(key) ?? [];
  return readName(prefix).tokens.every(({ role }) => role === 'unknown' || role === 'number') ? name : key;
}

/** `Phone > Mobile Network Operator`, `phone.risk_level` and `Phone / Risk Level` are several names. */
function splitLabel(label: string): readonly string[] {
  const parts = label.split(/\s*(?:[>›»→|:/\\]|::|(?<=\D)\.(?=\D)|\s[-–—]\s)\s*/u).filter((part) => part !== '');
  return parts.length > 0 && parts.length < MAX_DEPTH ? parts : [label];
}

/** Two numbers, or texts of such: a point on the map. */
function isCoordinates(lists: readonly { readonly value: readonly unknown[] }[]): boolean {
  return lists.every(({ value }) => value.length === 2 && value.every((one) => /^-?\d+\.\d+$/.test(String(one))));
}

/** A map whose keys are no names: entries by number, by UUID, or by what was asked about. */
function isById(keys: readonly string[], maps: readonly { readonly value: Record<string, unknown> }[]): boolean {
  if (keys.length === 0 || !keys.every(looksLikeId)) return false;
  return maps.every(({ value }) => Object.values(value).every((one) => typeof one === 'object'));
}

function looksLikeId(key: string): boolean {
  return isPersonalKey(key) || /^\d+$/.test(key) || /^[\p{L}]{0,6}[-_:#]?[\da-f-]*\d[\da-f-]*$/iu.test(key);
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
