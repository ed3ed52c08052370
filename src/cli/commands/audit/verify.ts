/** `verdict audit verify`: a log -> a report of what is not as it was written. */

import { createPublicKey, type KeyObject } from 'node:crypto';
import type { Command } from 'commander';
import type { SealedPolicyStatus } from '../../../audit/verify/check-records.ts';
import type { VerifyReport } from '../../../audit/verify/verify.ts';
import type { Styler } from '../../../report/outline.ts';
import { count, printable } from '../../../text.ts';
import { findOpenFolders, formatFinding, type OpenFolder, openFolderWords } from '../../findings.ts';
import { EXIT, type Io, UsageError } from '../../io.ts';
import { addJson, readMany } from '../../options/arguments.ts';
import { addKeys, hasKeys, logPlaceOf, readInputFile } from '../../options/log-place.ts';
import { endWith } from '../../result.ts';

export function addVerify(audit: Command, io: Io): void {
  const command = audit
    .command('verify <log>')
    .description('find what was changed, removed, inserted or reordered')
    .option('--checkpoint <file>', 'compare the log with this signed note, kept elsewhere')
    .option('--public-key <file>', 'a public key (PEM) to check signatures with, kept elsewhere; repeatable', readMany);
  addJson(addKeys(command)).action(async (dir, options) => {
    const { withoutKeys } = await import('../../../audit/place.ts');
    const { verifyLog } = await import('../../../audit/verify/verify.ts');
    const { checkpoint, publicKey } = options;
    const place = logPlaceOf(dir, options, io);
    // An auditor may have no keys, or no permission to read them.
    const isKeyed = hasKeys(place, options, io);
    const settings = {
      ...(isKeyed ? place : withoutKeys(place)),
      ...(checkpoint === undefined ? {} : { checkpoint: readInputFile(checkpoint, 'checkpoint') }),
      ...(publicKey === undefined ? {} : { publicKeys: publicKey.map(readPublicKey) }),
    };
    const { counting } = await import('../../progress.ts');
    const report = await counting(io, 'line', (onProgress) => verifyLog({ ...settings, onProgress }));
    const openToOthers = await findOpenFolders(isKeyed ? place : withoutKeys(place));
    await endWith(io, options, {
      data: () => ({ ...report, openToOthers }),
      text: (style) => formatReport(report, openToOthers, isKeyed, style),
      exitCode: report.findings.length > 0 ? EXIT.found : EXIT.done,
    });
  });
}

function readPublicKey(file: string): KeyObject {
  const pem = readInputFile(file, 'public key');
  try {
    const key = createPublicKey(pem);
    if (key.asymmetricKeyType === 'ed25519' && !pem.includes('PRIVATE')) return key;
  } catch {
    // Reported below.
  }
  throw new UsageError(`${file} is not an Ed25519 public key in PEM`);
}

function formatReport(
  { log, origin, findings, versionsTwice, chains, checkpoint, erased, sealedPolicies = [], unseen }: VerifyReport,
  openToOthers: readonly OpenFolder[],
  hasKeys: boolean,
  style: Styler,
): string {
  const sum = (part: 'decisions' | 'notes' | 'events' | 'erasures' | 'opened' | 'plain' | 'pruned') =>
    chains.reduce((total, chain) => total + chain[part], 0);
  const [pruned, plain] = [sum('pruned'), sum('plain')];
  const kinds = ['decision', 'note', 'event', 'erasure'] as const;
  const entries = kinds.map((kind) => count(sum(`${kind}s`), kind));
  const prunedWords = pruned > 0 ? `; ${count(pruned, 'segment')} pruned` : '';
  return [
    log === undefined ? 'log without a readable log.json' : `log ${log} of ${printable(origin ?? '')}`,
    `${count(chains.length, 'chain')}: ${entries.join(', ')}${prunedWords}`,
    hasKeys
      ? `bodies: ${sum('opened')} opened with the keys and compared, ${erased ?? 0} erased, ${plain} not encrypted`
      : `bodies: not opened, no keys${plain > 0 ? `; ${plain} not encrypted` : ''}`,
    ...sealedPolicies.map(policyWords),
    ...(checkpoint
      ? [`checkpoint: of ${checkpoint.at}, signed by ${checkpoint.keyId}, ${count(checkpoint.chains, 'chain')}`]
      : []),
    ...versionsTwice.map(({ name, version, digests }) => {
      const words = `is the name of ${digests.length} different policies: ${digests.join(', ')}`;
      return style('yellow', `policy ${printable(name)} ${printable(version)} ${words}`);
    }),
    ...openToOthers.map((folder) => style('yellow', openFolderWords(folder))),
    ...unseen.map((limitation) => style('dim', `not covered: ${limitation}`)),
    '',
    ...findings.map((finding) => style('red', formatFinding(finding))),
    findings.length === 0
      ? style('green', 'good: no change found')
      : findings.every(({ code }) => code === 'line-format')
        ? style('yellow', 'NOT VERIFIED: the log has a format of another version; verify it with that one')
        : style('red', `BAD: ${count(findings.length, 'finding')}`),
    '',
  ].join('\n');
}

function policyWords({ archive, texts, erasedPeople: people }: SealedPolicyStatus): string {
  const opened = `policy ${archive.slice(0, 19)}…: ${count(texts, 'text')} about people`;
  if (people === 0) return `${opened}, opened with the keys; its own digest is right`;
  const erased = `${people} ${people === 1 ? 'person' : 'people'} erased`;
  return `${opened}, ${erased}, and its own digest with them; the digest of its archived form is right`;
}
