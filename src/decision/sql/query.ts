/** Expressions that build on each other -> one SELECT of nested stages that computes each expression once. */

import type { Dialect } from './dialect.ts';

/** An expression, and the stage whose columns it reads: 0 for columns of the table. */
export interface Expression {
  readonly sql: string;
  readonly stage: number;
}

/** The stage that has the columns of all these expressions. */
export function stageOf(expressions: readonly Expression[]): number {
  return Math.max(1, ...expressions.map(({ stage }) => stage));
}

/** The deepest nesting. ClickHouse allows 100 subqueries; handwritten policies need only a few stages. */
export const MAX_STAGES = 40;

/** The length of an array of Booleans, used if a SELECT cannot have as many columns. */
const ARRAY_LENGTH = 64;

/** The meaning of an expression: the first part of its column name. */
export type Role = 'key' | 'day' | 'fact' | 'test' | 'condition' | 'rule' | 'any' | 'score';

/** Builds a SELECT. */
export class Query {
  readonly #dialect: Dialect;
  readonly #packs: boolean;
  /** Column definitions by stage; stage 1 is the innermost SELECT. */
  readonly #stages: string[][] = [];
  /** Arrays of Booleans, with their stage. */
  readonly #arrays: { readonly name: string; readonly stage: number; readonly items: string[] }[] = [];
  /** Columns by the text of their definition, and by the text that refers to them. */
  readonly #columns = new Map<string, Expression>();
  readonly #named = new Map<string, Expression>();

  /** `conditions` is the approximate number of tests, conditions and rules. */
  constructor(dialect: Dialect, conditions: number) {
    this.#dialect = dialect;
    this.#packs = conditions > dialect.maxColumns;
  }

  /** The number of stages. */
  get depth(): number {
    return this.#stages.length;
  }

  /** Adds a column, or returns the existing one with the same text. */
  column({ sql, stage }: Expression, role: Role): Expression {
    const cached = this.#columns.get(sql) ?? this.#named.get(sql);
    if (cached) return cached;
    const isBoolean = role === 'test' || role === 'condition' || role === 'rule';
    const at = stage + 1;
    const column = { sql: this.#packs && isBoolean ? this.#pack(sql, at) : this.#name(sql, at, role), stage: at };
    this.#columns.set(sql, column);
    this.#named.set(column.sql, column);
    return column;
  }

  #name(sql: string, stage: number, role: Role): string {
    // The name is ours alone: in ClickHouse an alias would hide a column of the table.
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

  /** Writes the SELECT of `outputs` from the stages. */
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
