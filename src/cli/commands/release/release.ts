/** `verdict release`: rules as numbered releases, which others than their authors approve. */

import type { Command } from 'commander';
import type { Io } from '../../io.ts';
import { addActivate, addApprove, addRestore, addSign } from './approve.ts';
import { addEvidence, addImport, addInit, addPropose } from './propose.ts';
import { addExport, addList, addShow, addVerify } from './show-release.ts';

export function addRelease(program: Command, io: Io): void {
  const release = program
    .command('release')
    .description('propose, approve, activate and verify numbered releases of the rules, which are kept with the log');
  for (const add of [
    ...[addInit, addPropose, addImport, addEvidence, addApprove, addSign, addActivate, addRestore],
    ...[addList, addShow, addVerify, addExport],
  ])
    add(release, io);
}
