/** `verdict audit show`: a decision on record -> its reasons, why not another outcome, and what would change it. */

import { type Command, InvalidArgumentError } from 'commander';
import { ID } from '../../../audit/entry/schema.ts';
import type { LogPlace } from '../../../audit/place.ts';
import type { DecisionRecord } from '../../../audit/query/decision-record.ts';
import type { Explanation } from '../../../decision/explain/explanation.ts';
import type { Outcome } from '../../../policy/language.ts';
import { unreadableFacts } from '../../../report/words/unreadable-facts.ts';
import type { Finish } from '../../io.ts';
import { EXIT, type Io, UsageError } from '../../io.ts';
import { addExplained, addFormat, type ExplainedOptions } from '../../options/arguments.ts';
import { REFERENCE } from '../../options/filters.ts';
import { addHtml, type PageOptions } from '../../options/html.ts';
import { addKeys, areKeysNamed, type KeysOptions, logPlaceOf, mayExist, readSecret } from '../../options/log-place.ts';
import { reportTampering } from '../../terminal/format-finding.ts';
import { defectsOf, isSameAgain, positionWords, printRecord, type ShownRecord } from '../../terminal/print-record.ts';
import { printResult } from '../../terminal/print-result.ts';

interface Options extends ExplainedOptions, KeysOptions, PageOptions {
  readonly reference?: string;
  readonly format: 'text' | 'json';
}

/** Adds the command. */
export function addShow(audit: Command, io: Io, finish: Finish): void {
  const command = audit
    .command('show <dir>')
    .argument('[id]', 'the id of a decision', readId)
    .description('explain a decision on record: why, why not, and what would change it')
    .option('--reference <text>', `in place of the id: ${REFERENCE}`);
  addFormat(addHtml(addKeys(addExplained(command))), ['text', 'json']).action(
    async (dir: string, given: string | undefined, options: Options) => {
      const { loadDecision } = await import('../../../audit/query/decision-record.ts');
      const { wrapIoErrors } = await import('../../../audit/store/io-errors.ts');
      const place = logPlaceOf(dir, options, io);
      if ((given === undefined) === (options.reference === undefined)) {
        throw new UsageError('name one decision: give its id, or --reference');
      }
      const hasKeys = areKeysNamed(options, io) || mayExist(place.keys);
      await reportTampering(io, finish, async () => {
        // With the keys of another log, the decision's own key would seem to be missing.
        if (hasKeys) await checkKeysOf(place);
        const id = given ?? (await idOf(await readSecret(options.reference ?? '', io, 'the reference'), place));
        const record = await wrapIoErrors('read', () => loadDecision(place, id));
        if (!record) throw new UsageError('the log has no decision with that id');
        const shown = {
          record,
          explanation: await explainRecord(record, options.to),
          unreadable: unreadableFacts(record, hasKeys),
        };
        await printResult(io, options, {
          data: () => dataOf(shown),
          text: (style) => printRecord(shown, options.all === true, style),
          page: () => formatPage(shown),
        });
        finish(defectsOf(shown).length === 0 && isSameAgain(shown) ? EXIT.done : EXIT.found);
      });
    },
  );
}

function readId(text: string): string {
  const id = text.toLowerCase();
  if (ID.is(id)) return id;
  throw new InvalidArgumentError('Expected the id of a decision, a UUID of version 7.');
}

/** How many decisions of one reference a message lists. */
const LISTED = 20;

/** The id of the decision with this reference. */
async function idOf(reference: string, place: LogPlace): Promise<string> {
  const { searchLog } = await import('../../../audit/query/search.ts');
  const { rows, total } = await searchLog(place, { reference }, { limit: LISTED });
  const [found] = rows;
  if (!found) throw new UsageError('the log has no decision with that reference');
  if (total === 1) return found.id;
  const lines = rows.map(({ at, id, outcome }) => `  ${at}  ${id}  ${outcome}`);
  const rest =
    total > rows.length ? [`  and ${total - rows.length} earlier ones: verdict audit search lists them`] : [];
  const problem = `${total} decisions have that reference; show one of them by its id, the newest first:`;
  throw new UsageError([problem, ...lines, ...rest].join('\n'));
}

async function checkKeysOf({ dir, keys }: { readonly dir: string; readonly keys: string }): Promise<void> {
  const { readLog } = await import('../../../audit/log-file.ts');
  const { checkKeys } = await import('../../../audit/keys/index-keys.ts');
  await checkKeys(keys, (await readLog(dir)).log);
}

/** Undefined if the facts cannot be read, or the policy cannot decide on them any more. */
async function explainRecord({ body }: DecisionRecord, to: Outcome): Promise<Explanation | undefined> {
  if ('closed' in body || body.isPolicyErased) return undefined;
  const { explain } = await import('../../../decision/explain/explain.ts');
  return await explain(body.policy, body.facts, body.day, { to, mapping: body.mapping });
}

async function formatPage(shown: ShownRecord): Promise<string> {
  const { explanation, unreadable } = shown;
  const { record: clear, notes, body, erasedAt } = shown.record;
  const { chain, seq, writtenAt: at } = clear;
  const defects = defectsOf(shown);
  const words = [positionWords(shown.record), ...defects.map((defect) => `BUT ${defect}`)].join('; ');
  const record = { chain, seq, at, verification: { state: defects.length === 0 ? 'sound' : 'broken', words } } as const;
  if ('closed' in body || unreadable) {
    const { unreadablePage } = await import('../../../report/html/unreadable-page.ts');
    const isErased = unreadable?.code === 'erased';
    const erasure = erasedAt === undefined ? {} : { erasedAt };
    return unreadablePage({ clear, why: unreadable?.words ?? '', isErased, ...erasure, record, notes });
  }
  const { decisionPage } = await import('../../../report/html/decision-page.ts');
  return decisionPage({ ...body, ...(explanation ? { explanation } : {}), record, notes });
}

function dataOf({ record: loaded, explanation, unreadable }: ShownRecord): object {
  const { record, position, segmentStatus, notes, erasedAt, body } = loaded;
  const { sealed, plain, key, ...clear } = record;
  return {
    record: clear,
    place: position,
    surroundings: segmentStatus,
    notes,
    ...(erasedAt === undefined ? {} : { erasedAt }),
    ...('closed' in body
      ? { closed: unreadable?.code }
      : { decision: body.decision, facts: Object.fromEntries(body.facts), erasedPeople: body.erasedPeople }),
    explanation: explanation ?? null,
  };
}
