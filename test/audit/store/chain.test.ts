import { appendFileSync, readdirSync, readFileSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Entry } from '../../../src/audit/entry/entry.ts';
import type { Encryptor } from '../../../src/audit/keys/encrypt.ts';
import { type ChainOptions, isChainName, openChain } from '../../../src/audit/store/chain.ts';
import { type Files, type OpenFile, type OpenMode, realFiles } from '../../../src/audit/store/files.ts';
import { BATCH_BYTES } from '../../../src/audit/store/recovery-scan.ts';
import { OWNERS, SEGMENTS, tornName } from '../../../src/audit/store/segment.ts';
import { MAX_WAITING } from '../../../src/audit/store/writer.ts';
import { appendTo, checkLog, markBody } from '../../support/audit/check.ts';
import { changeOwner, leaveCrashed } from '../../support/audit/crashed-owner.ts';
import { newLog, openLog, settle, type TriedLog } from '../../support/audit/runs.ts';
import { temporaryFolder } from '../../support/policy/policy.ts';

const AUDIT_FAILED = expect.objectContaining({ code: 'AUDIT_FAILED' });
const ID = '01a1fd40-0000-7000-8000-000000000001';
const NOTE = {
  kind: 'note',
  at: '2026-11-20T12:00:00.000Z',
  id: ID,
  decision: ID,
  disposition: 'approve',
  subjects: {},
} as const;
const plain = (text: string) => ({ ...NOTE, plain: { text } });

type Opening = Partial<ChainOptions> & { readonly files?: Files };

/** The folders of a log among other files than the real ones. */
const among = (files: Files, { dir, keys }: TriedLog) => ({ dir: { ...dir, files }, keys: { ...keys, files } });

/** A chain in a real folder, and ways to look at it. */
async function open({ files = realFiles, ...options }: Opening = {}, tried = newLog(temporaryFolder())) {
  const setting = { engine: '0.1.0', now: () => 0, encrypt: markBody, ...options };
  const writer = await openChain({ ...tried, ...among(files, tried), ...setting });
  const folder = join(tried.chains, writer.chain);
  const append = async () => {
    const { id, appended } = await appendTo(writer);
    tried.acknowledged.set(id, appended);
    return appended;
  };
  const file = (segment = 1) => join(folder, SEGMENTS.of(segment));
  const lines = (segment = 1) =>
    readFileSync(file(segment), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Entry);
  return { tried, writer, folder, append, file, lines };
}

/** The real files, with some calls of some files replaced. */
function withFiles(named: RegExp, wrap: (file: OpenFile, mode: OpenMode) => Partial<OpenFile>): Files {
  return {
    ...realFiles,
    open: async (path, mode) => {
      const file = await realFiles.open(path, mode);
      return named.test(path) ? { ...file, ...wrap(file, mode) } : file;
    },
  };
}

const failing = (code: string) => async () => Promise.reject(Object.assign(new Error(code), { code }));

describe('a writer', () => {
  it('begins its chain with an opening, and continues after the previous writer', async () => {
    const { tried, writer, append, lines } = await open();
    expect(await append()).toMatchObject({ chain: writer.chain, seq: 2 });
    await writer.close();
    const next = await open({}, tried);
    expect(await next.append()).toMatchObject({ chain: writer.chain, seq: 4 });
    await next.writer.close();
    expect(lines().map(({ kind, seq, at }) => [kind, seq, at.slice(0, 4)])).toEqual([
      ['open', 1, '1970'],
      ['decision', 2, '2026'],
      ['open', 3, '1970'],
      ['decision', 4, '2026'],
    ]);
    expect(lines()[2]).toMatchObject({ epoch: 2, log: tried.log, engine: '0.1.0', segment: 1 });
    expect(await settle(tried)).toEqual([]);
  });

  it('closes a segment with a footer once it is large enough, and begins the next with the next line', async () => {
    const { tried, writer, append, file, lines } = await open({ segmentBytes: 2300 });
    await Promise.all(Array.from({ length: 6 }, append));
    await writer.close();
    expect(lines(1).map(({ kind }) => kind)).toEqual(['open', 'decision', 'decision', 'decision', 'seal']);
    expect(lines(1).at(-1)).toMatchObject({ segment: 1, records: 4, seq: 5 });
    expect(lines(2).map(({ kind }) => kind)).toEqual(['decision', 'decision', 'decision', 'seal']);
    expect(lines(2)[0]).toMatchObject({ seq: 6, prev: lines(1).at(-1)?.hash });
    expect(() => readFileSync(file(3))).toThrow('ENOENT');
    const next = await open({}, tried);
    await next.writer.close();
    expect(lines(3)).toMatchObject([{ kind: 'open', segment: 3, epoch: 2, seq: 10, prev: lines(2).at(-1)?.hash }]);
    expect(await settle(tried)).toEqual([]);
  });

  it('closes a segment before the first line of a later day, whichever process writes it', async () => {
    let day = 1;
    const now = () => Date.UTC(2026, 10, day, 12);
    const { tried, append, writer, lines } = await open({ now });
    await append();
    day = 2;
    await Promise.all([append(), append()]);
    day = 1;
    await append();
    await writer.close();
    expect(lines(1).map(({ kind }) => kind)).toEqual(['open', 'decision', 'seal']);
    expect(lines(1).at(-1)).toMatchObject({ at: '2026-11-02T12:00:00.000Z', segment: 1, records: 2 });
    expect(lines(2).map(({ kind }) => kind)).toEqual(['decision', 'decision', 'decision']);
    day = 2;
    const same = await open({ now }, tried);
    await same.append();
    await same.writer.close();
    expect(
      lines(2)
        .map(({ kind }) => kind)
        .slice(3),
    ).toEqual(['open', 'decision']);
    day = 4;
    for (let time = 0; time < 2; time++) {
      const later = await open({ now }, tried);
      await later.append();
      await later.writer.close();
    }
    expect(lines(2).at(-1)?.kind).toBe('seal');
    expect(lines(3).map(({ kind }) => kind)).toEqual(['open', 'decision', 'open', 'decision']);
    expect(lines(3)[0]).toMatchObject({ segment: 3, at: '2026-11-04T12:00:00.000Z' });
    expect(await settle(tried)).toEqual([]);
  });

  it('gives each record a key of its own and wipes the key afterwards', async () => {
    const keys: Buffer[] = [];
    const encrypt: Encryptor = (body, key, context) => {
      keys.push(key);
      expect(key.every((byte) => byte === 0)).toBe(false);
      return markBody(body, key, context);
    };
    const { tried, writer, append, lines } = await open({ encrypt });
    await Promise.all([append(), append()]);
    await writer.close();
    expect(lines().flatMap((line) => (line.kind === 'decision' ? [line.key] : []))).toEqual([
      `${writer.chain}.1.1:0`,
      `${writer.chain}.1.1:1`,
    ]);
    expect(keys.every((key) => key.every((byte) => byte === 0))).toBe(true);
    expect(readdirSync(join(tried.keys.path, 'data'))).toEqual([`${writer.chain}.1.1.keys`]);
  });

  it('makes no keys for plain records', async () => {
    const { tried, writer } = await open();
    await writer.append(plain('x'));
    await writer.close();
    expect(readdirSync(join(tried.keys.path, 'data'))).toEqual([]);
  });

  it('refuses one record without affecting the others', async () => {
    const encrypt: Encryptor = (body, key, context) => {
      if (body === 'no encryption') throw new TypeError('of its own');
      return markBody(body, key, context);
    };
    const { tried, writer, append, lines } = await open({ encrypt });
    const results = await Promise.allSettled([
      append(),
      writer.append({ clear: NOTE, body: 'no encryption' }),
      writer.append({ ...NOTE, decision: 'none', plain: {} }),
      writer.append(plain('x'.repeat(17 * 1024 * 1024))),
      writer.append({ clear: { ...NOTE, decision: 'none' }, body: '' }),
      append(),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', ...Array(4).fill('rejected'), 'fulfilled']);
    expect(results[1]).toMatchObject({ reason: new TypeError('of its own') });
    for (const i of [2, 3, 4]) expect(results[i]).toMatchObject({ reason: AUDIT_FAILED });
    expect(lines().map(({ seq }) => seq)).toEqual([1, 2, 3]);
    await writer.close();
    expect(await settle(tried)).toEqual([]);
  });

  it('writes records that arrive together with one call, up to a limit', async () => {
    const written: number[] = [];
    const files = withFiles(/ndjson$/, (file) => ({
      write: (bytes) => {
        written.push(bytes.length);
        return file.write(bytes);
      },
    }));
    const { writer } = await open({ files });
    written.length = 0;
    await Promise.all(Array.from({ length: 100 }, () => writer.append(plain('x'))));
    expect(written).toHaveLength(1);
    written.length = 0;
    await Promise.all(Array.from({ length: 10 }, () => writer.append(plain('x'.repeat(BATCH_BYTES / 4)))));
    expect(written).toHaveLength(3);
    await writer.close();
  });

  it('continues a write that took only some of its bytes', async () => {
    const files = withFiles(/(ndjson|keys)$/, (file) => ({ write: (bytes) => file.write(bytes.subarray(0, 100)) }));
    const { tried, writer, append } = await open({ files, segmentBytes: 5000 });
    for (let i = 0; i < 5; i++) await Promise.all([append(), append(), append()]);
    await writer.close();
    expect(await settle(tried)).toEqual([]);
  });

  it('takes no record once it is closed, and closes once', async () => {
    const { tried, writer, append } = await open();
    const last = append();
    await Promise.all([writer.close(), writer.close()]);
    expect(await last).toMatchObject({ seq: 2 });
    expect(() => writer.check()).toThrow(AUDIT_FAILED);
    await expect(append()).rejects.toEqual(AUDIT_FAILED);
    expect(await settle(tried)).toEqual([]);
  });
});

describe('a disk that fails', () => {
  it('leaves no segment open, also where the batch that fails has begun the next one', async () => {
    let [areOpen, isBroken] = [0, false];
    const files = withFiles(/ndjson$/, (file) => {
      areOpen++;
      return {
        datasync: () => (isBroken ? failing('EIO')() : file.datasync()),
        close: () => file.close().then(() => void areOpen--),
      };
    });
    const { writer, append } = await open({ files, segmentBytes: 2300 });
    await append();
    isBroken = true;
    const appended = await Promise.allSettled(Array.from({ length: 20 }, () => append()));
    expect(new Set(appended.map(({ status }) => status))).toEqual(new Set(['rejected']));
    await writer.close();
    expect(areOpen).toBe(0);
  });

  it.each<[string, RegExp, Partial<OpenFile>]>([
    ['cannot sync a segment', /ndjson$/, { datasync: failing('EIO') }],
    ['is full', /ndjson$/, { write: failing('ENOSPC') }],
    ['writes no bytes without an error', /ndjson$/, { write: async () => 0 }],
    ['cannot sync keys', /keys$/, { datasync: failing('EIO') }],
    ['has no room for keys', /keys$/, { write: failing('ENOSPC') }],
  ])('fails all waiting and later records until the log is opened again: it %s', async (_, named, broken) => {
    let isBroken = false;
    const files = withFiles(named, (file) => ({
      datasync: () => (isBroken && broken.datasync ? broken.datasync() : file.datasync()),
      write: (bytes, at) => (isBroken && broken.write ? broken.write(bytes) : file.write(bytes, at)),
    }));
    const { tried, writer, append } = await open({ files });
    for (let i = 0; i < 16; i++) await append();
    isBroken = true;
    const waiting = [append(), append()];
    for (const appended of waiting) await expect(appended).rejects.toEqual(AUDIT_FAILED);
    isBroken = false;
    await expect(append()).rejects.toEqual(AUDIT_FAILED);
    expect(() => writer.check()).toThrow(AUDIT_FAILED);
    await writer.close();
    const next = await open({ files }, tried);
    expect(next.writer.chain).toBe(writer.chain);
    await next.append();
    await next.writer.close();
    expect(await settle(tried)).toEqual([]);
  });

  it.each([
    ['EROFS', { ...realFiles, makeFolder: failing('EROFS') }],
    ['ENOSPC', withFiles(/ndjson$/, () => ({ write: failing('ENOSPC') }))],
    ['EACCES', { ...realFiles, list: failing('EACCES') }],
  ])('opens no log with %s', async (code, files) => {
    const tried = newLog(temporaryFolder());
    await (await openLog(tried)).close();
    await expect(open({ files }, tried)).rejects.toMatchObject({
      code: 'AUDIT_FAILED',
      message: expect.stringContaining(code),
    });
    expect(await settle(tried)).toEqual([]);
  });

  it('that is slow is waited for by a limited number of records', async () => {
    let answer = () => {};
    const late = new Promise<void>((resolve) => {
      answer = resolve;
    });
    let isLate = false;
    const files = withFiles(/ndjson$/, (file) => ({
      datasync: async () => {
        if (isLate) await late;
        await file.datasync();
      },
    }));
    const { tried, writer, append } = await open({ files });
    isLate = true;
    let acknowledged = 0;
    const waiting = Array.from({ length: MAX_WAITING }, async () => {
      await append();
      acknowledged += 1;
    });
    await expect(append()).rejects.toEqual(AUDIT_FAILED);
    expect(() => writer.check()).toThrow(`${MAX_WAITING} records wait`);
    for (let i = 0; i < 50; i++) await new Promise(setImmediate);
    expect(acknowledged).toBe(0);
    answer();
    await Promise.all(waiting);
    expect(acknowledged).toBe(MAX_WAITING);
    writer.check();
    await append();
    await writer.close();
    expect(await checkLog(tried)).toEqual([]);
  });

  it.each<[string, (file: string) => void]>([
    ['removes the segment', unlinkSync],
    ['truncates it', (file) => truncateSync(file, 10)],
    ['writes to it', (file) => appendFileSync(file, 'x')],
  ])('acknowledges nothing once another process %s', async (_, harm) => {
    const { writer, append, file } = await open();
    await append();
    harm(file());
    await expect(append()).rejects.toEqual(AUDIT_FAILED);
    await writer.close();
  });
});

describe('a log that is opened', () => {
  /** A closed log with some records, and its one segment. */
  async function closed(options: Opening = {}) {
    const opened = await open(options);
    for (let i = 0; i < 3; i++) await opened.append();
    await opened.writer.close();
    return opened;
  }

  const tornIn = (tried: TriedLog, chain: string) =>
    readdirSync(join(tried.chains, chain)).filter((name) => name.startsWith('torn'));

  it('sets aside and names the tail that a crash left, wherever it was cut', async () => {
    const { tried, writer, append, file, folder } = await open();
    await append();
    await writer.close();
    const whole = readFileSync(file());
    const start = whole.lastIndexOf('\n', whole.length - 2) + 1;
    for (const tail of [
      ...[1, 100, whole.length - start - 1].map((length) => whole.subarray(start, start + length)),
      Buffer.alloc(5000),
    ]) {
      const offset = readFileSync(file()).length;
      appendFileSync(file(), tail);
      leaveCrashed(folder);
      const next = await open({}, tried);
      const last = next.lines().at(-1);
      await next.writer.close();
      expect(last).toMatchObject({ kind: 'open', torn: { segment: 1, offset, bytes: tail.length } });
      expect(readFileSync(join(folder, tornName(1, offset)))).toEqual(tail);
    }
    expect(await settle(tried)).toEqual([]);
    expect(tornIn(tried, writer.chain)).toHaveLength(4);
  });

  it('keeps an earlier tail if a second crash tore the line that names it', async () => {
    const { tried, writer, file, folder } = await closed();
    const offset = readFileSync(file()).length;
    writeFileSync(join(folder, tornName(1, offset)), 'first');
    appendFileSync(file(), '{"chain":');
    leaveCrashed(folder);
    const next = await open({}, tried);
    await next.writer.close();
    expect(readFileSync(join(folder, tornName(1, offset)), 'utf8')).toBe('first{"chain":');
    expect(next.lines().at(-1)).toMatchObject({ torn: { bytes: 14 } });
    expect(next.writer.chain).toBe(writer.chain);
    expect(await settle(tried)).toEqual([]);
  });

  it.each<[string, (text: string) => string, RegExp]>([
    [
      'a changed line',
      (text) => text.replace('"outcome":"accept"', '"outcome":"review"'),
      /segment 1, line 2: expected the hash/,
    ],
    [
      'a missing line',
      (text) => text.split('\n').toSpliced(2, 1).join('\n'),
      /segment 1, line 3: found line 4 of the chain/,
    ],
    ['something else', (text) => `${text}garbage\n`, /segment 1, line 5: expected one JSON object/],
    ['zeros in a line', (text) => `${text}\0\0\n`, /segment 1, line 5/],
    ['another log', (text) => text.replaceAll('"log":"01', '"log":"02'), /segment 1, line 1/],
  ])('is refused, and not written, if its last segment was changed: %s', async (_, change, said) => {
    const { tried, writer, file } = await closed();
    const bad = change(readFileSync(file(), 'utf8'));
    writeFileSync(file(), bad);
    await expect(openLog(tried)).rejects.toMatchObject({
      code: 'AUDIT_FAILED',
      message: expect.stringMatching(said),
    });
    await expect(openLog(tried)).rejects.toThrow(`chain ${writer.chain}, segment 1`);
    expect(readFileSync(file(), 'utf8')).toBe(bad);
    expect(readdirSync(tried.chains).filter(isChainName)).toEqual([writer.chain]);
  });

  describe('whose last owner did not release it', () => {
    /** A log with a tail: a text, zeros up to some bytes past the start of a sector, and half a line. */
    async function withHole(text: string, pastSector: number, owner: object) {
      const { tried, file, folder } = await closed();
      changeOwner(folder, (before) => ({ ...before, ...owner }));
      const offset = readFileSync(file()).length;
      const to = Math.ceil((offset + text.length + 1) / 512) * 512 + pastSector;
      const tail = `${text}${'\0'.repeat(to - offset - text.length)}the end of another line\n{"chain":`;
      appendFileSync(file(), tail);
      return { tried, tail, aside: join(folder, tornName(1, offset)) };
    }

    it('has the bytes behind a hole set aside as well', async () => {
      const { tried, tail, aside } = await withHole('', 0, { failed: true });
      const next = await open({}, tried);
      await next.writer.close();
      expect(readFileSync(aside, 'utf8')).toBe(tail);
      expect(next.lines().at(-1)).toMatchObject({ torn: { bytes: tail.length } });
      expect(await settle(tried)).toEqual([]);
    });

    it.each([
      ['ends inside a sector', '', 1, { failed: true }],
      ['begins inside a line and a sector', '{"chain"', 0, { failed: true }],
      ['is in a log that was closed', '', 0, {}],
    ])('is refused if the hole %s, which no crash causes', async (_, text, pastSector, owner) => {
      const { tried } = await withHole(text, pastSector, owner);
      await expect(openLog(tried)).rejects.toThrow('line 5: expected one JSON object');
    });
  });

  it('is refused with bytes behind a footer, or without the footer of the segment before', async () => {
    const { tried, file, lines } = await closed({ segmentBytes: 2300 });
    expect(lines().at(-1)?.kind).toBe('seal');
    appendFileSync(file(), 'x');
    await expect(openLog(tried)).rejects.toThrow('segment 1, line 6: found bytes behind the footer');
    truncateSync(file(), readFileSync(file()).length - 1);
    await (await openLog(tried)).close();
    const whole = readFileSync(file(), 'utf8');
    const withoutFooter = whole.slice(0, whole.lastIndexOf('\n', whole.length - 2) + 1);
    for (const text of [whole.slice(0, -2), withoutFooter]) {
      writeFileSync(file(), text);
      await expect(openLog(tried)).rejects.toThrow('segment 1: expected its footer at the end');
    }
  });

  it('continues in an empty segment, and after a pruned one', async () => {
    const { tried, file, lines } = await closed({ segmentBytes: 2300 });
    const seal = lines().at(-1);
    writeFileSync(file(2), '');
    await (await openLog(tried)).close();
    expect(lines(2)[0]).toMatchObject({ seq: 6, prev: seal?.hash, segment: 2 });
    unlinkSync(file(1));
    const next = await open({}, tried);
    expect(await next.append()).toMatchObject({ seq: 8 });
    await next.writer.close();
    writeFileSync(file(2), '');
    await expect(openLog(tried)).rejects.toThrow('segment 2, line 1: found no complete line');
  });

  it('has no temporary file left after a crash', async () => {
    const { tried, folder } = await closed();
    writeFileSync(join(folder, `.new-${'a'.repeat(32)}`), 'x');
    await (await open({}, tried)).writer.close();
    expect(readdirSync(folder).sort()).toEqual([SEGMENTS.of(1), OWNERS.of(2)]);
  });
});
