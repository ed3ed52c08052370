/** Expressions that build on each other -> one SELECT of nested stages, in which each is computed once. */

import type { Dialect } from './dialect.ts';

/** An expression, and the stage whose columns it needs: 0 for those of the table. */
export interface Expression {
  readonly sql: string;
  readonly stage: number;
}

/** The stage from whose columns all of these can be computed. */
export function stageOf(expressions: readonly Expression[]): number {
  return Math.max(1, ...expressions.map(({ stage }) => stage));
}

/** Deeper nesting is refused: ClickHouse takes 100 subqueries, and no policy of people needs a fraction of these. */
export const MAX_STAGES = 40;

/** How many booleans stand in one array, where there are more of them than a SELECT can have columns. */
const ARRAY_LENGTH = 64;

/** What an expression is, so that its column's name tells. */
export type Role = 'key' | 'day' | 'fact' | 'test' | 'condition' | 'rule' | 'any' | 'score' | 'walk';

/** A SELECT while it is put together. */
export class Query {
  readonly #dialect: Dialect;
  readonly #packs: boolean;
  /** Column definitions by stage: stage 1 is the innermost SELECT. */
  readonly #stages: string[][] = [];
  /** Booleans that stand in arrays, by the array's name, with the stage it is in. */
  readonly #arrays: { readonly name: string; readonly stage: number; readonly items: string[] }[] = [];
  /** The columns by the text of what they hold, and by their own. */
  readonly #columns = new Map<string, Expression>();
  readonly #named = new Map<string, Expression>();

  /** `conditions`: about how many tests, conditions and rules there will be. */
  constructor(dialect: Dialect, conditions: number) {
    this.#dialect = dialect;
    this.#packs = conditions > dialect.maxColumns;
  }

  /** How many stages there are. */
  get depth(): number {
    return this.#stages.length;
  }

  /** The column of an expression; the same text is computed once. */
  column({ sql, stage }: Expression, role: Role): Expression {
    const known = this.#columns.get(sql) ?? this.#named.get(sql);
    if (known) return known;
    const isBoolean = role === 'test' || role === 'condition' || role === 'rule';
    const at = stage + 1;
    const column = { sql: this.#packs && isBoolean ? this.#pack(sql, at) : this.#name(sql, at, role), stage: at };
    this.#columns.set(sql, column);
    this.#named.set(column.sql, column);
    return column;
  }

  #name(sql: string, stage: number, role: Role): string {
    // No name of a user's: in ClickHouse an alias would hide a column of the table.
    const name = `${role}_${this.#named.size + 1}`;
    this.#stage(stage).push(`${sql} AS ${name}`);
    return name;
  }

  #pack(sql: string, stage: number): string {
    let array = this.#arrays.findLast((each) => each.stage === stage);
    if (!array || array.items.length >= ARRAY_LENGTH) {
      array = { name: `array_${this.#arrays.length + 1}`, stage, items: [] };
      this.#arrays.push(array);
    }
    array.items.push(sql);
    return `${array.name}[${array.items.length}]`;
  }

  #stage(stage: number): string[] {
    while (this.#stages.length < stage) this.#stages.push([]);
    return this.#stages[stage - 1] ?? [];
  }

  /** The SELECT: `outputs` over all stages over the table. */
  render(table: string, outputs: readonly string[]): string {
    for (const { name, stage, items } of this.#arrays) {
      this.#stage(stage).push(`ARRAY[${items.join(', ')}]::boolean[] AS ${name}`);
    }
    let from = `${table} AS t`;
    for (const [i, columns] of this.#stages.entries()) {
      const all = i === 0 ? columns : [`stage_${i}.*`, ...columns];
      if (all.length === 0) all.push('1 AS nothing');
      from = `(\n${select(all, from)}${this.#dialect.fence}\n) AS stage_${i + 1}`;
    }
    return `${select(outputs, from)}\n`;
  }
}

function select(columns: readonly string[], from: string): string {
  return `SELECT\n  ${columns.join(',\n  ')}\nFROM ${from}`;
}
