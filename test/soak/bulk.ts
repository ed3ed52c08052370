/** `node test/soak/bulk.ts [--kills 200] [--seed 1]`: `verdict decide --file` killed that often -> what held, with the seed. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { runKills } from '../support/cli/bulk-kills.ts';

/** Kills upon one file, before it is done and another is begun. */
const KILLS_A_FILE = 20;
const ROWS = 600;

const { values: options } = parseArgs({
  options: {
    kills: { type: 'string', default: '200' },
    seed: { type: 'string' },
    // Another build, such as one with a mistake that the test has to find.
    main: { type: 'string' },
  },
});
const kills = Number(options.kills);
const seed = options.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(options.seed);
if (!Number.isSafeInteger(kills) || kills < 1 || !Number.isSafeInteger(seed)) {
  throw new Error('--kills is a count, and --seed an integer');
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
  `seed ${seed}: injected ${totals.injected} kills -9, cases ${totals.rows} rows (${totals.doubtful} in doubt), held ${totals.held}\n`,
);
