/** The signals of a decision -> the calls to the service, the calls that were spared, and the warnings. */

import type { SignalsRecord } from '../../../decision/decision.ts';
import { CALL_RESULTS } from '../../words/calls.ts';
import { type Child, h3, p } from '../markup.ts';
import { codeValue, joined, optional } from './phrases.ts';
import { bullets, table } from './table.ts';

export function signalsPart({ requested, calls, spared, warnings }: SignalsRecord): Child {
  return [
    p('Sent to the service: ', requested.length === 0 ? 'nothing' : joined(requested.map(codeValue)), '.'),
    calls.length === 0
      ? undefined
      : table({
          id: 'signal-calls',
          caption: 'Calls to the service',
          columns: ['Stage', 'Asked with', 'Result', 'Sent', 'Error', 'Request id of the service'],
          rows: calls.map(({ stage, asked, result, attempts = 1, error, cause, requestId }) => [
            `${stage}`,
            joined(asked.map(codeValue)),
            CALL_RESULTS[result],
            attempts === 1 ? 'once' : `${attempts} times`,
            error === undefined ? 'none' : joined([error, ...(cause === undefined ? [] : [cause])].map(codeValue)),
            optional(requestId, codeValue) ?? 'none',
          ]),
        }),
    spared.map(({ stage, asked }) =>
      p(
        `Stage ${stage}, with `,
        joined(asked.map(codeValue)),
        ', was spared: no answer could have changed the decision.',
      ),
    ),
    warnings.length === 0 ? undefined : [h3('Warnings'), bullets(warnings.map(({ text }) => text))],
  ];
}
