/** What was asked of the service for a decision -> its calls, those that were spared, and warnings. */

import type { SignalsRecord } from '../../../decision/decision.ts';
import type { CallRecord } from '../../../decision/staged-facts.ts';
import { type Child, element } from '../markup.ts';
import { codeValue, listed } from './phrases.ts';
import { table } from './table.ts';

const RESULTS: Readonly<Record<CallRecord['result'], string>> = {
  answered: 'answered',
  failed: 'failed; not carried out',
  unknown: 'no answer; it may have been carried out, and billed',
};

/** The calls, and what came of them. */
export function signalsPart({ requested, calls, spared, warnings }: SignalsRecord): Child {
  const sent = requested.length === 0 ? 'nothing' : listed(requested.map((variable) => codeValue(variable)));
  return [
    element('p', {}, 'Sent to the service: ', sent, '.'),
    calls.length === 0
      ? undefined
      : table({
          id: 'signal-calls',
          caption: 'Calls to the service',
          columns: ['Stage', 'Asked with', 'Result', 'Sent', 'Error'],
          rows: calls.map(({ stage, asked, result, attempts = 1, error }) => [
            `${stage}`,
            listed(asked.map((variable) => codeValue(variable))),
            RESULTS[result],
            attempts === 1 ? 'once' : `${attempts} times`,
            error === undefined ? 'none' : codeValue(error),
          ]),
        }),
    spared.map(({ stage, asked }) =>
      element(
        'p',
        {},
        `Stage ${stage}, with `,
        listed(asked.map((variable) => codeValue(variable))),
        ', was spared: nothing that it could bring would have counted.',
      ),
    ),
    warnings.length === 0
      ? undefined
      : [
          element('h3', {}, 'Warnings'),
          element(
            'ul',
            {},
            warnings.map((warning) => element('li', {}, warning)),
          ),
        ],
  ];
}
