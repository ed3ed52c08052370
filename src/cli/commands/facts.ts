/** `verdict facts`: prints the fact catalog, with a policy its own facts too. */

import type { Command } from 'commander';
import { CATALOG_TABLE, type FactDefinition, type FactTable, LEVELS, rangeWords } from '../../facts/catalog.ts';
import type { Policy } from '../../policy/language.ts';
import type { Styler } from '../../report/outline.ts';
import { addSet, loadPolicyFiles } from '../input/load-policy.ts';
import type { Io } from '../io.ts';
import { addFormat, requireWith } from '../options/arguments.ts';
import { endWith } from '../result.ts';
import { addFold } from './fold.ts';

export function addFacts(program: Command, io: Io): void {
  const command = program
    .command('facts')
    .description('print every fact that a rule can ask about')
    .option('--policy <file>', 'a policy, whose own facts are printed too')
    .option('--mapping <file>', "the mapping with the policy's match results (default: the shipped one)");
  const facts = addFormat(addSet(command), ['text', 'json', 'csv']);
  facts.action(async ({ policy: file, ...options }) => {
    requireWith({ ...options, policy: file }, ['set', 'mapping'], 'policy');
    const policy = file === undefined ? undefined : await loadPolicyFiles({ ...options, policy: file });
    const table = policy?.facts ?? CATALOG_TABLE;
    await endWith(io, options, {
      data: () => asData(table, policy),
      csv: () => asCsv(table, policy),
      text: (style) => asTable(table, style),
    });
  });
  addFold(facts, io);
}

async function asData(table: FactTable, policy: Policy | undefined): Promise<readonly object[]> {
  const { isPersonal, rulesByFact } = await loadReaders();
  const users = policy && rulesByFact(policy);
  return [...table].map(([path, definition]) => ({
    path,
    ...definition,
    ...(isPersonal(path, table) ? { personal: true } : {}),
    ...(users ? { usedBy: users.get(path) ?? [] } : {}),
  }));
}

async function asCsv(table: FactTable, policy: Policy | undefined): Promise<string> {
  const { csvText } = await import('../../report/plain-text.ts');
  const { isPersonal, rulesByFact } = await loadReaders();
  const users = policy && rulesByFact(policy);
  const titles = ['path', 'type', 'origin', 'values', 'personal', 'description', ...(users ? ['usedBy'] : [])];
  const rows = [...table].map(([path, definition]) => [
    ...[path, definition.type, definition.origin, valuesOf(definition) ?? '', String(isPersonal(path, table))],
    ...[definition.description, ...(users ? [(users.get(path) ?? []).join(' ')] : [])],
  ]);
  return csvText([titles, ...rows]);
}

async function asTable(table: FactTable, style: Styler): Promise<string> {
  const { factSections } = await import('../../report/plain-text.ts');
  const { isPersonal } = await loadReaders();
  const rows = [...table].flatMap(([path, definition]) => {
    const isComputed = definition.compute !== undefined;
    const marks = [isComputed ? 'computed by the policy' : undefined, isPersonal(path, table) ? 'personal' : undefined];
    const about = [valuesOf(definition), ...marks];
    const words = about.filter((part) => part !== undefined).join('; ');
    return [
      [path, definition.type, definition.description] as const,
      ...(words === '' ? [] : [['', '', style('dim', words)] as const]),
    ];
  });
  const sections = factSections(rows, style);
  return `${sections.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

/** What reads policies is loaded only now, so that other commands start without it. */
async function loadReaders() {
  const { isPersonal } = await import('../../policy/identities.ts');
  const { rulesByFact } = await import('../../policy/usage.ts');
  return { isPersonal, rulesByFact };
}

/** The possible values of a fact, if its type does not say them. */
function valuesOf({ type, values, range, unit }: FactDefinition): string | undefined {
  if (type === 'level') return LEVELS.join(' < ');
  if (values) return values.join(', ');
  return [range && rangeWords(range), unit].filter((part) => part !== undefined).join(' ') || undefined;
}
