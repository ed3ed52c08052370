/** `verdict audit`: the commands for a log of decisions. */

import type { Command } from 'commander';
import type { Io } from '../io.ts';
import type { Finish } from '../program.ts';
import { addInit, addRotate } from './init.ts';
import { addErase, addNoteCommand } from './note.ts';
import { addReplay } from './replay.ts';
import { addSearchCommand } from './search.ts';
import { addShow } from './show.ts';
import { addCheckpoint, addPrune, addVerify } from './verify.ts';

/** Adds the commands. */
export function addAudit(program: Command, io: Io, finish: Finish): void {
  const audit = program.command('audit').description('the log of decisions: begun, searched, explained, verified');
  for (const add of [
    addInit,
    addSearchCommand,
    addShow,
    addReplay,
    addNoteCommand,
    addVerify,
    addCheckpoint,
    addErase,
    addPrune,
    addRotate,
  ])
    add(audit, io, finish);
}
