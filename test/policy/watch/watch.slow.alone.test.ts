/**
 * A policy that is watched while its files change: real files, real events of the system, and no waiting but
 * for what comes.
 */

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createDecider } from '../../../src/decision/decide.ts';
import { DiagnosticsError, isPrivate } from '../../../src/diagnostics.ts';
import { VerdictError } from '../../../src/errors.ts';
import { checkGuarantees } from '../../../src/lab/prove/prove.ts';
import { Conjunctions } from '../../../src/policy/cells/conjunctions.ts';
import { readPolicy } from '../../../src/policy/load.ts';
import { PolicyFolder } from '../../../src/policy/read/files/folder.ts';
import { mappingOf, policyData, positionsOf } from '../../../src/policy/source-map.ts';
import { readFiles } from '../../../src/policy/watch/read-files.ts';
import { readInWorker } from '../../../src/policy/watch/reading-worker.ts';
import {
  type InForce,
  type PolicyWatcher,
  type ProvingOptions,
  type WatchOptions,
  watchPolicy,
} from '../../../src/policy/watch/watch.ts';
import { FileWatch } from '../../../src/policy/watch/watch-files.ts';
import { temporaryFolder } from '../../support/policy/policy.ts';

const WATCH = resolve(import.meta.dirname, '../../../src/policy/watch/watch.ts');
/** So that nothing but an event of the system can be what a test saw. */
const NO_POLL_MS = 3_600_000;

const policyText = (version: string, rest = '') => `policy: test\nversion: "${version}"\ndefault: accept\n${rest}`;
const ruleText = (id: string) => `rules:\n  - { id: ${id}, when: { phone.score: { above: 50 } }, then: review }\n`;
const LISTS = 'lists:\n  domains: { file: lists/domains.txt }\n';
const MAPPING = 'signals:\n  phone.score: { at: $.phone.score }\n';

/** What was called, with what. */
type Called = InForce | DiagnosticsError;

interface Watched {
  readonly watcher: PolicyWatcher;
  readonly calls: readonly Called[];
  /** The next call that nobody has taken yet. */
  next(): Promise<Called>;
  write(name: string, text: string): void;
  /** Writes a file as editors do: beside it, then in its place. */
  replace(name: string, text: string): void;
  path(name: string): string;
}

function watched(files: Readonly<Record<string, string>>, options: Partial<WatchOptions> = {}): Watched {
  const folder = temporaryFolder(files);
  const calls: Called[] = [];
  let taken = 0;
  let wake = () => {};
  const take = (call: Called) => {
    calls.push(call);
    wake();
  };
  const path = (name: string) => join(folder, name);
  const write = (name: string, text: string) => {
    mkdirSync(dirname(path(name)), { recursive: true });
    writeFileSync(path(name), text);
  };
  const watcher = watchPolicy(path('policy.yaml'), {
    pollMs: NO_POLL_MS,
    onChange: take,
    onError: take,
    ...options,
    ...(options.mapping === undefined ? {} : { mapping: path(String(options.mapping)) }),
  });
  onTestFinished(() => watcher.close());
  return {
    watcher,
    calls,
    path,
    write,
    replace: (name, text) => {
      write(`${name}.new`, text);
      renameSync(path(`${name}.new`), path(name));
    },
    next: async () => {
      while (calls.length === taken) await new Promise<void>((done) => (wake = done));
      return calls[taken++] as Called;
    },
  };
}

/** The version of the policy that a change has put in force; a call of `onError` fails the test. */
async function nextVersion({ next, watcher }: Watched): Promise<string> {
  const call = await next();
  if (call instanceof DiagnosticsError) throw call;
  expect(watcher.policy).toBe(call.policy);
  return call.policy.version;
}

/** `code` and the codes of the diagnostics of the next call, which has to be of `onError`. */
async function nextError({ next }: Watched): Promise<readonly string[]> {
  const call = await next();
  if (!(call instanceof DiagnosticsError)) throw new Error(`a change to ${call.policy.version}, not an error`);
  return [call.code, ...call.diagnostics.map(({ severity, code }) => `${severity} ${code}`)];
}

describe('without an event of the system', () => {
  const pollMs = 1000;
  afterEach(() => {
    vi.useRealTimers();
  });
  // With the clock: the fingerprint of a file that was written within the last 20 ms changes by itself.
  const fakeTimers = () =>
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'setInterval', 'clearTimeout', 'clearInterval'] });

  /** Runs all timers of that time, and then waits until the files have been read. */
  async function advance(ms: number): Promise<void> {
    // The thread that reads has the real clock, by which the files must not be young either.
    await sleep(30);
    const taking = vi.spyOn(FileWatch.prototype, 'watch');
    vi.advanceTimersByTime(ms);
    await vi.waitFor(() => expect(taking).toHaveBeenCalled());
    taking.mockRestore();
  }

  // The first test of the file: a thread of another one would end by the real clock.
  it('the thread that reads ends ten seconds after the last reading, and another one starts when it is needed', async () => {
    fakeTimers();
    const { watcher, write } = watched({ 'policy.yaml': policyText('1') }, { pollMs });
    const ending = vi.spyOn(Worker.prototype, 'terminate');
    onTestFinished(() => ending.mockRestore());
    for (const version of ['2', '3']) {
      write('policy.yaml', policyText(version));
      await advance(2 * pollMs);
      await vi.waitFor(() => expect(watcher.policy.version).toBe(version));
      expect(ending).not.toHaveBeenCalled();
    }
    vi.advanceTimersByTime(10_000);
    expect(ending).toHaveBeenCalledOnce();
    write('policy.yaml', policyText('4'));
    await advance(2 * pollMs);
    await vi.waitFor(() => expect(watcher.policy.version).toBe('4'));
  });

  it('a change is found by looking', async () => {
    fakeTimers();
    const { watcher, replace } = watched({ 'policy.yaml': policyText('1') }, { pollMs });
    replace('policy.yaml', policyText('2'));
    vi.advanceTimersByTime(pollMs - 1);
    expect(watcher.policy.version).toBe('1');
    await advance(101);
    expect(watcher.policy.version).toBe('2');
  });

  it('a folder above that was replaced is found by looking, and what is in it is watched from then on', async () => {
    const deep = { 'policy.yaml': policyText('1', 'ruleSets: [a/b/rules.yaml]\n'), 'a/b/rules.yaml': ruleText('one') };
    const policy = watched(deep, { pollMs: 20 });
    renameSync(policy.path('a'), policy.path('old'));
    policy.write('a/b/rules.yaml', ruleText('two'));
    await nextVersion(policy);
    rmSync(policy.path('old'), { recursive: true });
    policy.write('a/b/rules.yaml', ruleText('three'));
    await nextVersion(policy);
    expect(policy.watcher.policy.rules.map(({ id }) => id)).toEqual(['three']);
  });

  it('an edit that changes nothing calls nothing', async () => {
    fakeTimers();
    const { watcher, write, calls } = watched({ 'policy.yaml': policyText('1') }, { pollMs });
    const before = watcher.policy;
    write('policy.yaml', `# A comment.\n${policyText('1')}`);
    await advance(10 * pollMs);
    expect([watcher.policy, calls]).toEqual([before, []]);
    expect(watcher.policy).toBe(before);
    write('policy.yaml', policyText('2'));
    await advance(10 * pollMs);
    expect(calls).toHaveLength(1);
  });

  it('a broken edit is reported once, however often it is polled', async () => {
    fakeTimers();
    const { write, calls } = watched({ 'policy.yaml': policyText('1') }, { pollMs });
    write('policy.yaml', 'policy: [');
    await advance(10 * pollMs);
    expect(calls).toHaveLength(1);
    const reading = vi.spyOn(Worker.prototype, 'postMessage');
    vi.advanceTimersByTime(10 * pollMs);
    expect(reading).not.toHaveBeenCalled();
    reading.mockRestore();
  });

  it('a change waits until the files have been at rest', async () => {
    fakeTimers();
    const { write, calls } = watched({ 'policy.yaml': policyText('0') }, { pollMs: 60 });
    for (let i = 1; i <= 9; i++) {
      write('policy.yaml', policyText('1'.repeat(i)));
      vi.advanceTimersByTime(60);
      expect(calls).toEqual([]);
    }
    await advance(200);
    expect(calls).toMatchObject([{ policy: { version: '111111111' } }]);
  });

  it('nothing is called after close, and nothing is left that could call', () => {
    fakeTimers();
    const { watcher, write, calls } = watched({ 'policy.yaml': policyText('1') }, { pollMs });
    write('policy.yaml', policyText('2'));
    vi.advanceTimersByTime(pollMs + 50); // found, and waiting until it is at rest
    watcher.close();
    watcher.close();
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(10 * pollMs);
    expect(calls).toEqual([]);
    expect(watcher.policy.version).toBe('1');
  });
});

describe('a watched policy', () => {
  it('is loaded at once', () => {
    const { watcher, calls } = watched({ 'policy.yaml': policyText('1') });
    expect(watcher.policy.version).toBe('1');
    expect(watcher.mapping).toBeUndefined();
    expect(calls).toEqual([]);
  });

  it('that has errors to begin with throws all of them', () => {
    expect(() => watched({ 'policy.yaml': policyText('1', 'defualt: accept\n') })).toThrow(
      expect.objectContaining({ code: 'POLICY_INVALID', message: expect.stringContaining('did you mean "default"?') }),
    );
  });

  it('keeps the values that are set for its parameters; without a parameter that is set, an edit is broken', async () => {
    const text = (version: string) => policyText(version, 'parameters: { limit: 1 }\n');
    const policy = watched({ 'policy.yaml': text('1') }, { parameters: { limit: 7 } });
    policy.write('policy.yaml', text('2'));
    expect(await nextVersion(policy)).toBe('2');
    expect(policy.watcher.policy.parameters.get('limit')?.value).toBe(7);
    policy.write('policy.yaml', policyText('3'));
    expect(await nextError(policy)).toEqual(['POLICY_INVALID', 'error unknown-parameter']);
    expect(policy.watcher.policy.version).toBe('2');
  });

  it('changes when its file is written', async () => {
    const policy = watched({ 'policy.yaml': policyText('1') });
    policy.write('policy.yaml', policyText('2'));
    expect(await nextVersion(policy)).toBe('2');
  });

  it('is read in a thread of its own and without the checks: both would block a live service', async () => {
    const { watcher, next, write, path } = watched({ 'policy.yaml': policyText('1', ruleText('a')) });
    const checks = vi.spyOn(Conjunctions.prototype, 'of');
    const opened = vi.spyOn(PolicyFolder.prototype, 'readRoot');
    onTestFinished(() => void vi.restoreAllMocks());
    write('policy.yaml', policyText('2', ruleText('b')));
    await next();
    expect(watcher.policy.version).toBe('2');
    expect(checks).not.toHaveBeenCalled();
    expect(opened).not.toHaveBeenCalled();
    readPolicy(path('policy.yaml'));
    expect(checks).toHaveBeenCalled();
    expect(opened).toHaveBeenCalled();
  });

  it('stays in force if the thread that reads it ends, which is reported; the next edit is read again', async () => {
    const policy = watched({ 'policy.yaml': policyText('1') });
    const post = vi.spyOn(Worker.prototype, 'postMessage').mockImplementation(function (this: Worker) {
      void this.terminate();
    });
    onTestFinished(() => post.mockRestore());
    policy.write('policy.yaml', policyText('2'));
    expect(await nextError(policy)).toEqual(['POLICY_INVALID', 'error file-unreadable']);
    expect(policy.watcher.policy.version).toBe('1');
    expect(policy.watcher.brokenSince).toBeDefined();
    post.mockRestore();
    policy.write('policy.yaml', policyText('3'));
    expect(await nextVersion(policy)).toBe('3');
    expect(policy.watcher.brokenSince).toBeUndefined();
  });

  it('is read in the process where no thread can be started', async () => {
    const folder = temporaryFolder({ 'policy.yaml': policyText('1') });
    const code = `
      import { writeFileSync } from 'node:fs';
      import { watchPolicy } from ${JSON.stringify(WATCH)};
      const file = ${JSON.stringify(join(folder, 'policy.yaml'))};
      const watcher = watchPolicy(file, {
        pollMs: 20,
        onError: ({ message }) => { throw new Error(message); },
        onChange: ({ policy }) => { console.log(policy.version); watcher.close(); },
      });
      writeFileSync(file, ${JSON.stringify(policyText('2'))});
    `;
    // The permission to start threads is not among these.
    const permissions = [
      '--permission',
      '--allow-fs-read=*',
      '--allow-fs-write=*',
      '--disable-warning=SecurityWarning',
    ];
    const run = promisify(execFile)(process.execPath, [...permissions, '--input-type=module', '-e', code]);
    expect((await run).stdout).toBe('2\n');
  });

  it('has the digest, the positions and the problems that it has where it is read in the process', async () => {
    const listsText = 'lists:\n  domains: { file: lists/domains.txt }\n  numbers: ["+447400123456", "+12025550101"]\n';
    const files = {
      'policy.yaml': policyText('1', `ruleSets: [sets/more.yaml]\n${listsText}${ruleText('own')}`),
      'sets/more.yaml': `tables: [{ id: t, rows: { file: t.csv } }]\nconditions:\n  risky:\n    any:\n      - { phone.score: { above: 5 } }\n      - { applicant.emailDomain: { inDomainList: domains } }\nrules:\n  - { id: named, when: risky, then: review }\n`,
      'sets/t.csv': 'phone.type,phone.score,then\nvoip,"{ above: 3 }",review\nmobile,"[1, 2]",reject\n',
      'lists/domains.txt': 'one.example\ntwo.example\n',
      'signals.yaml': MAPPING,
    };
    const folder = temporaryFolder(files);
    const fileOf = (name: string) => ({ path: join(folder, name), shown: name });
    const toRead = { parameters: undefined, filledLists: new Set<string>() };
    const sound = { ...toRead, policy: fileOf('policy.yaml'), mapping: fileOf('signals.yaml') };
    // The fingerprints of younger files change by themselves.
    await sleep(30);
    const [here, there] = [readFiles(sound), await readInWorker(sound)];
    const [own, other] = [here.policy.content, there?.policy.content];
    if (!own || !other) throw new Error(here.policy.diagnostics.map(({ message }) => message).join());
    expect(other.digest).toBe(own.digest);
    expect(policyData(other)).toEqual(policyData(own));
    expect(positionsOf(other)).toEqual(positionsOf(own));
    expect(positionsOf(own).files.map(({ name }) => name)).toEqual([
      'lists/domains.txt',
      'policy.yaml',
      'sets/more.yaml',
      'sets/t.csv',
    ]);
    expect(there?.mapping?.content?.digest).toBe(here.mapping?.content?.digest);
    expect([there?.stamps, there?.filledLists]).toEqual([here.stamps, here.filledLists]);

    writeFileSync(join(folder, 'lists/domains.txt'), 'one.example\njo.canary@@x until 2026-99-99\n');
    writeFileSync(join(folder, 'signals.yaml'), MAPPING.replace('score:', 'scroe:'));
    await sleep(30);
    const [broken, brokenThere] = [readFiles(sound), await readInWorker(sound)];
    expect(brokenThere).toEqual(broken);
    expect(broken.policy.diagnostics).not.toEqual([]);
    expect(broken.mapping?.diagnostics).not.toEqual([]);
    expect(brokenThere?.policy.diagnostics.map(isPrivate)).toEqual(broken.policy.diagnostics.map(isPrivate));
    expect(broken.policy.diagnostics.map(isPrivate)).toContain(true);
  });

  it('changes each time an editor replaces the file', async () => {
    const policy = watched({ 'policy.yaml': policyText('1') });
    for (const version of ['2', '3', '4']) {
      policy.replace('policy.yaml', policyText(version));
      expect(await nextVersion(policy)).toBe(version);
    }
  });

  it('changes once after a burst of writes, to the last version', async () => {
    const policy = watched({ 'policy.yaml': policyText('0') });
    for (let i = 1; i <= 10; i++) policy.write('policy.yaml', policyText(String(i)));
    expect(await nextVersion(policy)).toBe('10');
    expect(policy.calls).toHaveLength(1);
  });

  it('changes with its rule sets, however they nest, and its list files', async () => {
    const policy = watched({
      'policy.yaml': policyText('1', `ruleSets: [sets/outer.yaml]\n${LISTS}`),
      'sets/outer.yaml': 'ruleSets: [deep/inner.yaml]\n',
      'sets/deep/inner.yaml': ruleText('before'),
      'lists/domains.txt': 'one.example\n',
    });
    policy.replace('sets/deep/inner.yaml', ruleText('after'));
    await nextVersion(policy);
    expect(policy.watcher.policy.rules.map(({ id }) => id)).toEqual(['after']);
    policy.write('lists/domains.txt', 'one.example\ntwo.example\n');
    await nextVersion(policy);
    expect([...(policy.watcher.policy.lists.get('domains')?.entries.keys() ?? [])]).toEqual([
      'one.example',
      'two.example',
    ]);
  });

  it('changes with a rule set that an edit has come to name', async () => {
    const policy = watched({ 'policy.yaml': policyText('1') });
    policy.write('new/rules.yaml', ruleText('first'));
    policy.write('policy.yaml', policyText('2', 'ruleSets: [new/rules.yaml]\n'));
    expect(await nextVersion(policy)).toBe('2');
    policy.write('new/rules.yaml', ruleText('second'));
    await nextVersion(policy);
    expect(policy.watcher.policy.rules.map(({ id }) => id)).toEqual(['second']);
  });

  it('changes with the file that a link leads to, and with the link', async () => {
    const folder = temporaryFolder({ 'a/policy.yaml': policyText('1'), 'b/policy.yaml': policyText('3') });
    const path = (name: string) => join(folder, name);
    symlinkSync('a', path('current'));
    symlinkSync('current/policy.yaml', path('link.yaml'));
    let change = Promise.withResolvers<string>();
    const watcher = watchPolicy(path('link.yaml'), {
      pollMs: NO_POLL_MS,
      onChange: ({ policy: { version } }) => change.resolve(version),
      onError: (error) => change.reject(error),
    });
    onTestFinished(() => watcher.close());
    writeFileSync(path('a/policy.yaml'), policyText('2'));
    expect(await change.promise).toBe('2');
    change = Promise.withResolvers();
    symlinkSync('b', path('current.new'));
    renameSync(path('current.new'), path('current'));
    expect(await change.promise).toBe('3');
  });

  it('swaps together with its mapping, and only where both are sound', async () => {
    const files = { 'policy.yaml': policyText('1'), 'signals.yaml': MAPPING };
    const policy = watched(files, { mapping: 'signals.yaml' });
    const before = policy.watcher.mapping;
    expect(mappingOf(policy.watcher.policy)).toBe(before);
    expect(before?.signals.has('phone.score')).toBe(true);
    policy.write('policy.yaml', policyText('2'));
    policy.write('signals.yaml', 'signals:\n  phone.scrore: { at: $.phone.score }\n');
    expect(await nextError(policy)).toEqual(['MAPPING_INVALID', 'error unknown-fact']);
    expect([policy.watcher.policy.version, policy.watcher.mapping]).toEqual(['1', before]);
    policy.replace('signals.yaml', 'signals:\n  email.address.score: { at: $.email.score }\n');
    expect(await nextVersion(policy)).toBe('2');
    expect([...(policy.watcher.mapping?.signals.keys() ?? [])]).toEqual(['email.address.score']);
    expect(mappingOf(policy.watcher.policy)).toBe(policy.watcher.mapping);
  });
});

describe('a broken edit', () => {
  it('leaves the old policy in force and reports all of its problems', async () => {
    const policy = watched({ 'policy.yaml': policyText('1') });
    const before = policy.watcher.policy;
    policy.write('policy.yaml', policyText('2', 'scroe: {}\nrulse: []\n'));
    expect(await nextError(policy)).toEqual(['POLICY_INVALID', 'error unknown-key', 'error unknown-key']);
    expect(policy.watcher.policy).toBe(before);
    policy.write('policy.yaml', policyText('3'));
    expect(await nextVersion(policy)).toBe('3');
  });

  it('is told with the time of the first one, until an edit is right', async () => {
    const began = new Date().toISOString();
    const policy = watched({ 'policy.yaml': policyText('1') });
    expect(policy.watcher.brokenSince).toBeUndefined();
    policy.write('policy.yaml', policyText('2', 'rulse: []\n'));
    await nextError(policy);
    const { brokenSince = '' } = policy.watcher;
    expect(brokenSince >= began && brokenSince <= new Date().toISOString()).toBe(true);
    policy.write('policy.yaml', policyText('2', 'rlues: []\n'));
    await nextError(policy);
    expect(policy.watcher.brokenSince).toBe(brokenSince);
    policy.write('policy.yaml', policyText('3'));
    await nextVersion(policy);
    expect(policy.watcher.brokenSince).toBeUndefined();
  });

  it('is a list that is a link out of the folder for a moment', async () => {
    const outside = join(temporaryFolder({ 'domains.txt': 'outside.example\n' }), 'domains.txt');
    const policy = watched({ 'policy.yaml': policyText('1', LISTS), 'lists/domains.txt': 'one.example\n' });
    symlinkSync(outside, policy.path('lists/link'));
    renameSync(policy.path('lists/link'), policy.path('lists/domains.txt'));
    expect(await nextError(policy)).toEqual(['POLICY_INVALID', 'error file-outside']);
    policy.replace('lists/domains.txt', 'one.example\ntwo.example\n');
    await nextVersion(policy);
    expect([...(policy.watcher.policy.lists.get('domains')?.entries.keys() ?? [])]).toContain('two.example');
  });

  it('may be fixed in another file than the one that broke it', async () => {
    const policy = watched({ 'policy.yaml': policyText('1') });
    policy.write('policy.yaml', policyText('2', 'ruleSets: [rules.yaml]\n'));
    expect(await nextError(policy)).toEqual(['POLICY_INVALID', 'error file-unreadable']);
    policy.write('rules.yaml', ruleText('late'));
    expect(await nextVersion(policy)).toBe('2');
  });

  it('may be that the file is not there any more', async () => {
    const policy = watched({ 'policy.yaml': policyText('1') });
    unlinkSync(policy.path('policy.yaml'));
    expect(await nextError(policy)).toEqual(['POLICY_INVALID', 'error file-unreadable']);
    policy.write('policy.yaml', policyText('2'));
    expect(await nextVersion(policy)).toBe('2');
  });

  it('is a list file that becomes empty, however often it is read', async () => {
    const policy = watched({ 'policy.yaml': policyText('1', LISTS), 'lists/domains.txt': 'one.example\n' });
    policy.write('lists/domains.txt', '# nothing\n');
    expect(await nextError(policy)).toEqual(['POLICY_INVALID', 'error empty-list']);
    policy.write('policy.yaml', policyText('2', LISTS));
    expect(await nextError(policy)).toEqual(['POLICY_INVALID', 'error empty-list']);
    expect(policy.watcher.policy.lists.get('domains')?.entries.size).toBe(1);
    policy.write('lists/domains.txt', 'two.example\n');
    expect(await nextVersion(policy)).toBe('2');
  });

  it('is a list file in CSV of which the header is left', async () => {
    const lists = LISTS.replace('.txt', '.csv');
    const policy = watched({ 'policy.yaml': policyText('1', lists), 'lists/domains.csv': 'value\none.example\n' });
    policy.write('lists/domains.csv', 'value\n');
    expect(await nextError(policy)).toEqual(['POLICY_INVALID', 'error empty-list']);
    expect(policy.watcher.policy.lists.get('domains')?.entries.size).toBe(1);
  });

  it.each([['phone.type,then\n'], [''], ['phone.type,then\nvoip,rev']])(
    'is the file of a table cut to %j',
    async (cut) => {
      const table = 'tables:\n  - { id: t, rows: { file: t.csv } }\n';
      const policy = watched({ 'policy.yaml': policyText('1', table), 't.csv': 'phone.type,then\nvoip,review\n' });
      policy.write('t.csv', cut);
      expect((await nextError(policy))[0]).toBe('POLICY_INVALID');
      expect(policy.watcher.policy.rules).toHaveLength(1);
      policy.write('t.csv', 'phone.type,then\nvoip,reject\n');
      await nextVersion(policy);
      expect(policy.watcher.policy.rules).toMatchObject([{ id: 't/1', reason: 'T_1' }]);
    },
  );

  it('is no list file that was empty from the beginning, and no list that is emptied where it is declared', async () => {
    const policy = watched({ 'policy.yaml': policyText('1', LISTS), 'lists/domains.txt': '# nothing yet\n' });
    policy.write('policy.yaml', policyText('2', LISTS));
    expect(await nextVersion(policy)).toBe('2');
    policy.write('lists/domains.txt', 'one.example\n');
    expect(await nextVersion(policy)).toBe('2');
    policy.write('policy.yaml', policyText('3', 'lists:\n  domains: []\n'));
    expect(await nextVersion(policy)).toBe('3');
  });
});

describe('a policy that loses its rules', () => {
  /** Rules of a policy, by their ids: `[1, 2, 3]`. */
  const rulesText = (ids: readonly number[], more = '') =>
    `rules:\n${ids.map((id) => `  - { id: r${id}, when: { phone.score: ${id} }, then: review${more} }\n`).join('')}`;
  const FOUR = policyText('1', rulesText([1, 2, 3, 4]));
  const LOST = ['POLICY_INVALID', 'error rules-lost'];

  /** What an edit of a policy with four rules leads to: the new version, or the codes of the error. */
  async function afterEdit(text: string, options: Partial<WatchOptions> = {}, before = FOUR) {
    const policy = watched({ 'policy.yaml': before }, options);
    policy.write('policy.yaml', text);
    const call = await policy.next();
    if (!(call instanceof DiagnosticsError)) return call.policy.version;
    expect(policy.watcher.policy.version).toBe('1');
    return [call.code, ...call.diagnostics.map(({ severity, code }) => `${severity} ${code}`)];
  }

  it.each([
    ['is cut before them', policyText('2')],
    ['has an empty list of them', policyText('2', 'rules: []\n')],
    ['keeps less than half of them', policyText('2', rulesText([1]))],
    ['has them in shadow mode', policyText('2', rulesText([1, 2, 3, 4], ', mode: shadow'))],
    ['has rules of past days', policyText('2', rulesText([1, 2, 3, 4], ', until: 2020-12-31'))],
    ['has rules of days to come', policyText('2', rulesText([1, 2, 3, 4], ', from: 9999-12-31'))],
    ['has none, even if it reviews everybody', policyText('2').replace('accept', 'review')],
  ])('stays as it was if the edited one %s', async (_, text) => {
    expect(await afterEdit(text)).toEqual(LOST);
  });

  it.each([
    ['keeps half of them', policyText('2', rulesText([1, 2]))],
    ['has other rules in their place', policyText('2', rulesText([6, 7, 8, 9]))],
    [
      'has a row of a table for each',
      policyText('2', 'tables:\n  - id: t\n    columns: [phone.score, then]\n    rows: [[1, review], [2, review]]\n'),
    ],
  ])('changes if the edited one %s', async (_, text) => {
    expect(await afterEdit(text)).toBe('2');
  });

  it('stays as it was if it reviewed everybody without rules, and would now accept everybody', async () => {
    const reviewing = policyText('1').replace('accept', 'review');
    expect(await afterEdit(policyText('2'), {}, reviewing)).toEqual(LOST);
  });

  it('changes if rules that are not active are taken away', async () => {
    const active = policyText('1', rulesText([1]));
    const withOthers = active + rulesText([2, 3, 4], ', mode: shadow').replace('rules:\n', '');
    expect(await afterEdit(policyText('2', rulesText([1])), {}, withOthers)).toBe('2');
  });

  it('changes with `allowShrink: true`', async () => {
    expect(await afterEdit(policyText('2'), { allowShrink: true })).toBe('2');
  });

  it('tells which file lost them, how many there were, and how to mean it', async () => {
    const files = { 'policy.yaml': policyText('1', 'ruleSets: [more.yaml]\n'), 'more.yaml': rulesText([1, 2, 3]) };
    const policy = watched(files);
    policy.write('more.yaml', 'rules: []\n');
    const call = await policy.next();
    expect(call instanceof DiagnosticsError && call.message.replaceAll(policy.path(''), '')).toMatchInlineSnapshot(`
      "1 error:
      /more.yaml: error[rules-lost]: found no active rule, so \`default: accept\` would accept every applicant; the policy in force has 3
        hint: the policy in force stays; if this is intended, set \`allowShrink: true\` in the options of \`watchPolicy\`"
    `);
    policy.write('more.yaml', rulesText([3, 4]));
    await nextVersion(policy);
    expect(policy.watcher.policy.rules.map(({ id }) => id)).toEqual(['r3', 'r4']);
  });

  it('is reported together with the problems of the mapping', async () => {
    const policy = watched({ 'policy.yaml': FOUR, 'signals.yaml': MAPPING }, { mapping: 'signals.yaml' });
    policy.write('signals.yaml', 'signals:\n  phone.scrore: { at: $.phone.score }\n');
    policy.write('policy.yaml', policyText('2'));
    expect([await nextError(policy), await nextError(policy)]).toEqual([
      LOST,
      ['MAPPING_INVALID', 'error unknown-fact'],
    ]);
  });
});

describe('a decision', () => {
  it('uses one policy from beginning to end, even if another comes into force meanwhile', async () => {
    const policy = watched({ 'policy.yaml': policyText('1', ruleText('first')) });
    const service = Promise.withResolvers<never>();
    let asked = 0;
    const verify = {
      verify: () => {
        asked++;
        return service.promise;
      },
    };
    const decider = createDecider({ policy: () => policy.watcher.policy, verify });
    const begin = () => decider.decide({ phoneNo: '+12025550101' });
    const decisions = [begin()];
    for (const [version, rule] of [
      ['2', 'second'],
      ['3', 'third'],
    ] as const) {
      policy.replace('policy.yaml', policyText(version, ruleText(rule)));
      expect(await nextVersion(policy)).toBe(version);
      decisions.push(begin());
    }
    expect(asked).toBeGreaterThan(0);
    service.reject(new Error('a service that is of no concern here'));
    const results = await Promise.all(decisions);
    expect(
      results.map((decision) => [decision.policy.version, ...decision.undetermined.map(({ rule }) => rule)]),
    ).toEqual([
      ['1', 'first'],
      ['2', 'second'],
      ['3', 'third'],
    ]);
  });
});

describe('a decider', () => {
  it('takes what is in force from a watched policy and its mapping', async () => {
    const folder = temporaryFolder({ 'policy.yaml': policyText('1', ruleText('one')), 'signals.yaml': MAPPING });
    const watcher = watchPolicy(join(folder, 'policy.yaml'), {
      mapping: join(folder, 'signals.yaml'),
      onError: (error) => expect.fail(error.message),
    });
    onTestFinished(() => watcher.close());
    const verify = { verify: () => Promise.reject(new Error('a service that is of no concern here')) };
    const decider = createDecider({ policy: () => watcher.policy, mapping: () => watcher.mapping, verify });
    const { policy, mapping } = await decider.decide({ phoneNo: '+12025550101' });
    expect([policy.digest, mapping]).toEqual([watcher.policy.digest, watcher.mapping.digest]);
  });
});

describe('a process that watches', () => {
  const program = (options: string, rest = '') => [
    '--input-type=module',
    '-e',
    `import { watchPolicy } from ${JSON.stringify(WATCH)};
     const watcher = watchPolicy(process.argv[1], { onError: () => {}, ${options} });
     console.log('watching'); ${rest}`,
  ];

  it('runs on until the watching is closed', async () => {
    const file = join(temporaryFolder({ 'policy.yaml': policyText('1') }), 'policy.yaml');
    const onChange = 'onChange: ({ policy }) => { console.log(policy.version); watcher.close(); }';
    // The thread that reads would go on for ten seconds: here, for ever.
    const endless = `const set = setTimeout; globalThis.setTimeout = (f, ms) => set(f, ms < 10_000 ? ms : 2 ** 31 - 1);`;
    const options = ['--import', `data:text/javascript,${encodeURIComponent(endless)}`];
    const child = spawn(process.execPath, [...options, ...program(onChange), file], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exit = once(child, 'exit');
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      printed += text;
      if (text.includes('watching')) writeFileSync(file, policyText('2'));
    });
    expect(await exit).toEqual([0, null]);
    expect(printed).toBe('watching\n2\n');
  });

  it('may end with `persistent: false`', async () => {
    const file = join(temporaryFolder({ 'policy.yaml': policyText('1') }), 'policy.yaml');
    const { stdout } = await promisify(execFile)(process.execPath, [...program('persistent: false'), file]);
    expect(stdout).toBe('watching\n');
  });
});

describe('guarantees that are to be proved', () => {
  const guaranteed = (version: string, limit: number) =>
    policyText(
      version,
      `rules:
  - { id: risky, when: { phone.score: { above: ${limit} } }, then: review }
guarantees:
  - { id: very-risky, never: accept, when: { phone.score: { above: 80 } } }
`,
    );

  /** Watches a policy; each proof ends when the test says so. */
  async function proving(text: string, prove: ProvingOptions['prove']) {
    const folder = temporaryFolder({ 'policy.yaml': text });
    const calls: Called[] = [];
    let wake = () => {};
    const take = (call: Called) => {
      calls.push(call);
      wake();
    };
    const file = join(folder, 'policy.yaml');
    const watcher = await watchPolicy(file, { pollMs: NO_POLL_MS, onChange: take, onError: take, prove });
    onTestFinished(() => watcher.close());
    const next = async () => {
      while (calls.length === 0) await new Promise<void>((done) => (wake = done));
      return calls.shift() as Called;
    };
    return { watcher, next, write: (edited: string) => writeFileSync(file, edited) };
  }

  it('keep the policy in force if the edited one breaks them', async () => {
    const { watcher, next, write } = await proving(guaranteed('1', 50), checkGuarantees);
    write(guaranteed('2', 90));
    const broken = await next();
    if (!(broken instanceof DiagnosticsError)) throw new Error('came into force');
    expect(broken.diagnostics.map(({ code, message }) => [code, message])).toEqual([
      ['guarantee-broken', expect.stringContaining('the guarantee "very-risky" is broken')],
    ]);
    expect(watcher.policy.version).toBe('1');
    write(guaranteed('3', 80));
    expect(await next()).toMatchObject({ policy: { version: '3' } });
    expect(watcher.policy.version).toBe('3');
  });

  it('keep the first policy from coming into force', async () => {
    const folder = temporaryFolder({ 'policy.yaml': guaranteed('1', 90) });
    const watching = watchPolicy(join(folder, 'policy.yaml'), { onError: () => {}, prove: checkGuarantees });
    await expect(watching).rejects.toMatchObject({ code: 'POLICY_INVALID' });
  });

  it('keep the policy in force if they can be neither proved nor refuted', async () => {
    let isAble = true;
    const { watcher, next, write } = await proving(guaranteed('1', 50), async () => {
      if (isAble) return [];
      throw new VerdictError('CONFIGURATION_INVALID', 'z3 is not installed');
    });
    isAble = false;
    write(guaranteed('2', 60));
    const call = await next();
    expect(String(call)).toContain('error[guarantee-unproved]: the guarantees cannot be proved: z3 is not installed');
    expect(watcher.policy.version).toBe('1');
  });

  it('are those of the last edit: an earlier one whose proof takes longer does not come into force', async () => {
    const ends = new Map<string, (problems: readonly []) => void>();
    let begin = () => {};
    const { watcher, next, write } = await proving(guaranteed('1', 50), ({ version }) => {
      if (version === '1') return Promise.resolve([]);
      return new Promise((done) => {
        ends.set(version, done);
        begin();
      });
    });
    for (const version of ['2', '3']) {
      const begun = new Promise<void>((done) => (begin = done));
      write(guaranteed(version, 60));
      await begun;
    }
    ends.get('2')?.([]);
    ends.get('3')?.([]);
    expect(await next()).toMatchObject({ policy: { version: '3' } });
    expect(watcher.policy.version).toBe('3');
  });
});
