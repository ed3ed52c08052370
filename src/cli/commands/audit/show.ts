/** `verdict audit show`: a decision on record -> its reasons, why not another outcome, and what would change it. */

import type { Command } from 'commander';
import type { DecisionRecord } from '../../../audit/query/decision-record.ts';
import type { Explanation } from '../../../decision/explain/explanation.ts';
import type { Outcome } from '../../../policy/language.ts';
import type { ShownRecord } from '../../../report/record.ts';
import { reportTampering } from '../../findings.ts';
import { loadNamedDecision, readId } from '../../input/named-decision.ts';
import { EXIT, type Io } from '../../io.ts';
import { addExplained, addJson } from '../../options/arguments.ts';
import { REFERENCE } from '../../options/filters.ts';
import { addHtml } from '../../options/html.ts';
import { addKeys, logPlaceOf } from '../../options/log-place.ts';
import { addReading, recordReading } from '../../options/reading.ts';
import { endWith } from '../../result.ts';

export function addShow(audit: Command, io: Io): void {
  const command = audit
    .command('show <log>')
    .argument('[id]', 'the id of a decision', readId)
    .description('explain a decision on record: why, why not, and what would change it')
    .option('--reference <text>', `in place of the id: ${REFERENCE}`);
  addJson(addHtml(addReading(addKeys(addExplained(command))))).action(async (dir, id, options) => {
    await reportTampering(io, async () => {
      const { record, hasKeys } = await loadNamedDecision({ dir, id, ...options }, io);
      if (!('closed' in record.body)) {
        const object = record.record.id;
        await recordReading(logPlaceOf(dir, options, io), { type: 'data.revealed', object }, options, io);
      }
      const { defectsOf, isSameAgain, printRecord, unreadableFacts } = await import('../../../report/record.ts');
      const shown = {
        record,
        explanation: await explainRecord(record, options.target),
        unreadable: unreadableFacts(record, hasKeys),
      };
      await endWith(io, options, {
        data: () => dataOf(shown),
        text: (style) => printRecord(shown, options.all === true, style),
        page: async () => (await import('../../../report/html/record-page.ts')).recordPage(shown),
        exitCode: defectsOf(shown).length === 0 && isSameAgain(shown) ? EXIT.done : EXIT.found,
      });
    });
  });
}

/** Undefined if the facts cannot be read, or the policy cannot decide on them any more. */
async function explainRecord({ body }: DecisionRecord, to: Outcome): Promise<Explanation | undefined> {
  if ('closed' in body || body.isPolicyErased) return undefined;
  const { explain } = await import('../../../decision/explain/explain.ts');
  return await explain(body.policy, body.facts, body.day, { to, mapping: body.mapping });
}

function dataOf({ record: loaded, explanation, unreadable }: ShownRecord): object {
  const { record, position, segmentStatus, notes, events, erasedAt, body } = loaded;
  const { sealed, plain, key, ...clear } = record;
  return {
    record: clear,
    place: position,
    surroundings: segmentStatus,
    notes,
    events,
    ...(erasedAt === undefined ? {} : { erasedAt }),
    ...('closed' in body
      ? { closed: unreadable?.code }
      : { decision: body.decision, facts: Object.fromEntries(body.facts), erasedPeople: body.erasedPeople }),
    explanation: explanation ?? null,
  };
}
