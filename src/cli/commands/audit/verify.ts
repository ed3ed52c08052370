/** `verdict audit verify`: a log -> whether it is as it was written. */

import { createPublicKey, type KeyObject } from 'node:crypto';
import type { Command } from 'commander';
import type { VerifyReport } from '../../../audit/verify/verify.ts';
import type { Styler } from '../../../report/words/style.ts';
import { count, printable } from '../../../text.ts';
import type { Finish } from '../../io.ts';
import { EXIT, type Io, stylerFor, UsageError, write } from '../../io.ts';
import { addFormat, readMany } from '../../options/arguments.ts';
import {
  addKeys,
  areKeysNamed,
  isReadable,
  type KeysOptions,
  logPlaceOf,
  readInputFile,
} from '../../options/log-place.ts';
import { counting } from '../../terminal/counter.ts';
import { formatFinding } from '../../terminal/format-finding.ts';
import { findOpenFolders, type OpenFolder, openFolderWords } from '../../terminal/open-folders.ts';

interface Options extends KeysOptions {
  readonly checkpoint?: string;
  readonly publicKey?: readonly string[];
  readonly format: 'text' | 'json';
}

/** Adds the command. */
export function addVerify(audit: Command, io: Io, finish: Finish): void {
  const command = audit
    .command('verify <dir>')
    .description('find whatever was changed, removed, inserted or reordered')
    .option('--checkpoint <file>', 'hold the log to this signed note, kept elsewhere')
    .option(
      '--public-key <file>',
      'the PEM of a key to check signatures with, kept elsewhere; may be given again',
      readMany,
    );
  addFormat(addKeys(command), ['text', 'json']).action(async (dir: string, options: Options) => {
    const { verifyLog } = await import('../../../audit/verify/verify.ts');
    const { checkpoint, publicKey } = options;
    const { keys } = logPlaceOf(dir, options, io);
    // An auditor need not have the keys, nor be allowed to read them.
    const isOpened = areKeysNamed(options, io) || isReadable(keys);
    const heldTo = {
      ...(isOpened ? { keysDir: keys } : {}),
      ...(checkpoint === undefined ? {} : { checkpoint: readInputFile(checkpoint, 'checkpoint') }),
      ...(publicKey === undefined ? {} : { publicKeys: publicKey.map(readPublicKey) }),
    };
    const report = await counting(io, 'line', (onProgress) => verifyLog(dir, { ...heldTo, onProgress }));
    const openToOthers = await findOpenFolders({ log: dir, ...(isOpened ? { keys } : {}) });
    const text =
      options.format === 'json'
        ? `${JSON.stringify({ ...report, openToOthers }, null, 2)}\n`
        : formatReport(report, openToOthers, isOpened, stylerFor(io.stdout, io.env));
    await write(io.stdout, text);
    finish(report.findings.length > 0 ? EXIT.found : EXIT.done);
  });
}

function readPublicKey(file: string): KeyObject {
  const pem = readInputFile(file, 'public key');
  try {
    const key = createPublicKey(pem);
    if (key.asymmetricKeyType === 'ed25519' && !pem.includes('PRIVATE')) return key;
  } catch {
    // Said below.
  }
  throw new UsageError(`${file} is no Ed25519 public key in PEM`);
}

function formatReport(
  { log, origin, findings, versionsTwice, chains, checkpoint, erased, unseen }: VerifyReport,
  openToOthers: readonly OpenFolder[],
  isOpened: boolean,
  style: Styler,
): string {
  const sum = (part: 'decisions' | 'notes' | 'erasures' | 'opened' | 'plain' | 'pruned') =>
    chains.reduce((total, chain) => total + chain[part], 0);
  const pruned = sum('pruned');
  const counted = [count(sum('decisions'), 'decision'), count(sum('notes'), 'note'), count(sum('erasures'), 'erasure')];
  return [
    log === undefined ? 'a log that does not say its name' : `log ${log} of ${printable(origin ?? '')}`,
    `${count(chains.length, 'chain')}: ${counted.join(', ')}${pruned > 0 ? `; ${count(pruned, 'segment')} pruned` : ''}`,
    isOpened
      ? `bodies: ${sum('opened')} opened with the keys and compared, ${erased ?? 0} erased, ${sum('plain')} in clear`
      : `bodies: not opened, for want of the keys${sum('plain') > 0 ? `; ${sum('plain')} in clear` : ''}`,
    ...(checkpoint
      ? [`checkpoint: of ${checkpoint.at}, signed by ${checkpoint.keyId}, ${count(checkpoint.chains, 'chain')}`]
      : []),
    ...versionsTwice.map(({ name, version, digests }) =>
      style(
        'yellow',
        `policy ${printable(name)} ${printable(version)} stands for ${digests.length} policies: ${digests.join(', ')}`,
      ),
    ),
    ...openToOthers.map((folder) => style('yellow', openFolderWords(folder))),
    ...unseen.map((sentence) => style('dim', `not covered: ${sentence}`)),
    '',
    ...findings.map((finding) => style('red', formatFinding(finding))),
    findings.length === 0
      ? style('green', 'good: nothing was changed, as far as can be seen')
      : style('red', `BAD: ${count(findings.length, 'finding')}`),
    '',
  ].join('\n');
}
