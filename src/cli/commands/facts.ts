/** `verdict facts`: prints the fact catalog. */

import type { Command } from 'commander';
import { CATALOG_TABLE, type FactDefinition, LEVELS } from '../../facts/catalog.ts';
import { type Io, stylerFor, write, writeJson } from '../io.ts';
import { addFormat } from '../options/arguments.ts';
import { addFold } from './fold.ts';

export function addFacts(program: Command, io: Io): void {
  const command = program.command('facts').description('print every fact that a rule can ask about');
  addFormat(command, ['text', 'json']).action(async ({ format }: { format: 'text' | 'json' }) => {
    if (format === 'json') await writeJson(io.stdout, asData());
    else await write(io.stdout, await asTable(io));
  });
  addFold(command, io);
}

function asData(): object[] {
  return [...CATALOG_TABLE].map(([path, definition]) => ({ path, ...definition }));
}

async function asTable({ stdout, env }: Io): Promise<string> {
  const { factSections } = await import('../terminal/table.ts');
  const style = stylerFor(stdout, env);
  const rows = [...CATALOG_TABLE].flatMap(([path, definition]) => {
    const values = valuesOf(definition);
    return [
      [path, definition.type, definition.description] as const,
      ...(values === undefined ? [] : [['', '', style('dim', values)] as const]),
    ];
  });
  const sections = factSections(rows, style);
  return `${sections.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

/** The possible values of a fact, if its type does not say them. */
function valuesOf({ type, values, range, unit }: FactDefinition): string | undefined {
  if (type === 'level') return LEVELS.join(' < ');
  if (values) return values.join(', ');
  const [least, most] = range ?? [];
  const limits = most === Number.MAX_SAFE_INTEGER ? `${least} or more` : range && `${least} to ${most}`;
  return [limits, unit].filter((part) => part !== undefined).join(' ') || undefined;
}
