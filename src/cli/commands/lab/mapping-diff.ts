/** `verdict mapping diff`: two mappings and captured answers -> the facts and decisions that change. */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { MappingSide } from '../../../lab/impact/compare-mappings.ts';
import { addSet, loadPolicyFiles, type SetOption } from '../../input/load-policy.ts';
import {
  CouldNotRunError,
  EXIT,
  type Finish,
  type Io,
  say,
  stylerFor,
  UsageError,
  write,
  writeJson,
} from '../../io.ts';
import { addFormat, readDay, today } from '../../options/arguments.ts';

interface Options extends SetOption {
  readonly answers: string;
  readonly policy?: string;
  readonly at?: string;
  readonly composite?: boolean;
  readonly format: 'text' | 'json';
}

export function addMappingDiff(group: Command, io: Io, finish: Finish): void {
  const command = group
    .command('diff <old> <new>')
    .description('show which facts two versions of a mapping read differently from captured answers')
    .requiredOption('--answers <dir>', 'the folder of the answers: *.json, the body of one answer each')
    .option('--policy <file>', 'show which decisions of this policy change, too')
    .option('--at <day>', 'the day of the decisions, yyyy-MM-dd (default: today, UTC)', readDay)
    .option('--composite', 'another service was asked (default: if the answer shows one)');
  addFormat(addSet(command), ['text', 'json']).action(async (old: string, now: string, options: Options) => {
    const { answers, at: day = today(), composite, policy, set, format } = options;
    if (policy === undefined && set) throw new UsageError('--set goes with --policy');
    const { MappingComparison } = await import('../../../lab/impact/compare-mappings.ts');
    const { loadMapping } = await import('../../../facts/mapping/mapping.ts');
    const { readAnswer } = await import('../../input/read-answer.ts');
    const load = async (mapping: string): Promise<MappingSide> => {
      const read = { mapping: loadMapping(mapping) };
      return policy === undefined ? read : { ...read, policy: await loadPolicyFiles({ policy, mapping, ...options }) };
    };
    const trial = { day, ...(composite ? { composite } : {}) };
    const comparison = new MappingComparison(await load(old), await load(now), trial);
    let unreadable = 0;
    for (const name of answersIn(answers)) {
      try {
        comparison.add(name, await readAnswer(join(answers, name), io));
      } catch (error) {
        if (!(error instanceof CouldNotRunError)) throw error;
        unreadable += 1;
        await say(io.stderr, `verdict: ${error.message}\n`);
      }
    }
    const result = comparison.result();
    if (format === 'json') await writeJson(io.stdout, { ...result, unreadable });
    else {
      const { printMappingDiff } = await import('../../../report/mapping.ts');
      await write(io.stdout, printMappingDiff(result, stylerFor(io.stdout, io.env)));
    }
    const isFound = result.facts.length > 0 || (result.decisions ?? []).length > 0;
    finish(unreadable > 0 ? EXIT.couldNotRun : isFound ? EXIT.found : EXIT.done);
  });
}

/** The names of the answers in a folder, sorted. */
function answersIn(dir: string): readonly string[] {
  let names: string[];
  try {
    names = readdirSync(dir).filter((name) => name.endsWith('.json'));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw new CouldNotRunError(`${dir}: no such folder`);
    throw new CouldNotRunError(code === 'ENOTDIR' ? `${dir} is a file, expected a folder` : `${dir} cannot be read`);
  }
  if (names.length === 0) throw new CouldNotRunError(`${dir} has no *.json, expected captured answers`);
  return names.sort();
}
