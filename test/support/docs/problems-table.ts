/** The problems of the HTTP service -> their table in docs/errors.md. */

import { PROBLEM_CODES, ROWS } from '../../../src/service/problem.ts';
import { withTableBelow } from './tables.ts';

const PROBLEMS_HEADING = 'Problems of the HTTP service';

/** Writes the table into the page. */
export function writeProblems(page: string): string {
  const rows = PROBLEM_CODES.map((code) => {
    const { status, title, retryable, advice } = ROWS[code];
    return `| ${status} | \`${code}\` | ${title}. | ${retryable ? 'yes' : 'no'} | ${advice} |\n`;
  });
  const head = '| status | code | what happened | retryable | what to do |\n| --- | --- | --- | --- | --- |\n';
  return withTableBelow(page, PROBLEMS_HEADING, head + rows.join(''));
}
