/** Rules whose tests cannot all hold -> warnings. */

import { contradictionIn } from '../../cells/ties.ts';
import type { Condition } from '../../language.ts';
import { type Check, partsOf } from '../context.ts';

export function checkNeverFires({ regions, conjunctions, geodata, reported, warn, nodeOf }: Check): void {
  for (const { rule, certain } of regions) {
    if (certain.length > 0 || hasReported(rule.when, reported)) continue;
    const message = `the rule "${rule.id}" can never fire: no facts pass all of its tests`;
    const parts = conjunctions.of(rule.when)?.flatMap((part) => part.certain ?? []) ?? [];
    warn(nodeOf(rule), 'never-fires', message, parts[0] && contradictionIn(parts[0], geodata));
  }
}

function hasReported(condition: Condition, reported: Check['reported']): boolean {
  for (const part of partsOf(condition)) {
    if (part.kind === 'test' && reported.has(part)) return true;
    if (part.kind === 'named' && hasReported(part.of[0], reported)) return true;
  }
  return false;
}
