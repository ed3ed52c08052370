import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Appender } from '../../../src/cli/bulk/append.ts';
import { intentsFile, openJournal } from '../../../src/cli/bulk/journal.ts';
import { MARK, ReferenceSet } from '../../../src/cli/bulk/reference-set.ts';
import type { Row } from '../../../src/cli/input/applicant-row.ts';
import { thisProcess } from '../../../src/platform/process.ts';
import { temporaryFolder } from '../../support/policy/policy.ts';
import { sampled } from '../../support/sampled.ts';

const decidedBy = { policy: 'sha256:a', mapping: 'sha256:b' };
const OPEN = { takeOver: false, otherPolicy: false, decidedBy };
const decision = (clientReference: string) => JSON.stringify({ line: 2, clientReference, outcome: 'accept' });
const rowOf = (phoneNo: string): Row => ({ line: 2, end: 9, applicant: { phoneNo }, context: {}, variables: {} });
const outIn = (files: Readonly<Record<string, string>> = {}) => join(temporaryFolder(files), 'out.ndjson');

/** A file of decisions and its journal after a run that recorded A, began B, and withdrew C before sending it. */
async function afterRun(): Promise<string> {
  const out = outIn();
  const journal = await openJournal(out, OPEN);
  await journal.begin('A', 2);
  await journal.record(decision('A'));
  await journal.begin('B', 3);
  await journal.begin('C', 4);
  await journal.unsend('C', 'UNREACHABLE');
  await journal.close();
  return out;
}

async function statesIn(out: string, references = ['A', 'B', 'C', 'D']) {
  const journal = await openJournal(out, OPEN);
  const states = references.map((reference) => journal.meet(reference));
  await journal.close();
  return states;
}

describe('the journal', () => {
  it.each(['policy', 'mapping'] as const)('refuses rows by another %s, unless told to go on', async (name) => {
    const out = await afterRun();
    const other = { ...OPEN, decidedBy: { ...decidedBy, [name]: 'sha256:c' } };
    for (let attempt = 0; attempt < 2; attempt++) {
      await expect(openJournal(out, other)).rejects.toThrow(`by another ${name}: name another file with --out`);
      // A run that was refused does not bind the next.
      await (await openJournal(out, OPEN)).close();
    }
    await (await openJournal(out, { ...other, otherPolicy: true })).close();
    await (await openJournal(out, other)).close();
    await expect(openJournal(out, OPEN)).rejects.toThrow('--other-policy');
  });

  it('knows which rows an earlier run recorded, began and withdrew', async () => {
    expect(await statesIn(await afterRun())).toEqual(['recorded', 'begun', 'new', 'new']);
  });

  it('knows a row that repeats an earlier one', async () => {
    expect(await statesIn(outIn(), ['A', 'A'])).toEqual(['new', 'repeated']);
  });

  it('gives a row without a reference the same name in each run on one file, and another in another file', async () => {
    const nameIn = async (out: string, row: Row) => {
      const journal = await openJournal(out, OPEN);
      const name = journal.referenceOf(row);
      await journal.close();
      return name;
    };
    const out = outIn();
    const name = await nameIn(out, rowOf('+447700900461'));
    expect(name).toMatch(/^row-[0-9a-f]{32}$/);
    expect(await nameIn(out, { ...rowOf('+447700900461'), line: 99 })).toBe(name);
    expect(await nameIn(out, rowOf('+447700900462'))).not.toBe(name);
    expect(await nameIn(outIn(), rowOf('+447700900461'))).not.toBe(name);
    expect(await nameIn(out, { ...rowOf('+447700900461'), clientReference: 'R' })).toBe('R');
  });

  it('lists each row once that was begun, is not recorded and is no longer in the file', async () => {
    const out = await afterRun();
    const journal = await openJournal(out, OPEN);
    await journal.begin('D', 5);
    journal.meet('A');
    expect(await Array.fromAsync(journal.lost())).toEqual([{ reference: 'B', line: 3 }]);
    expect(await Array.fromAsync(journal.lost())).toEqual([]);
    await journal.close();
  });

  it('can be read only by its owner', async () => {
    const out = await afterRun();
    for (const file of [out, intentsFile(out)]) expect(statSync(file).mode & 0o777).toBe(0o600);
  });
});

describe('after a kill in the middle of a line', () => {
  it('of the decisions, complete lines are recorded and the torn one is set aside, wherever it is cut', async () => {
    const whole = `${decision('A')}\n${decision('B')}\n`;
    const startOfB = decision('A').length + 1;
    // The last bytes one by one: there the line becomes whole.
    const last = whole.length - 3;
    for (let cut = startOfB; cut <= whole.length; cut += Math.max(1, Math.min(sampled(8, 1), last - cut))) {
      const out = await afterRun();
      writeFileSync(out, whole.slice(0, cut));
      const isWhole = cut >= whole.length - 1;
      expect(await statesIn(out), `cut at ${cut}`).toEqual(['recorded', isWhole ? 'recorded' : 'begun', 'new', 'new']);
      expect(readFileSync(out, 'utf8')).toBe(isWhole ? whole : whole.slice(0, startOfB));
      const torn = whole.slice(startOfB, cut);
      if (isWhole || torn === '') expect(existsSync(`${out}.torn`)).toBe(false);
      else expect(readFileSync(`${out}.torn`, 'utf8')).toBe(`${torn}\n`);
    }
  });

  it('of the journal, each row is known or was never sent, wherever it is cut, also after another run', async () => {
    const whole = readFileSync(intentsFile(await afterRun()), 'utf8');
    const known = (text: string) => {
      const lines = text.split('\n').filter((line) => line.endsWith('}') && line.startsWith('{'));
      const said = lines.map((line) => JSON.parse(line) as { begun?: string; unsent?: string });
      return ['B', 'C'].map((reference) => {
        const last = said.filter(({ begun, unsent }) => begun === reference || unsent === reference).at(-1);
        return last?.begun === undefined ? 'new' : 'begun';
      });
    };
    for (let cut = 0; cut <= whole.length; cut += sampled(7, 1)) {
      // The killed run has ended.
      const text = whole.slice(0, cut).replace(`"pid":${process.pid}`, '"pid":2147483000');
      const out = outIn({ 'out.ndjson.intents': text });
      for (let run = 0; run < 2; run++) {
        expect(await statesIn(out, ['B', 'C']), `cut at ${cut}, run ${run}`).toEqual(known(text));
      }
    }
  });
});

describe('a foreign file', () => {
  it.each<[string, Readonly<Record<string, string>>, string]>([
    ['decisions without their journal', { 'out.ndjson': 'x' }, 'so begun rows are unknown'],
    ['another file at the path of the journal', { 'out.ndjson.intents': 'phone,email\n' }, 'is not an intent log'],
    ['edited decisions', { 'out.ndjson': 'x\n', 'out.ndjson.intents': '' }, 'line 1, is not a decision'],
    [
      'a decision with a duplicate name',
      { 'out.ndjson': `${decision('A').slice(0, -1)},"clientReference":"B"}\n`, 'out.ndjson.intents': '' },
      'line 1, is not a decision',
    ],
    [
      'an edited journal',
      { 'out.ndjson.intents': `\n{"run":1}\n${JSON.stringify({ begun: 'A', line: 1 })}\n` },
      'line 2, cannot be read',
    ],
  ])('is refused and left unchanged: %s', async (_, files, said) => {
    const out = outIn(files);
    await expect(openJournal(out, OPEN)).rejects.toThrow(said);
    if ('out.ndjson' in files) expect(readFileSync(out, 'utf8')).toBe(files['out.ndjson']);
  });
});

describe('two runs on one file', () => {
  it('one after the other: the second is refused until the first has ended', async () => {
    const out = outIn();
    const first = await openJournal(out, OPEN);
    await expect(openJournal(out, OPEN)).rejects.toThrow(
      `another run is writing ${intentsFile(out)} (process ${process.pid})`,
    );
    await first.begin('A', 2);
    await first.close();
    expect(await statesIn(out, ['A'])).toEqual(['begun']);
  });

  it('at the same time: exactly one continues', async () => {
    const out = outIn();
    const opened = await Promise.allSettled(Array.from({ length: 8 }, () => openJournal(out, OPEN)));
    const going = opened.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    expect(going).toHaveLength(1);
    for (const journal of going) await journal.close();
  });

  it('a killed run does not hold the lock, even if another process now has its process id', async () => {
    const line = (id: object) =>
      `\n${JSON.stringify({ run: 'r', key: 'k', ...thisProcess(), at: '2026-11-20T00:00:00.000Z', ...id })}\n`;
    const child = spawn(process.execPath, ['-e', '']);
    await once(child, 'close');
    for (const id of [{ pid: child.pid }, ...(thisProcess().start === null ? [] : [{ start: '1' }])]) {
      expect(await statesIn(outIn({ 'out.ndjson.intents': line(id) }), ['A'])).toEqual(['new']);
    }
  });

  it('a run on another machine holds the lock until the user says that it has ended', async () => {
    const run = { run: 'r', key: 'k', ...thisProcess(), host: `not-${hostname()}`, at: '2026-11-20T00:00:00.000Z' };
    const out = outIn({ 'out.ndjson.intents': `\n${JSON.stringify(run)}\n` });
    await expect(openJournal(out, OPEN)).rejects.toThrow('--take-over');
    const journal = await openJournal(out, { ...OPEN, takeOver: true });
    await journal.close();
  });
});

describe('appended lines', () => {
  /** A file that records its calls in order and completes them on command. */
  function slowFile() {
    const calls: string[] = [];
    let release: (() => void)[] = [];
    const wait = (call: string) => {
      calls.push(call);
      return new Promise<void>((resolve) => release.push(resolve));
    };
    const handle = { appendFile: (text: string) => wait(text), datasync: () => wait('datasync') };
    const step = async () => {
      for (const resolve of release) resolve();
      release = [];
      await new Promise(setImmediate);
    };
    return { calls, step, handle: handle as unknown as FileHandle };
  }

  it('are acknowledged once they are on the disk, and lines that arrive meanwhile are written together', async () => {
    const { calls, step, handle } = slowFile();
    const appender = new Appender(handle);
    const done: string[] = [];
    const append = (text: string) => void appender.append(text).then(() => done.push(text));
    append('a');
    append('b');
    append('c');
    await step();
    expect({ calls, done }).toEqual({ calls: ['a\n', 'datasync'], done: [] });
    await step();
    expect({ calls, done }).toEqual({ calls: ['a\n', 'datasync', 'b\nc\n'], done: ['a'] });
    await step();
    await step();
    expect(done).toEqual(['a', 'b', 'c']);
  });

  it('fail after one of them has failed', async () => {
    const handle = { appendFile: async () => Promise.reject(new Error('full')), datasync: async () => {} };
    const appender = new Appender(handle as unknown as FileHandle);
    const both = [appender.append('a'), appender.append('b')];
    for (const appended of both) await expect(appended).rejects.toThrow('full');
    await expect(appender.append('c')).rejects.toThrow('full');
  });
});

it('the ledger keeps the states of many references apart', () => {
  const ledger = new ReferenceSet();
  const marks = [MARK.begun, MARK.recorded, MARK.seen];
  for (let i = 0; i < 20_000; i++)
    for (const [m, mark] of marks.entries()) if ((i >> m) & 1) ledger.set(`R-${i}`, mark);
  for (let i = 0; i < 20_000; i++) {
    expect(marks.map((mark) => ledger.has(`R-${i}`, mark))).toEqual(marks.map((_, m) => ((i >> m) & 1) === 1));
  }
  expect(ledger.count(MARK.begun, MARK.recorded | MARK.seen)).toBe(2500);
  expect(ledger.has('R-20000', MARK.begun)).toBe(false);
  ledger.clear('R-1', MARK.begun);
  expect(ledger.has('R-1', MARK.begun)).toBe(false);
  expect(ledger.set('R-1', MARK.begun)).toBe(true);
});
