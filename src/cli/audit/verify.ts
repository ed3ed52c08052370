/** `verdict audit verify`: a log -> whether it is as it was written. `checkpoint`: a signed note of how long it is. `prune`: its oldest part away. */

import { createPublicKey, type KeyObject } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { Finding } from '../../audit/finding.ts';
import type { Report } from '../../audit/verify.ts';
import { count, printable } from '../../diagnostics.ts';
import { addFormat, readDay, readMany } from '../arguments.ts';
import { CouldNotRunError, EXIT, type Io, type Styler, stylerFor, UsageError, write } from '../io.ts';
import type { Finish } from '../program.ts';
import { addKeys, KEYS_VARIABLE, type KeysOptions, placeOf, readNamed } from './place.ts';

interface VerifyOptions extends KeysOptions {
  readonly checkpoint?: string;
  readonly publicKey?: readonly string[];
  readonly format: 'text' | 'json';
}

/** Adds `verify`. */
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
  addFormat(addKeys(command), ['text', 'json']).action(async (dir: string, options: VerifyOptions) => {
    const { verifyLog } = await import('../../audit/verify.ts');
    const { checkpoint, publicKey } = options;
    const { keys } = placeOf(dir, options, io);
    // An auditor need not have the keys; who names them wants them used.
    const keysDir = isNamed(options, io) || existsSync(keys) ? { keysDir: keys } : {};
    const report = await verifyLog(dir, {
      ...keysDir,
      ...(checkpoint === undefined ? {} : { checkpoint: readNamed(checkpoint, 'checkpoint') }),
      ...(publicKey === undefined ? {} : { publicKeys: publicKey.map(readPublicKey) }),
    });
    const text =
      options.format === 'json'
        ? `${JSON.stringify(report, null, 2)}\n`
        : formatReport(report, 'keysDir' in keysDir, stylerFor(io.stdout, io.env));
    await write(io.stdout, text);
    finish(report.findings.length > 0 ? EXIT.found : EXIT.done);
  });
}

function isNamed({ keys }: KeysOptions, { env }: Io): boolean {
  return keys !== undefined || Boolean(env[KEYS_VARIABLE]);
}

function readPublicKey(file: string): KeyObject {
  const pem = readNamed(file, 'public key');
  try {
    const key = createPublicKey(pem);
    if (key.asymmetricKeyType === 'ed25519' && !pem.includes('PRIVATE')) return key;
  } catch {
    // Said below.
  }
  throw new UsageError(`${file} is no Ed25519 public key in PEM`);
}

function formatReport(
  { log, origin, findings, versionsTwice, chains, checkpoint, unseen }: Report,
  isOpened: boolean,
  style: Styler,
): string {
  const sum = (part: 'decisions' | 'notes' | 'erasures') => chains.reduce((total, chain) => total + chain[part], 0);
  const pruned = chains.reduce((total, chain) => total + chain.pruned, 0);
  const counted = [count(sum('decisions'), 'decision'), count(sum('notes'), 'note'), count(sum('erasures'), 'erasure')];
  return [
    log === undefined ? 'a log that does not say its name' : `log ${log} of ${printable(origin ?? '')}`,
    `${count(chains.length, 'chain')}: ${counted.join(', ')}${pruned > 0 ? `; ${count(pruned, 'segment')} pruned` : ''}`,
    isOpened ? 'bodies: opened with the keys, and compared' : 'bodies: not opened, for want of the keys',
    ...(checkpoint
      ? [`checkpoint: of ${checkpoint.at}, signed by ${checkpoint.keyId}, ${count(checkpoint.chains, 'chain')}`]
      : []),
    ...versionsTwice.map(({ name, version, digests }) =>
      style(
        'yellow',
        `policy ${printable(name)} ${printable(version)} stands for ${digests.length} policies: ${digests.join(', ')}`,
      ),
    ),
    ...unseen.map((sentence) => style('dim', `not seen: ${sentence}`)),
    '',
    ...findings.map((finding) => style('red', formatFinding(finding))),
    findings.length === 0
      ? style('green', 'good: nothing was changed, as far as can be seen')
      : style('red', `BAD: ${count(findings.length, 'finding')}`),
    '',
  ].join('\n');
}

/** `chains/…/00000001.ndjson line 5 (number 5 of its chain, record 01a1…): hash-differs: …` */
export function formatFinding({ code, chain, segment, line, seq, id, file, message }: Finding): string {
  const place =
    file ?? (chain === undefined ? undefined : `chain ${chain}${segment === undefined ? '' : ` segment ${segment}`}`);
  const where = [
    ...(place === undefined ? [] : [printable(place)]),
    ...(line === undefined ? [] : [`line ${line}`]),
    ...(seq === undefined ? [] : [`(number ${seq} of its chain${id === undefined ? '' : `, record ${id}`})`]),
  ].join(' ');
  return `${where === '' ? '' : `${where}: `}${code}: ${message}`;
}

interface SigningOptions extends KeysOptions {
  readonly signingKey?: string;
}

interface CheckpointOptions extends SigningOptions {
  readonly out?: string;
}

function addSigning(command: Command): Command {
  return addKeys(command).option(
    '--signing-key <file>',
    'the private key to sign with (default: the one in the key folder)',
  );
}

/** Adds `checkpoint`. */
export function addCheckpoint(audit: Command, io: Io, finish: Finish): void {
  const command = audit
    .command('checkpoint <dir>')
    .description('verify the log, and print a signed note of how long each of its chains is, to be kept elsewhere')
    .option('--out <file>', 'write the note into a new file');
  addSigning(command).action(async (dir: string, options: CheckpointOptions) => {
    const { takeCheckpoint } = await import('../../audit/take-checkpoint.ts');
    const { readSigningKey } = await import('../../audit/keys.ts');
    const { keys } = placeOf(dir, options, io);
    const { note, report } = await takeCheckpoint(dir, { signingKey: await readSigningKey(keys, options.signingKey) });
    if (note === undefined) {
      const found = report.findings.map((finding) => `${formatFinding(finding)}\n`).join('');
      await write(io.stderr, `${found}verdict: nobody should vouch for this log: no checkpoint was signed\n`);
      finish(EXIT.found);
      return;
    }
    if (options.out === undefined) await write(io.stdout, note);
    else writeNew(options.out, note);
    finish(EXIT.done);
  });
}

/** An earlier checkpoint is not lost for a later one. */
function writeNew(file: string, text: string): void {
  try {
    writeFileSync(file, text, { flag: 'wx', flush: true });
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST';
    throw new CouldNotRunError(
      isThere ? `${file} is there already, and is left as it is` : `${file} cannot be written`,
    );
  }
}

interface PruneOptions extends SigningOptions {
  readonly before: string;
}

/** Adds `prune`. */
export function addPrune(audit: Command, io: Io, finish: Finish): void {
  const command = audit
    .command('prune <dir>')
    .description('remove the closed segments whose records are all older, with their keys, and leave signed tombstones')
    .requiredOption('--before <day>', 'records of this day and later ones stay', readDay);
  addSigning(command).action(async (dir: string, options: PruneOptions) => {
    const { pruneLog } = await import('../../audit/prune.ts');
    const { readSigningKey } = await import('../../audit/keys.ts');
    const { keys } = placeOf(dir, options, io);
    const signingKey = await readSigningKey(keys, options.signingKey);
    const {
      segments,
      keys: erased,
      missingKeys,
    } = await pruneLog({ dir, keysDir: keys, before: options.before, signingKey });
    const records = segments.reduce((sum, segment) => sum + segment.records, 0);
    const missing = missingKeys > 0 ? `, ${count(missingKeys, 'key')} not found` : '';
    await write(
      io.stdout,
      `${count(segments.length, 'segment')} with ${count(records, 'record')} pruned, ${count(erased, 'key')} erased${missing}\n`,
    );
    finish(EXIT.done);
  });
}
