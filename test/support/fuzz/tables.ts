/** Tables of facts in CSV, with hostile cells -> verdicts by SQL: no internal error, and no row is lost. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCli } from '../cli/cli.ts';
import { TODAY } from '../facts/answers.ts';
import { pick } from '../facts/mutate.ts';
import type { OpenTarget } from './case.ts';
import { hostileCsv } from './csv.ts';

const POLICY = join(import.meta.dirname, '../../../rules/phone-only.yaml');

export const tablesTarget: OpenTarget = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'verdict-fuzz-'));
  return {
    make(random) {
      const { how, bytes, records } = hostileCsv(
        {
          client_reference: (row) => `R-${row}`,
          phone_risk_level: (_, random) => pick(['low', 'veryHigh', ''], random),
          phone_score: (row) => String(row % 100),
          phone_porting_ported_date: (_, random) => pick(['never', '2025-11-13', ''], random),
          ip_isp: (_, random) => pick(['Harbour Mobile', '#', ''], random),
        },
        [','],
        random,
      );
      // A name that some readers take for a pattern, and a folder that some take for a column.
      const name = pick(['facts.csv', 'facts[1].csv', 'facts*.csv', 'phone_score=1.csv'], random);
      return {
        how: `${name}; ${how}`,
        bytes,
        async run() {
          const file = join(folder, name);
          writeFileSync(file, bytes);
          const words = ['evaluate', '--runner', 'sql', '--policy', POLICY, '--at', TODAY, '--facts', file];
          const { exitCode, stdout, stderr } = await runCli(words);
          rmSync(file);
          if (/internal error/.test(stderr)) return stderr;
          if (records === undefined) return undefined;
          const verdicts = stdout.split('\n').length - 1;
          const problems = stderr.match(/^verdict: (?:row|line) \d+/gm)?.length ?? 0;
          const isWhole = exitCode < 2 && verdicts + problems === records;
          return isWhole ? undefined : `${verdicts} verdicts and ${problems} problems of ${records} rows: ${stderr}`;
        },
      };
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
};
