/** Rules -> a log in which they are release 1, and the options of a service that loads it. */

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { initAuditLog } from '../../../src/audit/init.ts';
import { createAuditLog, homeOfLog } from '../../../src/audit/log.ts';
import { activate, addEvidence, beginSeries, propose, sayOf } from '../../../src/release/acts.ts';
import { readRules, type Texts } from '../../../src/release/files.ts';
import { openReleases } from '../../../src/release/store.ts';
import { readTrust, trustText } from '../../../src/service/config/trust.ts';

const RULES = join(import.meta.dirname, '../../../rules');

export interface ShippedRelease {
  readonly dir: string;
  /** The file. */
  readonly trust: string;
  /** Of a service. */
  readonly options: { readonly audit: string; readonly rules: string };
}

/**
 * Release 1, which somebody elsewhere has written and somebody else approved: of the shipped rules, unless others are
 * given. `more`: further YAML of `trust.yaml`.
 */
export async function releaseShipped(files: Texts = readRules(RULES), more = ''): Promise<ShippedRelease> {
  const root = mkdtempSync(join(tmpdir(), 'releases-'));
  const [dir, trust] = [join(root, 'log'), join(root, 'trust.yaml')];
  await initAuditLog({ dir });
  const log = await createAuditLog({ dir });
  try {
    const series = await beginSeries({ log });
    const text = trustText(series, await openReleases(homeOfLog(log)).signingKey());
    writeFileSync(trust, `${text.replace('[approve, activate]', '[approve, activate, tighten]')}${more}`);
    const read = await propose(
      { log },
      { files, mapping: 'signals.yaml', title: 'First rules', authors: ['elsewhere'] },
    );
    const { number } = read.manifest;
    await addEvidence({ log }, number, { day: new Date().toISOString().slice(0, 10) });
    await sayOf({ log }, number, readTrust(trust), { by: 'somebody else', verdict: 'approve' });
    await activate({ log }, number, readTrust(trust), { by: 'elsewhere' });
  } finally {
    await log.close();
  }
  return { dir, trust, options: { audit: dir, rules: `{ releases: true, trust: ${JSON.stringify(trust)} }` } };
}
