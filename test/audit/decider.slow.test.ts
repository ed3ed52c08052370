/** Deciders that record: what they return, ask and are billed for when the log works, fails, is full, or is slow. */

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { appendFileSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { verifyLog } from '../../src/audit/verify/verify.ts';
import { createDecider } from '../../src/decision/decide.ts';
import type { DeciderOptions } from '../../src/decision/decider-options.ts';
import type { AuditEntry, AuditLog } from '../../src/decision/decision.ts';
import type { DeciderEvent } from '../../src/decision/events.ts';
import type { Verifier } from '../../src/decision/fetch/service-call.ts';
import { VerdictError } from '../../src/errors.ts';
import { loadMapping } from '../../src/facts/mapping/mapping.ts';
import { EVENT_CHANNEL } from '../../src/platform/events.ts';
import { filesWith, localVerifier, logFolder, personOf, troubledFiles } from '../support/audit/decisions.ts';
import { HEAD, policyOf } from '../support/policy/policy.ts';
import { clientOf, sandboxFor } from '../support/signals/service.ts';

const CLEAN = personOf(0);
/** Far fewer records than by default. */
const MOST_WAITING = 64;
const POLICY = `${HEAD}rules:
  - { id: phone-risk, when: { phone.riskLevel: { atLeast: high } }, then: reject }
`;

/** A decider on a sandbox that counts its requests. */
async function onSandbox(audit: AuditLog, options: Partial<DeciderOptions> = {}) {
  const sandbox = await sandboxFor();
  const policy = policyOf(POLICY);
  const decider = createDecider({ policy, verify: clientOf(sandbox), audit, ...options });
  return { decider, billed: () => sandbox.counts.verifies };
}

const locally = (audit: AuditLog, options: Partial<DeciderOptions> = {}) =>
  createDecider({ policy: policyOf(POLICY), verify: localVerifier, audit, ...options });

const failure = (carriedOut: 'no' | 'unknown', message: string) =>
  expect.objectContaining({ code: 'AUDIT_FAILED', carriedOut, message: expect.stringContaining(message) });

/** Several turns of the event loop: enough for anything that does not wait for the disk. */
async function turns(count = 50) {
  for (let i = 0; i < count; i++) await new Promise(setImmediate);
}

describe('a decision that must be recorded', () => {
  it('is durable before it is returned, with all that it is based on', async () => {
    const folder = await logFolder();
    const { files, stall, recover } = troubledFiles();
    const audit = await folder.open({}, files);
    const decider = locally(audit);
    stall();
    let isReturned = false;
    const decided = decider.decide(CLEAN).finally(() => {
      isReturned = true;
    });
    await vi.waitFor(() => expect(folder.decisions()).toHaveLength(1));
    await turns();
    expect(isReturned).toBe(false);
    recover();
    const { id, outcome } = await decided;
    await audit.close();
    const subject = expect.stringMatching(/^1:[0-9a-f]{64}$/);
    const subjects = { phoneNo: subject, email: subject, ip: subject };
    expect(folder.decisions()).toEqual([expect.objectContaining({ id, outcome, subjects, reference: subject })]);
    expect(await verifyLog({ dir: folder.dir, keys: folder.keys })).toMatchObject({ findings: [], erased: 0 });
  });

  it.each<[string, string]>([
    ['is closed', 'the audit log is closed'],
    ['has failed', 'could not be written (EIO)'],
  ])('asks for nothing if the log %s', async (how, said) => {
    const folder = await logFolder();
    const { files, failWith } = troubledFiles();
    const audit = await folder.open({}, files);
    const { decider, billed } = await onSandbox(audit);
    await decider.decide(CLEAN);
    if (how === 'is closed') await audit.close();
    else {
      failWith('EIO');
      await expect(locally(audit).decide({})).rejects.toEqual(failure('no', said));
    }
    await expect(decider.decide(CLEAN)).rejects.toEqual(failure('no', `${said}: no decision is given`));
    await expect(decider.decide({})).rejects.toEqual(failure('no', said));
    expect(billed()).toBe(1);
    await audit.close();
  });

  it('is withheld if its record is not durable, and the error says that it may have been billed', async () => {
    const folder = await logFolder();
    const { files, failWith } = troubledFiles();
    const audit = await folder.open({}, files);
    const { decider, billed } = await onSandbox(audit);
    failWith('ENOSPC');
    const said = '(ENOSPC): no decision is given; the service was asked, which may have been billed';
    await expect(decider.decide(CLEAN)).rejects.toEqual(failure('unknown', said));
    expect(billed()).toBe(1);
    await audit.close();
    const again = await folder.open();
    await (await onSandbox(again)).decider.decide(CLEAN);
    await again.close();
    expect((await verifyLog({ dir: folder.dir, keys: folder.keys })).findings).toEqual([]);
  });

  it('asks for nothing while its policy cannot be kept', async () => {
    const folder = await logFolder();
    let isFull = true;
    const files = filesWith(/policies/, (file) => ({
      write: async (bytes, at) => {
        if (isFull) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
        return file.write(bytes, at);
      },
    }));
    const audit = await folder.open({}, files);
    const { decider, billed } = await onSandbox(audit);
    for (let i = 0; i < 2; i++) await expect(decider.decide(CLEAN)).rejects.toEqual(failure('no', '(ENOSPC)'));
    expect(billed()).toBe(0);
    isFull = false;
    await decider.decide(CLEAN);
    await audit.close();
    expect((await verifyLog({ dir: folder.dir })).findings).toEqual([]);
  });

  it('asks for nothing more in a later stage once the log has failed', async () => {
    const folder = await logFolder();
    const { files, failWith } = troubledFiles();
    const audit = await folder.open({}, files);
    const asked: (readonly string[])[] = [];
    const policy = policyOf(`${HEAD}stages: [[phoneNo], [phoneNo, email]]
rules:
  - { id: phone, when: { phone.riskLevel: { atLeast: high } }, then: review }
  - { id: email, when: { email.address.riskLevel: { atLeast: high } }, then: reject }
`);
    const decider = createDecider({
      policy,
      audit,
      verify: {
        async verify(request) {
          asked.push(Object.keys(request));
          if (asked.length === 1) {
            // Another decision's record is the one that fails.
            failWith('EIO');
            await expect(locally(audit).decide({})).rejects.toBeInstanceOf(VerdictError);
          }
          return localVerifier.verify(request);
        },
      },
    });
    await expect(decider.decide(CLEAN)).rejects.toEqual(failure('unknown', '(EIO)'));
    expect(asked).toHaveLength(1);
    await audit.close();
  });

  it('is given once its record is durable, though its signal aborts while the record is being written', async () => {
    const folder = await logFolder();
    const { files, stall, recover } = troubledFiles();
    const audit = await folder.open({}, files);
    stall();
    const ending = new AbortController();
    let isSettled = false;
    const decided = locally(audit)
      .decide(CLEAN, { signal: ending.signal })
      .finally(() => {
        isSettled = true;
      });
    await vi.waitFor(() => expect(folder.decisions()).toHaveLength(1));
    ending.abort();
    await turns();
    expect(isSettled).toBe(false);
    recover();
    const { id } = await decided;
    await audit.close();
    expect(folder.decisions()).toEqual([expect.objectContaining({ id })]);
  });

  it.each(['required', 'best-effort'] as const)(
    'is not given, but recorded as aborted, if its signal aborts once the service is asked, with a log that is %s',
    async (mode) => {
      const folder = await logFolder();
      const audit = await folder.open({ mode });
      let ending = new AbortController();
      const verify: Verifier = {
        async verify(request) {
          ending.abort();
          return hangs ? new Promise(() => {}) : localVerifier.verify(request);
        },
      };
      const recorded: AuditEntry[] = [];
      const keeping: AuditLog = {
        mode,
        check: (used) => audit.check(used),
        record: (entry) => {
          recorded.push(entry);
          return audit.record(entry);
        },
      };
      let hangs = false;
      for (hangs of [true, false]) {
        ending = new AbortController();
        const decided = locally(keeping, { verify }).decide(CLEAN, { signal: ending.signal, clientReference: 'gone' });
        await expect(decided).rejects.toMatchObject({ code: 'ABORTED', carriedOut: 'unknown' });
      }
      await turns();
      await audit.close();
      expect(folder.decisions().map(({ outcome }) => outcome)).toEqual(['aborted', 'aborted']);
      const signals = recorded.map(({ decision }) => decision.signals);
      expect(signals).toMatchObject([
        { requested: ['phoneNo', 'email', 'ip'], calls: [{ result: 'unknown', error: 'ABORTED' }] },
        { requested: ['phoneNo', 'email', 'ip'], calls: [{ result: 'answered' }] },
      ]);
      expect(recorded.map(({ decision }) => decision.clientReference)).toEqual(['gone', 'gone']);
      for (const { warnings } of signals) expect(warnings.at(-1)?.code).toBe('DECISION_ABORTED');
      expect(recorded[0]?.decision.outcome).toBe('review');
    },
  );

  it('is not recorded if its signal aborts before the service is asked', async () => {
    const folder = await logFolder();
    const audit = await folder.open();
    const decided = locally(audit).decide(CLEAN, { signal: AbortSignal.abort() });
    await expect(decided).rejects.toMatchObject({ code: 'ABORTED', carriedOut: 'no' });
    await turns();
    await audit.close();
    expect(folder.decisions()).toEqual([]);
  });

  it('is refused before any call while the maximum of records wait for the disk', async () => {
    const folder = await logFolder();
    const { files, stall, recover } = troubledFiles();
    const audit = await folder.open({}, files, MOST_WAITING);
    const { decider, billed } = await onSandbox(audit);
    stall();
    const without = locally(audit);
    const waiting = Array.from({ length: MOST_WAITING }, () => without.decide({}));
    await vi.waitFor(async () => expect(await isRefused(audit)).toBe(true));
    await expect(decider.decide(CLEAN)).rejects.toEqual(failure('no', `${MOST_WAITING} records wait`));
    expect(billed()).toBe(0);
    recover();
    expect(await Promise.all(waiting)).toHaveLength(MOST_WAITING);
    await decider.decide(CLEAN);
    await audit.close();
    expect(folder.decisions()).toHaveLength(MOST_WAITING + 1);
  });

  it('is withheld if a custom log throws, and the error repeats nothing of it', async () => {
    const audit: AuditLog = {
      mode: 'required',
      check: async () => {},
      record: () => {
        throw new Error('the phone number 12025550101');
      },
    };
    const error = await locally(audit)
      .decide(CLEAN)
      .catch((caught: unknown) => caught);
    expect(error).toEqual(failure('unknown', 'the decision could not be recorded'));
    expect((error as VerdictError).cause).toBeUndefined();
  });
});

async function isRefused(audit: AuditLog): Promise<boolean> {
  return audit.check({ policy: policyOf(POLICY), mapping: loadMapping() }).then(
    () => false,
    () => true,
  );
}

describe('a decision that is recorded with best effort', () => {
  it('does not wait for the disk, but closing the log does', async () => {
    const folder = await logFolder();
    const { files, stall, recover } = troubledFiles();
    const lost: string[] = [];
    const audit = await folder.open({ mode: 'best-effort', onLost: (_, id) => lost.push(id) }, files);
    const decider = locally(audit);
    stall();
    const ids = [];
    for (let i = 0; i < 20; i++) ids.push((await decider.decide(CLEAN)).id);
    let isClosed = false;
    const closing = audit.close().finally(() => {
      isClosed = true;
    });
    await turns();
    expect(isClosed).toBe(false);
    recover();
    await closing;
    expect(folder.decisions().map(({ id }) => id)).toEqual(ids);
    expect(lost).toEqual([]);
    expect((await verifyLog({ dir: folder.dir, keys: folder.keys })).findings).toEqual([]);
  });

  it('is recorded as it was made, even if the caller changes it meanwhile', async () => {
    const folder = await logFolder();
    const { files, stall, recover } = troubledFiles();
    const audit = await folder.open({ mode: 'best-effort', pii: 'plain' }, files);
    stall();
    const decision = await locally(audit).decide(CLEAN);
    const before = JSON.stringify(decision);
    Object.assign(decision, { outcome: 'reject', reasons: [] });
    Object.assign(decision.signals, { missing: {} });
    recover();
    await audit.close();
    const [record] = folder.decisions();
    const { outcome, reasons, undetermined, score, shadow, clientReference, signals, policy } = JSON.parse(before);
    expect(record?.plain).toMatchObject({
      verdict: { outcome, reasons, undetermined, score, shadow },
      context: { clientReference, language: policy.language, signals },
    });
    expect(record?.outcome).toBe('accept');
  });

  it('is reported as lost if too many wait already', async () => {
    const folder = await logFolder();
    // A record waits for its policy first.
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    let isLate = false;
    const files = filesWith(/policies/, (file) => ({
      datasync: async () => {
        if (isLate) await answered;
        await file.datasync();
      },
    }));
    const lost: VerdictError[] = [];
    const audit = await folder.open({ mode: 'best-effort', onLost: (error) => lost.push(error) }, files, MOST_WAITING);
    isLate = true;
    const decider = locally(audit, { runner: 'matcher' });
    for (let i = 0; i < MOST_WAITING + 10; i++) await decider.decide({});
    await turns();
    expect(lost).toHaveLength(10);
    expect(lost[0]).toEqual(expect.objectContaining({ code: 'AUDIT_FAILED' }));
    answer();
    await audit.close();
    expect(folder.decisions()).toHaveLength(MOST_WAITING);
  });

  it.each<[string, ((error: VerdictError, id: string) => void) | undefined]>([
    ['returns', () => {}],
    [
      'throws',
      () => {
        throw new Error('of the caller');
      },
    ],
    ['is absent', undefined],
  ])('is returned though nothing can be recorded, if onLost %s', async (_, callback) => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    onTestFinished(() => void process.off('unhandledRejection', unhandled));
    const folder = await logFolder();
    const { files, failWith } = troubledFiles();
    const onLost = vi.fn(callback);
    const audit = await folder.open({ mode: 'best-effort', ...(callback ? { onLost } : {}) }, files);
    const { decider, billed } = await onSandbox(audit);
    failWith('ENOSPC');
    const first = await decider.decide(CLEAN);
    await vi.waitFor(() => expect(onLost).toHaveBeenCalledTimes(callback ? 1 : 0));
    const second = await decider.decide(CLEAN);
    await audit.close();
    const third = await decider.decide(CLEAN);
    await turns();
    expect(billed()).toBe(3);
    const lost = expect.objectContaining({ code: 'AUDIT_FAILED' });
    const calls = [first, second, third].map(({ id }) => [lost, id]);
    expect(onLost.mock.calls).toEqual(callback ? calls : []);
    expect(unhandled).not.toHaveBeenCalled();
  });

  it('is told of on every channel if the disk is full', async () => {
    const folder = await logFolder();
    const { files, failWith } = troubledFiles();
    const onLost = vi.fn();
    const audit = await folder.open({ mode: 'best-effort', onLost }, files);
    const events: DeciderEvent[] = [];
    const published: unknown[] = [];
    const onPublished = (event: unknown) => void published.push(event);
    subscribe(EVENT_CHANNEL, onPublished);
    onTestFinished(() => void unsubscribe(EVENT_CHANNEL, onPublished));
    const decider = locally(audit, { onEvent: (event) => void events.push(event) });
    await decider.decide(CLEAN);
    await vi.waitFor(() => expect(folder.decisions()).toHaveLength(1));
    failWith('ENOSPC');
    const lost = [];
    for (let i = 0; i < 12; i++) lost.push((await decider.decide(CLEAN)).id);
    await audit.close();
    const told = lost.map((decision) => ({ type: 'recordFailed', cause: 'ENOSPC', decision }));
    expect(events).toEqual(told);
    expect(published).toEqual(told);
    expect(onLost.mock.calls.map(([, id]) => id)).toEqual(lost);
  });

  it('is returned though a custom log throws', async () => {
    const audit: AuditLog = {
      mode: 'best-effort',
      check: async () => {},
      record: () => {
        throw new Error('anything');
      },
    };
    expect(await locally(audit).decide(CLEAN)).toMatchObject({ outcome: 'accept' });
  });
});

describe('a decider', () => {
  it.each<[string, unknown]>([
    ['a promise of a log', Promise.resolve()],
    ['a log of an unknown mode', { mode: 'best_effort', check() {}, record() {} }],
    ['nothing', null],
  ])('is not created with %s', (_, audit) => {
    expect(() => locally(audit as AuditLog)).toThrow(expect.objectContaining({ code: 'CONFIGURATION_INVALID' }));
  });

  it('refuses a reference that canonical JSON cannot hold before any call', async () => {
    const folder = await logFolder();
    const audit = await folder.open();
    const { decider, billed } = await onSandbox(audit);
    await expect(decider.decide(CLEAN, { clientReference: 'R-\uD800' })).rejects.toMatchObject({
      code: 'REQUEST_INVALID',
      carriedOut: 'no',
    });
    expect(billed()).toBe(0);
    await audit.close();
  });

  it('records given context facts that were not read, and no context function that was not called', async () => {
    const folder = await logFolder();
    const audit = await folder.open({ pii: 'plain' });
    const policy = policyOf(`${HEAD}facts:
  context.channel: { type: string }
  context.limit: { type: number }
  context.slow: { type: number }
rules:
  - { id: risk, when: { phone.riskLevel: { atLeast: high } }, then: reject }
`);
    let calls = 0;
    const slow = () => {
      calls += 1;
      return 1;
    };
    await locally(audit, { policy }).decide(CLEAN, { context: { channel: 'Web', slow } });
    await audit.close();
    const facts = folder.decisions()[0]?.plain?.['facts'] as Record<string, unknown>;
    expect(facts['context.channel']).toEqual({ value: 'web', text: 'Web' });
    expect(facts['context.limit']).toEqual({ missing: 'notGiven' });
    expect(Object.hasOwn(facts, 'context.slow')).toBe(false);
    expect(calls).toBe(0);
  });
});

describe('a disk', () => {
  it('that fails and comes back leaves a log that verifies after an orderly end', async () => {
    const folder = await logFolder();
    const { files, failWith, failures, recover } = troubledFiles(/\.ndjson$|\.new-/);
    const onReopened = vi.fn();
    const audit = await folder.open({ reopen: true, onReopened }, files);
    const decider = locally(audit);
    await decider.decide(CLEAN);
    failWith('ENOSPC');
    await expect(decider.decide(CLEAN)).rejects.toEqual(failure('unknown', '(ENOSPC)'));
    // What a full disk took of a line. The lease cannot be given back either, so the log goes on in another chain.
    const [segment = ''] = globSync('chains/*/*.ndjson', { cwd: folder.dir });
    appendFileSync(join(folder.dir, segment), '{"v":1,"kind":"deci');
    await vi.waitFor(() => expect(failures()).toBeGreaterThan(1));
    recover();
    await vi.waitFor(() => expect(onReopened).toHaveBeenCalledOnce());
    await decider.decide(CLEAN);
    await audit.close();
    const { findings, chains } = await verifyLog({ dir: folder.dir, keys: folder.keys });
    expect(findings).toEqual([]);
    expect(chains.map(({ decisions }) => decisions)).toEqual([2, 1]);
    // While this process lives, an owner that gave nothing back would count as writing its line.
    expect(globSync('chains/*/torn-*', { cwd: folder.dir })).toHaveLength(1);
    const owners = globSync('chains/*/owner-*.json', { cwd: folder.dir });
    const isReleased = (file: string) => JSON.parse(readFileSync(join(folder.dir, file), 'utf8')).released;
    expect(owners.map(isReleased)).toEqual([true, true]);
  });

  it('that stays bad keeps the log shut, and closing it does not wait', async () => {
    const folder = await logFolder();
    const { files, failWith } = troubledFiles();
    const onReopened = vi.fn();
    const audit = await folder.open({ reopen: true, onReopened }, files);
    failWith('EIO');
    await expect(locally(audit).decide(CLEAN)).rejects.toEqual(failure('unknown', '(EIO)'));
    await turns();
    await expect(locally(audit).decide(CLEAN)).rejects.toEqual(failure('no', '(EIO)'));
    await audit.close();
    expect(onReopened).not.toHaveBeenCalled();
    await expect(audit.check()).rejects.toEqual(expect.objectContaining({ message: 'the audit log is closed' }));
  });
});
