/** What the cases of a decision went through -> a table of it. */

import type { Child } from '../../../report/html/markup.ts';
import { instant } from '../../../report/html/parts/phrases.ts';
import { NONE, table } from '../../../report/html/parts/table.ts';

/** A step; what the reader may not see of it is absent. */
export interface CaseStep {
  readonly at: string;
  /** The type of its event, such as `case.taken`; `case.resolved` for a note that approves or declines. */
  readonly what: string;
  readonly by?: string | undefined;
  readonly why?: string | undefined;
  /** Of a case whose caller was asked: for what; of a resolution: its disposition. */
  readonly code?: string | undefined;
  /** In which queue the case is from then on. */
  readonly queue?: string | undefined;
  readonly to?: string | undefined;
  /** Until when it sleeps. */
  readonly until?: string | undefined;
  /** Whether its holder does not get it again. */
  readonly isSkipped?: boolean;
  /** Of a resolution: whether it came after the case was due, if that is on record. */
  readonly isLate?: boolean;
}

const WORDS: Readonly<Record<string, string>> = {
  'case.opened': 'opened',
  'case.taken': 'taken',
  'case.released': 'given back',
  'case.reassigned': 'kept for somebody',
  'case.held': 'put on hold',
  'case.asked': 'caller asked',
  'case.answered': 'answered',
  'case.escalated': 'escalated',
  'case.retried': 'service asked again',
  'case.resolved': 'resolved',
};

/** None without a step. */
export function stepsTable(id: string, steps: readonly CaseStep[]): Child {
  if (steps.length === 0) return undefined;
  return table({
    ...{ id, caption: 'What its cases went through', columns: ['When', 'What', 'Who', 'Why'], width: 'wide' },
    rows: steps.map((step) => [instant(step.at), wordsOf(step), step.by ?? NONE, step.why ?? NONE]),
  });
}

function wordsOf({ what, code, queue, to, until, isSkipped, isLate }: CaseStep): Child {
  const more = [
    code,
    what === 'case.escalated' && queue !== undefined ? `to ${queue}` : undefined,
    to === undefined ? undefined : `for ${to}`,
    until === undefined ? undefined : ['until ', instant(until)],
    isSkipped ? 'not to get it again' : undefined,
    isLate === undefined ? undefined : isLate ? 'late' : 'in time',
  ];
  const said = more.flatMap((each) => (each === undefined ? [] : [', ', each]));
  return [WORDS[what] ?? what, ...said];
}
