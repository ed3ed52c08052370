/**
 * `node test/soak/bulk.ts [--kills 200] [--seed 1]`: `verdict decide --file`, killed at random moments -> the
 * number of rows that held, with the seed.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { runKills } from '../support/cli/bulk-kills.ts';

/** The number of kills on one file; then the file is finished and a new one starts. */
const KILLS_A_FILE = 20;
const ROWS = 600;

const { values: options } = parseArgs({
  options: {
    kills: { type: 'string', default: '200' },
    seed: { type: 'string' },
    // Another build, for example one with a bug that this test should find.
    main: { type: 'string' },
  },
});
const kills = Number(options.kills);
const seed = options.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(options.seed);
if (!Number.isSafeInteger(kills) || kills < 1 || !Number.isSafeInteger(seed)) {
  throw new Error('--kills must be a positive whole number, and --seed an integer');
}

const totals = { injected: 0, rows: 0, doubtful: 0, held: 0 };
for (let file = 0; totals.injected < kills && file < kills; file++) {
  const folder = mkdtempSync(join(tmpdir(), 'verdict-bulk-'));
  try {
    const given = { seed: seed + file, kills: KILLS_A_FILE, rows: ROWS, folder };
    const report = await runKills(options.main === undefined ? given : { ...given, main: resolve(options.main) });
    totals.injected += report.killed;
    totals.rows += ROWS;
    totals.doubtful += report.doubtful;
    totals.held += report.broken.length === 0 ? ROWS : ROWS - Math.min(ROWS, report.broken.length);
    if (report.broken.length > 0) {
      process.exitCode = 1;
      process.stdout.write(`seed ${given.seed}:\n${report.broken.slice(0, 20).join('\n')}\n`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  process.stderr.write(`${totals.injected} kills\n`);
}
process.stdout.write(
  `seed ${seed}: ${totals.injected} kills; of ${totals.rows} rows (${totals.doubtful} in doubt), ${totals.held} held\n`,
);
