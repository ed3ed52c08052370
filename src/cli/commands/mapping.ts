/** `verdict mapping`: captured answers of the service -> a first mapping, its facts, or what an edit of it changes. */

import type { Command } from 'commander';
import { EXIT, type Finish, type Io, stylerFor, write, writeJson } from '../io.ts';
import { addFormat, readDay, today } from '../options/arguments.ts';
import { addCapture } from './capture.ts';
import { addMappingDiff } from './lab/mapping-diff.ts';

interface TryOptions {
  readonly mapping?: string;
  readonly at?: string;
  readonly composite?: boolean;
  readonly format: 'text' | 'json';
}

export function addMapping(program: Command, io: Io, finish: Finish): void {
  const group = program
    .command('mapping')
    .description('capture an answer, propose a mapping for it, try the mapping, compare two');
  addCapture(group, io);
  addSuggest(group, io);
  addTry(group, io, finish);
  addMappingDiff(group, io, finish);
}

function addTry(group: Command, io: Io, finish: Finish): void {
  const command = group
    .command('try')
    .description('show the facts that an answer gives, which source vouches for each, and unused values')
    .argument('<answer>', 'a file with the JSON body of an answer; - for standard input')
    .option('--mapping <file>', 'the mapping (default: the shipped rules/signals.yaml)')
    .option('--at <day>', 'the day of the decision, yyyy-MM-dd (default: today, UTC)', readDay)
    .option('--composite', 'another service was asked (default: if the answer shows one)');
  addFormat(command, ['text', 'json']).action(async (file: string, options: TryOptions) => {
    const { mapping: mappingFile, at: day = today(), composite, format } = options;
    const { loadMapping } = await import('../../facts/mapping/mapping.ts');
    const { tryMapping } = await import('../../facts/mapping/try-mapping.ts');
    const { isWrong, printTrial, trialAsData } = await import('../../report/mapping.ts');
    const { readAnswer } = await import('../input/read-answer.ts');
    const mapping = loadMapping(mappingFile);
    const answer = await readAnswer(file, io);
    const trial = tryMapping(answer, mapping, { day, ...(composite ? { composite } : {}) });
    if (format === 'json') await writeJson(io.stdout, trialAsData(trial));
    else await write(io.stdout, printTrial(trial, stylerFor(io.stdout, io.env)));
    const isSound = trial.gaps.length === 0 && ![...trial.facts.values()].some(isWrong);
    finish(isSound ? EXIT.done : EXIT.found);
  });
}

function addSuggest(group: Command, io: Io): void {
  group
    .command('suggest')
    .description('propose a mapping, and say how certain each line is')
    .argument('<answers...>', 'files with the JSON bodies of answers; more answers give more certainty')
    .action(async (files: readonly string[]) => {
      const { suggestMapping } = await import('../../suggest/suggest.ts');
      const { readAnswer } = await import('../input/read-answer.ts');
      const answers: unknown[] = [];
      for (const file of files) answers.push(await readAnswer(file, io));
      await write(io.stdout, suggestMapping(answers));
    });
}
