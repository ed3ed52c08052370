/** Ways to tamper with an audit log without valid hashes: lines and files changed, moved, removed, replaced. */

import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import {
  appendFileSync,
  copyFileSync,
  cpSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { v7 as uuidV7 } from 'uuid';
import { keyIdOf } from '../../../src/audit/keys/signature.ts';
import { changeOwner } from './crashed-owner.ts';
import { type Tamper, tamper } from './tamper.ts';
import { edit, replaceByLink, swapFiles } from './victim.ts';

const pipe = (path: string) => {
  rmSync(path, { recursive: true });
  execFileSync('mkfifo', [path]);
};

/** Lines, without valid hashes. */
export const LINES: readonly Tamper[] = [
  tamper('a record of another chain inserted', 'chain-differs', (log) =>
    log.change(0, 1, (lines) => lines.toSpliced(2, 0, log.lines(1, 1)[1] ?? '')),
  ),
  tamper(
    'the last record moved to another chain',
    'chain-differs end-differs',
    (log) => {
      const last = log.lines(1, log.last(1)).at(-1) ?? '';
      log.change(1, log.last(1), (lines) => lines.slice(0, -1));
      log.change(2, log.last(2), (lines) => [...lines, last]);
    },
    'chain-differs checkpoint-cut end-differs',
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
  tamper(
    'the last line cut off',
    'end-differs',
    (log) => log.change(1, log.last(1), (lines) => lines.slice(0, -1)),
    'checkpoint-cut end-differs',
  ),
  tamper(
    'the last line cut off, and its owner to match',
    '',
    (log) => {
      log.change(1, log.last(1), (lines) => lines.slice(0, -1));
      log.own(1);
    },
    'checkpoint-cut',
  ),
  tamper(
    'the last line cut off, and its owner removed',
    '',
    (log) => {
      log.change(1, log.last(1), (lines) => lines.slice(0, -1));
      rmSync(log.at(1, 'owner-000001.json'));
    },
    'checkpoint-cut',
  ),
  tamper('an owner that left the chain before its end', 'end-differs', (log) => {
    const { seq, hash } = JSON.parse(log.lines(1, log.last(1)).at(0) ?? '');
    changeOwner(log.at(1, ''), (owner) => ({ ...owner, head: { seq, hash } }));
  }),
  tamper('an owner that failed, and left another line', 'end-differs', (log) => {
    const { seq } = JSON.parse(log.lines(1, 1).at(1) ?? '');
    const head = { seq, hash: 'a'.repeat(64) };
    changeOwner(log.at(1, ''), (owner) => ({ ...owner, head, released: true, failed: true }));
  }),
  tamper(
    'half of the last line cut off',
    'end-differs line-not-whole',
    (log) => {
      const bytes = readFileSync(log.at(1, log.last(1)));
      writeFileSync(log.at(1, log.last(1)), bytes.subarray(0, -100));
    },
    'checkpoint-cut end-differs line-not-whole',
  ),
  tamper('half of a line cut off before a seal', 'line-not-json', (log) =>
    log.change(0, 1, (lines) => lines.with(-2, (lines.at(-2) ?? '').slice(0, 100))),
  ),
  tamper('zeros behind the last line', 'line-not-whole', (log) =>
    appendFileSync(log.at(1, log.last(1)), Buffer.alloc(4096)),
  ),
  tamper('half a line behind a seal', 'after-seal', (log) => appendFileSync(log.at(0, log.last(0)), 'x')),
  tamper('a line behind a seal', 'line-not-json', (log) => appendFileSync(log.at(0, 1), 'x\n')),
  tamper('a seal removed', 'seal-missing', (log) => log.change(0, 1, (lines) => lines.slice(0, -1))),
  tamper('the seal of another segment', 'sequence-broken', (log) =>
    log.change(0, 1, (lines) => lines.with(-1, log.lines(0, 2).at(-1) ?? '')),
  ),
  tamper('a byte order mark', 'line-not-json', (log) =>
    log.change(0, 1, ([a = '', ...rest]) => [`\uFEFF${a}`, ...rest]),
  ),
  tamper('a line of 17 MiB', 'line-shape', (log) =>
    log.change(0, 1, (lines) => lines.with(1, 'x'.repeat(17 * 1024 * 1024))),
  ),
  tamper('17 MiB without an end', 'line-not-whole', (log) =>
    appendFileSync(log.at(1, log.last(1)), 'x'.repeat(17 * 1024 * 1024)),
  ),
];

/** Files and folders, without valid hashes. */
export const FILES: readonly Tamper[] = [
  tamper('the first segment removed', 'segment-missing', (log) => rmSync(log.at(0, 1))),
  tamper(
    'all segments removed',
    'end-differs',
    (log) => {
      for (let n = log.last(1); n > 0; n--) rmSync(log.at(1, n));
    },
    'checkpoint-cut end-differs',
  ),
  tamper('two segments swapped', 'sequence-broken', (log) => swapFiles(log.at(0, 1), log.at(0, 2))),
  tamper('a segment renamed', 'segment-missing', (log) => renameSync(log.at(0, 2), log.at(0, 9))),
  tamper('the last segment once more', 'seal-missing', (log) =>
    copyFileSync(log.at(1, log.last(1)), log.at(1, log.last(1) + 1)),
  ),
  tamper('a segment with a short number', 'file-unexpected', (log) =>
    copyFileSync(log.at(0, 1), log.at(0, '1.ndjson')),
  ),
  tamper('a segment with the largest number', 'segment-missing', (log) => writeFileSync(log.at(0, 99_999_999), '')),
  tamper('a segment emptied', 'seal-missing', (log) => writeFileSync(log.at(0, 1), '')),
  tamper('a chain removed', '', (log) => rmSync(log.at(1, ''), { recursive: true }), 'checkpoint-chain-missing'),
  tamper(
    'a chain renamed',
    'chain-differs',
    (log) => renameSync(log.at(1, ''), join(log.dir, 'chains', uuidV7())),
    'chain-differs checkpoint-chain-missing',
  ),
  tamper('a chain copied', 'chain-differs', (log) =>
    cpSync(log.at(1, ''), join(log.dir, 'chains', uuidV7()), { recursive: true }),
  ),
  tamper('what was set aside changed', 'torn-differs', (log) => appendFileSync(log.torn(), '}')),
  tamper('what was set aside removed', 'torn-differs', (log) => rmSync(log.torn())),
  tamper('something set aside that no line tells of', 'file-unexpected', (log) =>
    writeFileSync(log.at(0, 'torn-00000001-7'), 'x'),
  ),
  tamper('a policy changed', 'archive-differs', (log) => appendFileSync(log.only('policies'), ' ')),
  tamper('a policy removed', 'archive-missing', (log) => rmSync(log.only('policies'))),
  tamper('a mapping changed', 'archive-differs', (log) => writeFileSync(log.only('mappings'), '{}')),
  tamper('a mapping removed', 'archive-missing', (log) => rmSync(log.only('mappings'))),
  tamper('a policy renamed', 'archive-differs archive-missing', (log) =>
    renameSync(log.only('policies'), join(log.dir, 'policies', `${'0'.repeat(64)}.json`)),
  ),
  tamper('a policy of another name', 'file-unexpected', (log) =>
    writeFileSync(join(log.dir, 'policies', 'new.json'), '{}'),
  ),
  tamper('a public key changed', 'key-invalid', (log) => appendFileSync(log.only('public'), '\n')),
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
  tamper('the files of an index in the folder', '', (log) => {
    for (const ending of ['', '-wal', '-shm', '-journal']) writeFileSync(join(log.dir, `index.sqlite${ending}`), '');
  }),
  tamper('another file in the folder', 'file-unexpected', (log) => writeFileSync(join(log.dir, 'notes.txt'), '')),
  tamper('a file in place of the policies', 'archive-missing file-unexpected', (log) => {
    rmSync(join(log.dir, 'policies'), { recursive: true });
    writeFileSync(join(log.dir, 'policies'), '');
  }),
  tamper(
    'a link in place of the chains',
    'file-unexpected',
    (log) => replaceByLink(join(log.dir, 'chains'), log),
    'checkpoint-chain-missing file-unexpected',
  ),
  tamper('an owner as long as no owner is', 'owner-invalid', (log) =>
    writeFileSync(log.at(0, 'owner-000009.json'), ' '.repeat(70_000)),
  ),
  tamper('an owner with a number of seven digits', '', (log) =>
    copyFileSync(log.at(0, 'owner-000002.json'), log.at(0, 'owner-1000000.json')),
  ),
  tamper('a segment with a number of nine digits', 'segment-missing', (log) =>
    writeFileSync(log.at(0, '100000000.ndjson'), ''),
  ),
  tamper('a file among the chains', 'file-unexpected', (log) => writeFileSync(join(log.dir, 'chains', uuidV7()), '')),
  tamper('another file in a chain', 'file-unexpected', (log) => writeFileSync(log.at(0, '00000001.ndjson.bak'), '')),
  tamper('a folder in place of a segment', 'file-unexpected segment-missing', (log) => {
    rmSync(log.at(0, 1));
    mkdirSync(log.at(0, 1));
  }),
  tamper('what a crash left of a file', '', (log) => writeFileSync(log.at(0, `.new-${'0'.repeat(32)}`), 'x')),
  tamper('a chain without lines', '', (log) => mkdirSync(join(log.dir, 'chains', uuidV7()))),
  tamper('a link in place of a segment', 'file-unexpected segment-missing', (log) => replaceByLink(log.at(0, 1), log)),
  tamper(
    'a link in place of a chain',
    'file-unexpected',
    (log) => replaceByLink(log.at(1, '.').replace(/\/$/, ''), log),
    'checkpoint-chain-missing file-unexpected',
  ),
  tamper('a link to nothing', 'file-unexpected', (log) => symlinkSync('nothing', log.at(0, 'owner-000009.json'))),
  tamper('a second name for a segment', 'file-unexpected', (log) => linkSync(log.at(0, 1), log.at(0, 'copy'))),
  tamper('a second name for a segment, as the next one', 'seal-missing', (log) =>
    linkSync(log.at(1, 1), log.at(1, log.last(1) + 1)),
  ),
  tamper('a pipe in place of a segment', 'file-unexpected segment-missing', (log) => pipe(log.at(0, 1))),
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
