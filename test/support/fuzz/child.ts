/**
 * `node child.ts TARGETS NAME SEED FROM CASES`: tries the cases of one target; writes a line of JSON before each, and
 * one for each broken promise. The parent ends it if a case takes too long.
 */

import { writeSync } from 'node:fs';
import { caseOf, type OpenTarget, tryCase } from './case.ts';
import type { Told } from './watch.ts';

const [, , module = '', name = '', seed = '', from = '', cases = ''] = process.argv;

/** At once, because the next case may keep the process from doing anything else. */
const tell = (told: Told) => writeSync(1, `${JSON.stringify(told)}\n`);

const { TARGETS } = (await import(module)) as { readonly TARGETS: Readonly<Record<string, OpenTarget>> };
const target = await TARGETS[name]?.();
if (!target) throw new Error(`there is no target ${name}`);
for (let number = Number(from); number < Number(from) + Number(cases); number++) {
  tell({ began: number });
  const broken = await tryCase(caseOf(target, Number(seed), number));
  if (broken !== undefined) tell({ broken, number });
}
tell({ mostBytes: process.resourceUsage().maxRSS * 1024 });
target.close();
// What a case left behind must not keep the process.
process.exit(0);
