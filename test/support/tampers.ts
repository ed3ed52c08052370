/** What somebody may do to an audit log -> what a verification has to say of it, without a checkpoint and with one. */

import { execFileSync } from 'node:child_process';
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import {
  appendFileSync,
  copyFileSync,
  cpSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { v7 as uuidV7 } from 'uuid';
import { SEGMENTS } from '../../src/audit/segment.ts';
import { keyIdOf } from '../../src/audit/signature.ts';
import { canonicalJson } from '../../src/digest.ts';
import type { TestLog } from './audit-log.ts';

/** A way to tamper with a log. */
export interface Tamper {
  readonly name: string;
  /** The codes of all findings, sorted; none where nothing can be seen. */
  readonly seen: string;
  /** The same with a checkpoint from before, and the public key kept with it. */
  readonly seenWithCheckpoint: string;
  /** The log may be changed at will; `pruned` logs have lost the first segment of each chain to a tombstone. */
  readonly tamper: (log: Victim) => void;
}

type Json = Record<string, unknown>;

/** A log that may be changed. */
export class Victim {
  readonly log: TestLog;
  readonly dir: string;

  constructor(log: TestLog) {
    this.log = log;
    this.dir = log.dir;
  }

  /** A file in the folder of a chain, by the chain's place among them. */
  at(chain: number, name: string | number): string {
    return join(this.dir, 'chains', this.log.chains[chain] ?? '', typeof name === 'number' ? SEGMENTS.of(name) : name);
  }

  /** The last segment of a chain. */
  last(chain: number): number {
    return Math.max(...readdirSync(this.at(chain, '')).map((name) => SEGMENTS.numberOf(name) ?? 0));
  }

  lines(chain: number, segment: number): string[] {
    return readFileSync(this.at(chain, segment), 'utf8').split('\n').slice(0, -1);
  }

  write(chain: number, segment: number, lines: readonly string[]): void {
    writeFileSync(this.at(chain, segment), lines.map((line) => `${line}\n`).join(''));
  }

  change(chain: number, segment: number, change: (lines: string[]) => readonly string[]): void {
    this.write(chain, segment, change(this.lines(chain, segment)));
  }

  /** The one file of a folder of the log. */
  only(folder: string): string {
    return join(this.dir, folder, readdirSync(join(this.dir, folder))[0] ?? '');
  }

  /** Keeps a policy or mapping; gives its digest. */
  keep(folder: 'policies' | 'mappings', text: string): string {
    writeFileSync(join(this.dir, folder, `${sha256(text)}.json`), text);
    return `sha256:${sha256(text)}`;
  }

  torn(): string {
    return this.at(0, readdirSync(this.at(0, '')).find((name) => name.startsWith('torn-')) ?? '');
  }

  /** Writes a chain anew as who knows the format does: numbers, links, seals and hashes are right again. */
  rewrite(chain: number, change: (segments: Json[][]) => void): void {
    const numbers = readdirSync(this.at(chain, ''))
      .flatMap((name) => SEGMENTS.numberOf(name) ?? [])
      .sort();
    const segments = numbers.map((number) => this.lines(chain, number).map((line) => JSON.parse(line) as Json));
    change(segments);
    let [seq, prev] = [0, '0'.repeat(64)];
    for (const [i, segment] of segments.entries()) {
      const texts = segment.map(({ hash: _, ...record }, before) => {
        seq += 1;
        const text = withHash(
          JSON.stringify({ ...record, seq, prev, ...(record['kind'] === 'seal' ? { records: before } : {}) }),
        );
        prev = hashOf(text);
        return text;
      });
      this.write(chain, numbers[i] ?? 0, texts);
    }
  }

  /** Changes the text of one line and gives it, and those after it, right hashes again: only its form is wrong. */
  forge(chain: number, segment: number, line: number, change: (text: string) => string): void {
    let prev = '';
    for (let n = segment; n <= this.last(chain); n++) {
      const texts = this.lines(chain, n).map((text, i) => {
        const isIt = n === segment && i === line - 1;
        const linked = prev === '' ? text : text.replace(/"prev":"[0-9a-f]{64}"/, `"prev":"${prev}"`);
        if (!isIt && prev === '') return text;
        const forged = withHash(isIt ? change(text) : linked);
        prev = hashOf(forged);
        return forged;
      });
      this.write(chain, n, texts);
    }
  }
}

const hashOf = (line: string) => line.slice(-66, -2);
const sha256 = (text: string | Buffer) => createHash('sha256').update(text).digest('hex');

/** A line with the hash of what stands before its hash. */
export function withHash(line: string): string {
  const head = line
    .replace(/,"hash":"[0-9a-f]{64}"\}$/, '')
    .replace(/\}$/, (end) => (line.includes(',"hash":"') ? end : ''));
  return `${head},"hash":"${sha256(head)}"}`;
}

const swap = <Item>(items: readonly Item[], a: number, b: number) =>
  items.map((item, i) => items[i === a ? b : i === b ? a : i] ?? item);

function tamper(name: string, seen: string, change: (log: Victim) => void, seenWithCheckpoint = seen): Tamper {
  return { name, seen, seenWithCheckpoint, tamper: change };
}

function swapFiles(a: string, b: string): void {
  renameSync(a, `${a}.kept`);
  renameSync(b, a);
  renameSync(`${a}.kept`, b);
}

function replaceBy(path: string, how: (path: string, kept: string) => void): void {
  const kept = join(path, '../../../..', 'kept');
  renameSync(path, kept);
  how(path, kept);
}

const pipe = (path: string) => {
  rmSync(path, { recursive: true });
  execFileSync('mkfifo', [path]);
};

/** Who cannot make right hashes: lines. */
const LINES: readonly Tamper[] = [
  tamper('two records swapped', 'sequence-broken', (log) => log.change(0, 1, (lines) => swap(lines, 1, 2))),
  tamper('a record copied', 'sequence-broken', (log) =>
    log.change(0, 1, ([a = '', b = '', ...rest]) => [a, b, b, ...rest]),
  ),
  tamper('a record removed', 'sequence-broken', (log) => log.change(0, 1, (lines) => lines.toSpliced(1, 1))),
  tamper('the first line removed', 'sequence-broken', (log) => log.change(0, 1, (lines) => lines.slice(1))),
  tamper('a record of another chain inserted', 'chain-differs', (log) =>
    log.change(0, 1, (lines) => lines.toSpliced(2, 0, log.lines(1, 1)[1] ?? '')),
  ),
  tamper('a record of another chain in place of one', 'chain-differs', (log) =>
    log.change(0, 1, (lines) => lines.with(1, log.lines(1, 1)[1] ?? '')),
  ),
  tamper(
    'the last record moved to another chain',
    'chain-differs',
    (log) => {
      const last = log.lines(1, log.last(1)).at(-1) ?? '';
      log.change(1, log.last(1), (lines) => lines.slice(0, -1));
      log.change(2, log.last(2), (lines) => [...lines, last]);
    },
    'chain-differs checkpoint-cut',
  ),
  tamper('the body of another record in its place', 'hash-differs', (log) =>
    log.change(0, 1, (lines) => {
      const bodies = lines.map((line) => /"sealed":"[^"]+"/.exec(line)?.[0] ?? '');
      return lines.with(1, (lines[1] ?? '').replace(bodies[1] ?? '', bodies[2] ?? ''));
    }),
  ),
  tamper('an outcome changed', 'hash-differs', (log) =>
    log.change(0, 1, (lines) => lines.with(2, (lines[2] ?? '').replace('"outcome":"review"', '"outcome":"accept"'))),
  ),
  tamper('the first line once more at the end', 'sequence-broken', (log) =>
    log.change(1, log.last(1), (lines) => [...lines, log.lines(1, 1)[0] ?? '']),
  ),
  tamper(
    'the last line cut off',
    '',
    (log) => log.change(1, log.last(1), (lines) => lines.slice(0, -1)),
    'checkpoint-cut',
  ),
  tamper(
    'half of the last line cut off',
    'line-not-whole',
    (log) => {
      const bytes = readFileSync(log.at(1, log.last(1)));
      writeFileSync(log.at(1, log.last(1)), bytes.subarray(0, -100));
    },
    'checkpoint-cut line-not-whole',
  ),
  tamper('half of a line cut off before a seal', 'line-not-json', (log) =>
    log.change(0, 1, (lines) => lines.with(-2, (lines.at(-2) ?? '').slice(0, 100))),
  ),
  tamper('zeros behind the last line', 'line-not-whole', (log) =>
    appendFileSync(log.at(1, log.last(1)), Buffer.alloc(4096)),
  ),
  tamper('half a line behind a seal', 'after-seal', (log) => appendFileSync(log.at(0, log.last(0)), 'x')),
  tamper('half a line behind a seal, before another segment', 'after-seal', (log) => appendFileSync(log.at(0, 1), 'x')),
  tamper('a line behind a seal', 'line-not-json', (log) => appendFileSync(log.at(0, 1), 'x\n')),
  tamper('a seal removed', 'seal-missing', (log) => log.change(0, 1, (lines) => lines.slice(0, -1))),
  tamper('the seal of another segment', 'sequence-broken', (log) =>
    log.change(0, 1, (lines) => lines.with(-1, log.lines(0, 2).at(-1) ?? '')),
  ),
  tamper('a blank line', 'line-not-json', (log) => log.change(0, 1, (lines) => lines.toSpliced(1, 0, ''))),
  tamper('CRLF line ends', 'line-shape', (log) => log.change(0, 1, (lines) => lines.map((line) => `${line}\r`))),
  tamper('a byte order mark', 'line-not-json', (log) =>
    log.change(0, 1, ([a = '', ...rest]) => [`\uFEFF${a}`, ...rest]),
  ),
  tamper('another text', 'line-not-json', (log) => log.change(0, 1, (lines) => lines.with(1, 'nothing to see here'))),
  tamper('JSON that is no record', 'line-shape', (log) => log.change(0, 1, (lines) => lines.with(1, '[1]'))),
  tamper('null', 'line-shape', (log) => log.change(0, 1, (lines) => lines.with(1, 'null'))),
  tamper('a line of 17 MiB', 'line-shape', (log) =>
    log.change(0, 1, (lines) => lines.with(1, 'x'.repeat(17 * 1024 * 1024))),
  ),
  tamper('17 MiB without an end', 'line-not-whole', (log) =>
    appendFileSync(log.at(1, log.last(1)), 'x'.repeat(17 * 1024 * 1024)),
  ),
];

/** Who cannot make right hashes: files and folders. */
const FILES: readonly Tamper[] = [
  tamper('the first segment removed', 'segment-missing', (log) => rmSync(log.at(0, 1))),
  tamper('a segment in the middle removed', 'segment-missing', (log) => rmSync(log.at(0, 2))),
  tamper('the last segment removed', '', (log) => rmSync(log.at(1, log.last(1))), 'checkpoint-cut'),
  tamper(
    'all segments removed',
    '',
    (log) => {
      for (let n = log.last(1); n > 0; n--) rmSync(log.at(1, n));
    },
    'checkpoint-cut',
  ),
  tamper('two segments swapped', 'sequence-broken', (log) => swapFiles(log.at(0, 1), log.at(0, 2))),
  tamper('the segments of two chains swapped', 'chain-differs', (log) => swapFiles(log.at(0, 1), log.at(1, 1))),
  tamper('a segment renamed', 'segment-missing', (log) => renameSync(log.at(0, 2), log.at(0, 9))),
  tamper('the last segment once more', 'seal-missing', (log) =>
    copyFileSync(log.at(1, log.last(1)), log.at(1, log.last(1) + 1)),
  ),
  tamper('a segment numbered 0', 'file-unexpected', (log) => copyFileSync(log.at(0, 1), log.at(0, '00000000.ndjson'))),
  tamper('a segment with a short number', 'file-unexpected', (log) =>
    copyFileSync(log.at(0, 1), log.at(0, '1.ndjson')),
  ),
  tamper('a segment with the largest number', 'segment-missing', (log) => writeFileSync(log.at(0, 99_999_999), '')),
  tamper('a segment emptied', 'seal-missing', (log) => writeFileSync(log.at(0, 1), '')),
  tamper('the last segment emptied', '', (log) => writeFileSync(log.at(1, log.last(1)), ''), 'checkpoint-cut'),
  tamper('a chain removed', '', (log) => rmSync(log.at(1, ''), { recursive: true }), 'checkpoint-chain-missing'),
  tamper(
    'all chains removed',
    '',
    (log) => rmSync(join(log.dir, 'chains'), { recursive: true }),
    'checkpoint-chain-missing',
  ),
  tamper(
    'a chain renamed',
    'chain-differs',
    (log) => renameSync(log.at(1, ''), join(log.dir, 'chains', uuidV7())),
    'chain-differs checkpoint-chain-missing',
  ),
  tamper('a chain copied', 'chain-differs', (log) =>
    cpSync(log.at(1, ''), join(log.dir, 'chains', uuidV7()), { recursive: true }),
  ),
  tamper('two chains swapped', 'chain-differs', (log) => swapFiles(join(log.at(0, '.')), join(log.at(1, '.')))),
  tamper('what was set aside changed', 'torn-differs', (log) => appendFileSync(log.torn(), '}')),
  tamper('what was set aside emptied', 'torn-differs', (log) => writeFileSync(log.torn(), '')),
  tamper('what was set aside removed', 'torn-differs', (log) => rmSync(log.torn())),
  tamper('what was set aside renamed', 'torn-differs', (log) => renameSync(log.torn(), `${log.torn()}0`)),
  tamper('something set aside that no line tells of', 'file-unexpected', (log) =>
    writeFileSync(log.at(0, 'torn-00000001-7'), 'x'),
  ),
  tamper('a policy changed', 'archive-differs', (log) => appendFileSync(log.only('policies'), ' ')),
  tamper('a policy emptied', 'archive-differs', (log) => writeFileSync(log.only('policies'), '')),
  tamper('a policy removed', 'archive-missing', (log) => rmSync(log.only('policies'))),
  tamper('all policies removed', 'archive-missing', (log) => rmSync(join(log.dir, 'policies'), { recursive: true })),
  tamper('a mapping changed', 'archive-differs', (log) => writeFileSync(log.only('mappings'), '{}')),
  tamper('a mapping removed', 'archive-missing', (log) => rmSync(log.only('mappings'))),
  tamper('a policy renamed', 'archive-differs archive-missing', (log) =>
    renameSync(log.only('policies'), join(log.dir, 'policies', `${'0'.repeat(64)}.json`)),
  ),
  tamper('a policy of another name', 'file-unexpected', (log) =>
    writeFileSync(join(log.dir, 'policies', 'new.json'), '{}'),
  ),
  tamper('a public key changed', 'key-invalid', (log) => appendFileSync(log.only('public'), '\n')),
  tamper('a public key of another', 'key-invalid', (log) =>
    writeFileSync(log.only('public'), generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' })),
  ),
  tamper('a public key of another kind', 'key-invalid', (log) => {
    const { publicKey } = generateKeyPairSync('x25519');
    writeFileSync(
      join(log.dir, 'public', `${keyIdOf(publicKey)}.pem`),
      publicKey.export({ type: 'spki', format: 'pem' }),
    );
  }),
  tamper('a private key among the public ones', 'key-invalid', (log) =>
    writeFileSync(log.only('public'), log.log.privateKey.export({ type: 'pkcs8', format: 'pem' })),
  ),
  tamper('another file in the folder', 'file-unexpected', (log) => writeFileSync(join(log.dir, 'notes.txt'), '')),
  tamper('another folder in the folder', 'file-unexpected', (log) => mkdirSync(join(log.dir, 'more'))),
  tamper('a file among the chains', 'file-unexpected', (log) => writeFileSync(join(log.dir, 'chains', uuidV7()), '')),
  tamper('a folder among the chains', 'file-unexpected', (log) => mkdirSync(join(log.dir, 'chains', 'new'))),
  tamper('another file in a chain', 'file-unexpected', (log) => writeFileSync(log.at(0, '00000001.ndjson.bak'), '')),
  tamper('a folder in a chain', 'file-unexpected', (log) => mkdirSync(log.at(0, 'more'))),
  tamper('a folder in place of a segment', 'file-unexpected segment-missing', (log) => {
    rmSync(log.at(0, 1));
    mkdirSync(log.at(0, 1));
  }),
  tamper('a folder that is named as what is being written', 'file-unexpected', (log) =>
    mkdirSync(log.at(0, `.new-${'0'.repeat(32)}`)),
  ),
  tamper('what a crash left of a file', '', (log) => writeFileSync(log.at(0, `.new-${'0'.repeat(32)}`), 'x')),
  tamper('a chain without lines', '', (log) => mkdirSync(join(log.dir, 'chains', uuidV7()))),
  tamper('a link in place of a segment', 'file-unexpected segment-missing', (log) =>
    replaceBy(log.at(0, 1), (path, kept) => symlinkSync(kept, path)),
  ),
  tamper(
    'a link in place of a chain',
    'file-unexpected',
    (log) => {
      renameSync(log.at(1, ''), join(log.dir, '..', 'kept'));
      symlinkSync(join(log.dir, '..', 'kept'), log.at(1, '.').replace(/\/$/, ''));
    },
    'checkpoint-chain-missing file-unexpected',
  ),
  tamper(
    'a link in place of log.json',
    'log-invalid',
    (log) => {
      renameSync(join(log.dir, 'log.json'), join(log.dir, '..', 'kept'));
      symlinkSync(join(log.dir, '..', 'kept'), join(log.dir, 'log.json'));
    },
    'checkpoint-invalid log-invalid',
  ),
  tamper('a link in place of a policy', 'archive-missing file-unexpected', (log) => {
    const policy = log.only('policies');
    renameSync(policy, join(log.dir, '..', 'kept'));
    symlinkSync(join(log.dir, '..', 'kept'), policy);
  }),
  tamper('a link to nothing', 'file-unexpected', (log) => symlinkSync('nothing', log.at(0, 'owner-000009.json'))),
  tamper('a second name for a segment', 'file-unexpected', (log) => linkSync(log.at(0, 1), log.at(0, 'copy'))),
  tamper('a second name for a segment, as the next one', 'seal-missing', (log) =>
    linkSync(log.at(1, 1), log.at(1, log.last(1) + 1)),
  ),
  tamper('a pipe in place of a segment', 'file-unexpected segment-missing', (log) => pipe(log.at(0, 1))),
  tamper(
    'a pipe in place of the last segment',
    'file-unexpected',
    (log) => pipe(log.at(1, log.last(1))),
    'checkpoint-cut file-unexpected',
  ),
  tamper(
    'a pipe in place of log.json',
    'log-invalid',
    (log) => pipe(join(log.dir, 'log.json')),
    'checkpoint-invalid log-invalid',
  ),
  tamper('a pipe in place of a policy', 'archive-missing file-unexpected', (log) => pipe(log.only('policies'))),
  tamper('a pipe in place of a key', 'file-unexpected', (log) => pipe(log.only('public'))),
  tamper('a pipe in place of an owner', 'file-unexpected', (log) => pipe(log.at(0, 'owner-000002.json'))),
  tamper('a pipe in place of what was set aside', 'file-unexpected torn-differs', (log) => pipe(log.torn())),
  tamper('an owner that is none', 'owner-invalid', (log) => writeFileSync(log.at(0, 'owner-000002.json'), '{}\n')),
  tamper('an owner removed', '', (log) => rmSync(log.at(0, 'owner-000002.json'))),
  tamper(
    'log.json removed',
    'log-invalid',
    (log) => rmSync(join(log.dir, 'log.json')),
    'checkpoint-invalid log-invalid',
  ),
  tamper(
    'log.json emptied',
    'log-invalid',
    (log) => writeFileSync(join(log.dir, 'log.json'), ''),
    'checkpoint-invalid log-invalid',
  ),
  tamper(
    'log.json with another day',
    'log-invalid',
    (log) => edit(join(log.dir, 'log.json'), /"createdAt":"..../, '"createdAt":"2020'),
    'checkpoint-invalid log-invalid',
  ),
  tamper(
    'log.json with a key twice',
    'log-invalid',
    (log) => edit(join(log.dir, 'log.json'), '{', '{"format":1,'),
    'checkpoint-invalid log-invalid',
  ),
  tamper(
    'log.json of another format',
    'log-invalid',
    (log) => edit(join(log.dir, 'log.json'), '"format":1', '"format":2'),
    'checkpoint-invalid log-invalid',
  ),
  tamper(
    'log.json of another origin',
    '',
    (log) => edit(join(log.dir, 'log.json'), 'verdict-audit', 'another-audit'),
    'checkpoint-invalid',
  ),
  tamper(
    'log.json of another log',
    'log-differs',
    (log) => {
      const id = uuidV7({ msecs: 0 });
      const file = { format: 1, log: id, origin: 'verdict-audit', createdAt: new Date(0).toISOString() };
      writeFileSync(join(log.dir, 'log.json'), `${JSON.stringify(file)}\n`);
    },
    'checkpoint-invalid log-differs',
  ),
];

function edit(path: string, from: string | RegExp, to: string): void {
  const text = readFileSync(path, 'utf8');
  const changed = text.replace(from, to);
  if (changed === text) throw new Error('nothing was changed');
  writeFileSync(path, changed);
}

/** Who can make right hashes, and so write whatever they like: the form of a line. */
const FORGED: readonly Tamper[] = (
  [
    ['a key twice', (text) => text.replace('"seq":2,', '"seq":2,"seq":2,')],
    ['a number as 2e0', (text) => text.replace('"seq":2,', '"seq":2e0,')],
    ['a number as 2.0', (text) => text.replace('"seq":2,', '"seq":2.0,')],
    ['a number as a text', (text) => text.replace('"seq":2,', '"seq":"2",')],
    ['a number beyond what is exact', (text) => text.replace('"seq":2,', '"seq":9007199254740993,')],
    ['__proto__', (text) => text.replace('"seq":2,', '"seq":2,"__proto__":{"seq":2},')],
    ['__proto__ with what is missing', (text) => text.replace('"seq":2,', '"__proto__":{"seq":2},')],
    ['a further key', (text) => text.replace('"seq":2,', '"seq":2,"more":1,')],
    ['a key that is missing', (text) => text.replace('"outcome":"accept",', '')],
    ['keys in another order', (text) => text.replace(/("seq":2),("prev":"[0-9a-f]+")/, '$2,$1')],
    ['a space', (text) => text.replace('"seq":2,', '"seq": 2,')],
    ['a space in front', (text) => ` ${text}`],
    ['an escape that is not needed', (text) => text.replace('"kind":"decision"', '"kind":"\\u0064ecision"')],
    ['an unknown kind', (text) => text.replace('"kind":"decision"', '"kind":"constructor"')],
    ['an outcome that is none', (text) => text.replace('"outcome":"accept"', '"outcome":"approve"')],
    ['an instant that is none', (text) => text.replace(/"at":"[^"]+"/, '"at":"2026-02-30T00:00:00.000Z"')],
    ['an id in capitals', (text) => text.replace(/"id":"[^"]+"/, (id) => `"id":${id.slice(5).toUpperCase()}`)],
    [
      'codes out of order',
      (text) => text.replace('["PORTED_AND_RISKY_EMAIL","SCORE"]', '["SCORE","PORTED_AND_RISKY_EMAIL"]'),
    ],
    ['a code twice', (text) => text.replace('"SCORE"]', '"SCORE","SCORE"]')],
    ['a list that is an object', (text) => text.replace('"undetermined":[]', '"undetermined":{}')],
    [
      'a digest in capitals',
      (text) =>
        text.replace(/"mapping":"sha256:[0-9a-f]+/, (digest) => `"mapping":"sha256:${digest.slice(18).toUpperCase()}`),
    ],
    [
      'base64 with other last bits',
      (text) => text.replace('==","hash"', '==","hash"').replace(/A==","hash"/, 'B==","hash"'),
    ],
    ['no body', (text) => text.replace(/,"sealed":"[^"]*"/, '')],
    ['two bodies', (text) => text.replace(',"hash":"', ',"plain":{},"hash":"')],
    ['a body in clear, and a key', (text) => text.replace(/"sealed":"[^"]*"/, '"plain":{}')],
    ['a subject that is no hash', (text) => text.replace(/"phoneNo":"1:[0-9a-f]+"/, '"phoneNo":"1:254700000001"')],
    [
      'nested 100,000 deep',
      (text) => text.replace('"rules":[', `"rules":[${'['.repeat(100_000)}${']'.repeat(100_000)},`),
    ],
  ] as const satisfies readonly (readonly [string, (text: string) => string])[]
).map(([name, change]) => tamper(`forged: ${name}`, 'line-shape', (log) => log.forge(0, 1, 2, change)));

const NESTED = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;

/** The same, with other codes. */
const FORGED_OTHERWISE: readonly Tamper[] = [
  tamper('forged: a body in clear nested 100,000 deep', 'line-shape', (log) =>
    log.forge(1, 1, 2, (text) => text.replace(/"plain":\{.*\},"hash"/, `"plain":${NESTED},"hash"`)),
  ),
  tamper('forged: a body in clear with a key twice', 'line-shape', (log) =>
    log.forge(1, 1, 2, (text) => text.replace('"plain":{', '"plain":{"day":"2020-01-01",')),
  ),
  tamper('forged: bytes that are not UTF-8', 'line-not-json', (log) => {
    const [first = '', second = ''] = log.lines(0, 1);
    const head = Buffer.from(second.slice(0, -75).replace('port-and-email', 'port-and-\u00ff'), 'latin1');
    const line = Buffer.concat([head, Buffer.from(`,"hash":"${sha256(head)}"}\n`)]);
    writeFileSync(log.at(0, 1), Buffer.concat([Buffer.from(`${first}\n`), line]));
  }),
  tamper('forged: not linked to the line before', 'link-broken', (log) =>
    log.forge(0, 1, 3, (text) => text.replace(/"prev":"[0-9a-f]{64}"/, `"prev":"${'0'.repeat(64)}"`)),
  ),
  tamper('forged: a number left out', 'sequence-broken', (log) =>
    log.forge(0, 1, 3, (text) => text.replace('"seq":3', '"seq":4')),
  ),
  tamper('forged: a chain of another log', 'log-differs', (log) =>
    log.forge(0, 1, 1, (text) => text.replace(/"log":"[^"]+"/, `"log":"${uuidV7()}"`)),
  ),
  tamper('forged: the opening of another segment', 'open-wrong', (log) =>
    log.forge(0, 1, 1, (text) => text.replace('"segment":1', '"segment":2')),
  ),
  tamper('forged: a seal with too few lines', 'seal-wrong', (log) =>
    log.forge(0, 1, log.lines(0, 1).length, (text) => text.replace(/"records":\d+/, '"records":1')),
  ),
  tamper('forged: the seal of another segment', 'seal-wrong', (log) =>
    log.forge(0, 1, log.lines(0, 1).length, (text) => text.replace('"segment":1', '"segment":2')),
  ),
  tamper('forged: a policy that is not kept', 'archive-missing', (log) =>
    log.forge(0, 1, 2, (text) => text.replace(/"digest":"sha256:[0-9a-f]+"/, `"digest":"sha256:${'0'.repeat(64)}"`)),
  ),
  tamper('forged: another tail set aside', 'torn-differs', (log) => {
    const [segment = 0, line = 0] = whereTorn(log);
    log.forge(0, segment, line, (text) => text.replace(/"bytes":\d+/, '"bytes":9'));
  }),
];

function whereTorn(log: Victim): [number, number] | [] {
  for (let segment = 1; segment <= log.last(0); segment++) {
    const line = log.lines(0, segment).findIndex((text) => text.includes('"torn":'));
    if (line >= 0) return [segment, line + 1];
  }
  return [];
}

/** Who can make right hashes: a whole chain, which is then only wrong where it contradicts itself, or what was seen of it. */
const REWRITTEN: readonly Tamper[] = [
  tamper(
    'a chain written anew with another outcome',
    '',
    (log) => log.rewrite(1, ([first]) => Object.assign(first?.[1] ?? {}, { outcome: 'reject' })),
    'checkpoint-rewritten',
  ),
  tamper(
    'a chain written anew without a record',
    '',
    (log) => log.rewrite(1, ([first]) => void first?.splice(1, 1)),
    'checkpoint-cut',
  ),
  tamper(
    'a chain written anew with one record more',
    '',
    (log) => log.rewrite(1, (segments) => void segments[0]?.splice(1, 0, { ...segments[0]?.[1], id: uuidV7() })),
    'checkpoint-rewritten',
  ),
  tamper(
    'two records of a chain in another order',
    '',
    (log) =>
      log.rewrite(1, (segments) => {
        segments[0] = swap(segments[0] ?? [], 1, 2);
      }),
    'checkpoint-rewritten',
  ),
  tamper(
    'a record moved to another chain',
    '',
    (log) => {
      let moved: Json = {};
      log.rewrite(1, (segments) => {
        moved = segments[0]?.splice(1, 1)[0] ?? {};
      });
      log.rewrite(2, (segments) => void segments[0]?.splice(1, 0, { ...moved, chain: log.log.chains[2] }));
    },
    'checkpoint-cut checkpoint-rewritten',
  ),
  tamper('a record doubled, with one id', 'duplicate-id', (log) =>
    log.rewrite(1, (segments) => void segments[0]?.splice(2, 0, { ...segments[0]?.[1] })),
  ),
  tamper('a record of one chain in another too', 'duplicate-id', (log) => {
    const record = JSON.parse(log.lines(1, 1)[1] ?? '') as Json;
    log.rewrite(2, (segments) => void segments.at(-1)?.push({ ...record, chain: log.log.chains[2] }));
  }),
  tamper(
    'a second opening in one epoch',
    'open-wrong',
    (log) => log.rewrite(1, (segments) => void segments[0]?.splice(2, 0, { ...segments[0]?.[0] })),
    'open-wrong',
  ),
  tamper('a chain that begins with a record', 'open-wrong', (log) =>
    log.rewrite(1, (segments) => void segments[0]?.splice(0, 1)),
  ),
  tamper('a line behind a seal, well hashed', 'after-seal', (log) =>
    log.rewrite(0, (segments) => void segments[0]?.push({ ...segments[0]?.[1], id: uuidV7() })),
  ),
  tamper('two seals', 'after-seal', (log) =>
    log.rewrite(0, (segments) => void segments[0]?.push({ ...segments[0]?.at(-1) })),
  ),
];

export const TAMPERS: readonly Tamper[] = [...LINES, ...FILES, ...FORGED, ...FORGED_OTHERWISE, ...REWRITTEN];

/** Of a log whose first segments were pruned. */
export const PRUNED_TAMPERS: readonly Tamper[] = [
  tamper('a tombstone removed', 'segment-missing', (log) => rmSync(log.at(0, TOMBSTONE))),
  tamper('a tombstone emptied', 'tombstone-invalid', (log) => writeFileSync(log.at(0, TOMBSTONE), '')),
  tamper('a tombstone with another count', 'tombstone-invalid', (log) =>
    edit(log.at(0, TOMBSTONE), /"records":\d+/, '"records":1'),
  ),
  tamper('a tombstone with another day', 'tombstone-invalid', (log) =>
    edit(log.at(0, TOMBSTONE), /"prunedAt":"..../, '"prunedAt":"2020'),
  ),
  tamper('a tombstone with another head', 'tombstone-invalid', (log) =>
    edit(log.at(0, TOMBSTONE), /"head":"[0-9a-f]{4}/, '"head":"0000'),
  ),
  tamper('a tombstone with a space', 'tombstone-invalid', (log) => edit(log.at(0, TOMBSTONE), '{', '{ ')),
  tamper('a tombstone with a key twice', 'tombstone-invalid', (log) =>
    edit(log.at(0, TOMBSTONE), '"to":', '"to":"","to":'),
  ),
  tamper('a tombstone without its signature', 'tombstone-invalid', (log) =>
    edit(log.at(0, TOMBSTONE), /"signature":"[^"]+",/, ''),
  ),
  tamper('a tombstone with a signature of zeros', 'tombstone-invalid', (log) =>
    edit(log.at(0, TOMBSTONE), /"signature":"[^"]+"/, `"signature":"${'A'.repeat(86)}=="`),
  ),
  tamper('the tombstone of another chain', 'tombstone-invalid', (log) =>
    swapFiles(log.at(0, TOMBSTONE), log.at(1, TOMBSTONE)),
  ),
  tamper('a tombstone once more, for a segment that stands', 'tombstone-invalid', (log) =>
    copyFileSync(log.at(0, TOMBSTONE), log.at(0, 'tombstone-00000002.json')),
  ),
  tamper('a pruned segment that is there again', 'segment-unexpected', (log) =>
    copyFileSync(log.at(0, 2), log.at(0, 1)),
  ),
  tamper('a link in place of a tombstone', 'file-unexpected segment-missing', (log) =>
    replaceBy(log.at(0, TOMBSTONE), (path, kept) => symlinkSync(kept, path)),
  ),
  tamper('a public key removed', 'tombstone-invalid', (log) => rmSync(log.only('public')), ''),
  tamper('a segment removed, with a tombstone that nobody signed', 'tombstone-invalid', (log) => bury(log, 'nobody')),
  tamper("a segment removed, with a tombstone of one's own", '', (log) => bury(log, 'self'), 'tombstone-invalid'),
];

const TOMBSTONE = 'tombstone-00000001.json';

/** Puts a tombstone in the place of the second segment: without a right signature, or with a key that is put among the log's own. */
function bury(log: Victim, by: 'nobody' | 'self'): void {
  const lines = log.lines(0, 2).map((line) => JSON.parse(line) as Json);
  const [first = {}, last = {}] = [lines[0], lines.at(-1)];
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const at = '2026-11-20T00:00:00.000Z';
  const fields = {
    ...{ chain: first['chain'], segment: 2, first: first['seq'], last: last['seq'], records: lines.length - 1 },
    ...{
      prev: first['prev'],
      head: last['hash'],
      from: at,
      to: at,
      prunedAt: at,
      key: keyIdOf(by === 'self' ? publicKey : log.log.publicKey),
    },
  };
  const signature = sign(null, Buffer.from(canonicalJson(fields)), privateKey).toString('base64');
  writeFileSync(log.at(0, 'tombstone-00000002.json'), `${canonicalJson({ ...fields, signature })}\n`);
  if (by === 'self') {
    writeFileSync(
      join(log.dir, 'public', `${keyIdOf(publicKey)}.pem`),
      publicKey.export({ type: 'spki', format: 'pem' }),
    );
  }
  rmSync(log.at(0, 2));
}
