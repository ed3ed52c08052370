/** `verdict facts`: the catalog, for whoever writes a rule. */

import type { Command } from 'commander';
import { CATALOG_TABLE, type FactDefinition, LEVELS } from '../../facts/catalog.ts';
import { type Io, stylerFor, write } from '../io.ts';
import { addFormat } from '../options/arguments.ts';
import { addFold } from './fold.ts';

/** Adds the command. */
export function addFacts(program: Command, io: Io): void {
  const command = program.command('facts').description('print every fact that a rule can ask about');
  addFormat(command, ['text', 'json']).action(async ({ format }: { format: 'text' | 'json' }) => {
    await write(io.stdout, format === 'json' ? asJson() : asTable(io));
  });
  addFold(command, io);
}

function asJson(): string {
  const facts = [...CATALOG_TABLE].map(([path, definition]) => ({ path, ...definition }));
  return `${JSON.stringify(facts, null, 2)}\n`;
}

function asTable({ stdout, env }: Io): string {
  const style = stylerFor(stdout, env);
  const width = Math.max(...[...CATALOG_TABLE.keys()].map((path) => path.length));
  const lines: string[] = [];
  let group = '';
  for (const [path, definition] of CATALOG_TABLE) {
    const its = path.split('.')[0] ?? '';
    if (its !== group) lines.push('', style('bold', its));
    group = its;
    lines.push(`  ${path.padEnd(width)}  ${definition.type.padEnd(7)}  ${definition.description}`);
    const values = valuesOf(definition);
    if (values) lines.push(style('dim', `  ${' '.repeat(width)}           ${values}`));
  }
  return `${lines.slice(1).join('\n')}\n`;
}

/** What a fact can be, where that is more than its type says. */
function valuesOf({ type, values, range, unit }: FactDefinition): string | undefined {
  if (type === 'level') return LEVELS.join(' < ');
  if (values) return values.join(', ');
  const [least, most] = range ?? [];
  const limits = most === Number.MAX_SAFE_INTEGER ? `${least} or more` : range && `${least} to ${most}`;
  return [limits, unit].filter((part) => part !== undefined).join(' ') || undefined;
}
