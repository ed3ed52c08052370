/**
 * `node test/support/audit/child.ts DIR KEYS LOG endless|short`: a process that appends to a log and prints a line
 * for each acknowledged record: `ok ID CHAIN SEQ HASH`.
 */

import { writeSync } from 'node:fs';
import { type ChainWriter, openChain } from '../../../src/audit/store/chain.ts';
import { folderAt } from '../../../src/audit/store/files.ts';
import { VerdictError } from '../../../src/errors.ts';
import { appendTo, markBody } from './check.ts';

const [, , dir = '', keys = '', log = '', how] = process.argv;

/** Small, so that segments are closed often. */
const SEGMENT_BYTES = 20_000;

const MOST_RECORDS = 10_000;

// Not `process.stdout`: the reader must have the line even if the process is killed next.
const say = (...words: readonly (string | number)[]) => writeSync(1, `${words.join(' ')}\n`);
const PLACE = { dir: folderAt(dir), keys: folderAt(keys), log };
const open = () => openChain({ ...PLACE, engine: '0.1.0', segmentBytes: SEGMENT_BYTES, encrypt: markBody });

async function append(writer: ChainWriter): Promise<void> {
  const { id, appended } = await appendTo(writer);
  say('ok', id, appended.chain, appended.seq, appended.hash);
}

/** Reports a failure, and whether it is the expected one. */
function sayFailure(error: unknown): undefined {
  const isExpected = error instanceof VerdictError && error.code === 'AUDIT_FAILED';
  say(isExpected ? 'failed' : `unexpected ${error}`);
}

async function appendForEver(): Promise<void> {
  const writer = await open();
  say('opened', writer.chain);
  const appendOn = async () => {
    // Ends by itself if it is never killed.
    for (let record = 0; record < MOST_RECORDS; record++) await append(writer);
  };
  await Promise.all([appendOn(), appendOn(), appendOn(), appendOn()]);
}

/** Two runs. Once a write fails, its run must take no more records. */
async function appendSome(): Promise<void> {
  for (let run = 0; run < 2; run++) {
    const writer = await open().catch(sayFailure);
    let hasFailed = false;
    for (let wave = 0; writer && wave < 4; wave++) {
      for (const { status } of await Promise.allSettled([append(writer), append(writer)])) {
        if (status === 'rejected') say('failed');
        else if (hasFailed) say('unexpected: taken after a failure');
        hasFailed ||= status === 'rejected';
      }
    }
    await writer?.close();
  }
  say('done');
}

say('begun');
await (how === 'endless' ? appendForEver() : appendSome());
