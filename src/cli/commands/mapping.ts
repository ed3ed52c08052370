/** `verdict mapping`: captured answers of the service -> a first mapping, or its facts. */

import type { Command } from 'commander';
import type { MappingTrial } from '../../facts/mapping/try-mapping.ts';
import { EXIT, type Io, write } from '../io.ts';
import { addJson, readDay, today } from '../options/arguments.ts';
import { endWith } from '../result.ts';
import { addCapture } from './capture.ts';

export function addMapping(program: Command, io: Io): void {
  const group = program.command('mapping').description('capture an answer, propose a mapping for it, try the mapping');
  addCapture(group, io);
  addSuggest(group, io);
  addTry(group, io);
}

function addTry(group: Command, io: Io): void {
  const command = group
    .command('try')
    .description('show the facts that answers give, which source vouches for each, and unused values')
    .argument('<answers...>', 'files with the JSON bodies of answers; - for standard input')
    .option('--mapping <file>', 'the mapping (default: the shipped rules/signals.yaml)')
    .option('--at <day>', 'the day of the decision, yyyy-MM-dd (default: today, UTC)', readDay)
    .option('--composite', 'another service was asked (default: if the answer shows one)');
  addJson(command).action(async (files, options) => {
    const { mapping: mappingFile, at: day = today(), composite } = options;
    const { loadMapping } = await import('../../facts/mapping/mapping.ts');
    const { tryMapping } = await import('../../facts/mapping/try-mapping.ts');
    const { isSound, printTrial, printTrials, trialAsData, trialsAsData } = await import('../../report/mapping.ts');
    const { readAnswer } = await import('../input/read-answer.ts');
    const mapping = loadMapping(mappingFile);
    const trials = new Map<string, MappingTrial>();
    for (const file of files) {
      trials.set(file, tryMapping(await readAnswer(file, io), mapping, { day, ...(composite ? { composite } : {}) }));
    }
    const [first, ...others] = trials.values();
    const only = others.length === 0 ? first : undefined;
    await endWith(io, options, {
      data: () => (only ? trialAsData(only) : trialsAsData(trials)),
      text: (style) => (only ? printTrial(only, style) : printTrials(trials, style)),
      exitCode: [...trials.values()].every(isSound) ? EXIT.done : EXIT.found,
    });
  });
}

function addSuggest(group: Command, io: Io): void {
  group
    .command('suggest')
    .description('propose a mapping, and say how certain each line is')
    .argument('<answers...>', 'files with the JSON bodies of answers; more answers give more certainty')
    .action(async (files) => {
      const { suggestMapping } = await import('../../lab/suggest/suggest.ts');
      const { readAnswer } = await import('../input/read-answer.ts');
      const answers: unknown[] = [];
      for (const file of files) answers.push(await readAnswer(file, io));
      await write(io.stdout, suggestMapping(answers));
    });
}
