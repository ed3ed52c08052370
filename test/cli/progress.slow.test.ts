/**
 * The counter of a long command: nothing in the first second, then a line that redraws on a terminal, and
 * occasional lines elsewhere.
 */

import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { startCounter } from '../../src/cli/progress.ts';
import { runCli } from '../support/cli/cli.ts';
import { temporaryFolder } from '../support/policy/policy.ts';

/** Starts a counter on a stream with a fake clock. */
function started(isTTY: boolean) {
  const seen = { printed: '', now: 500 };
  const stderr = new Writable({
    write(chunk, _encoding, done) {
      seen.printed += String(chunk);
      done();
    },
  });
  const counter = startCounter({ stderr: Object.assign(stderr, { isTTY, columns: 25 }) }, 'line', () => seen.now);
  return { seen, counter };
}

describe('a counter', () => {
  it('is silent if the command takes less than a second', async () => {
    const { seen, counter } = started(true);
    seen.now += 999;
    counter.tell(7_000);
    await counter.end();
    expect(seen.printed).toBe('');
  });

  it('redraws one line on a terminal four times per second, cut to the width, and clears it at the end', async () => {
    const { seen, counter } = started(true);
    for (let ms = 100; ms <= 1_500; ms += 100) {
      seen.now = 500 + ms;
      counter.tell(ms * 1_000);
    }
    await counter.end();
    const lines = seen.printed.split('\r').slice(1);
    expect(lines).toEqual(['1000000 lines read  1000\x1b[K', '1300000 lines read  1000\x1b[K', '\x1b[K']);
  });

  it('prints a line every ten seconds if not on a terminal', async () => {
    const { seen, counter } = started(false);
    for (let second = 1; second <= 25; second++) {
      seen.now = 500 + second * 1_000;
      counter.tell(second * 3);
    }
    await counter.end();
    expect(seen.printed).toBe('verdict: 30 lines read  3/s\nverdict: 60 lines read  3/s\n');
  });

  it('says which share is read where it is known', async () => {
    const { seen, counter } = started(false);
    seen.now += 10_000;
    counter.tell(30, 0.379);
    await counter.end();
    expect(seen.printed).toBe('verdict: 30 lines read  3/s  37%\n');
  });
});

describe('a command that reads a whole log', () => {
  afterEach(() => void vi.restoreAllMocks());

  it.each([
    ['verify', 'verdict: 1 line read', 'good'],
    ['replay', 'verdict: 1 decision read', '1 the same'],
  ])('shows its progress if it takes long: %s', async (command, message, printed) => {
    const dir = join(temporaryFolder(), 'log');
    await runCli(['audit', 'init', dir]);
    await runCli(['decide', '--sandbox', '--phone', '+12025550101', '--audit', dir]);
    let now = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => {
      now += 20_000;
      return now;
    });
    const { exitCode, stdout, stderr } = await runCli(['audit', command, dir]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain(printed);
    expect(stderr).toContain(message);
  });
});
