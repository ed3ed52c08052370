/** `verdict audit`: the commands for the log of decisions. */

import type { Command } from 'commander';
import type { Io } from '../../io.ts';
import { addCheckpoint } from './checkpoint.ts';
import { addCopy } from './copy.ts';
import { addErase } from './erase.ts';
import { addEvents } from './events.ts';
import { addIndex } from './index-log.ts';
import { addInit } from './init.ts';
import { addMigrate } from './migrate.ts';
import { addNoteCommand } from './note.ts';
import { addPrune } from './prune.ts';
import { addReplay } from './replay.ts';
import { addRotate } from './rotate.ts';
import { addSearchCommand } from './search.ts';
import { addShadow } from './shadow.ts';
import { addShow } from './show.ts';
import { addVerify } from './verify.ts';

export function addAudit(program: Command, io: Io): void {
  const audit = program.command('audit').description('create, search, explain, verify and prune the log of decisions');
  for (const add of [
    addInit,
    addMigrate,
    addSearchCommand,
    addShow,
    addReplay,
    addShadow,
    addNoteCommand,
    addEvents,
    addVerify,
    addIndex,
    addCheckpoint,
    addCopy,
    addErase,
    addPrune,
    addRotate,
  ])
    add(audit, io);
}
