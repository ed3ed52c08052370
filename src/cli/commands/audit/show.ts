/** `verdict audit show`: a decision on record -> what was decided on what, why, why not, and what would have changed it. */

import { type Command, InvalidArgumentError } from 'commander';
import type { DecisionRecord } from '../../../audit/query/decision-record.ts';
import type { Explanation } from '../../../decision/explain/explanation.ts';
import type { Outcome } from '../../../policy/language.ts';
import { isReproduced } from '../../../report/words/reproduced.ts';
import type { Styler } from '../../../report/words/style.ts';
import { type UnreadableFacts, unreadableFacts } from '../../../report/words/unreadable-facts.ts';
import { count, printable } from '../../../text.ts';
import type { Finish } from '../../io.ts';
import { EXIT, type Io, stylerFor, UsageError, write } from '../../io.ts';
import { addExplained, addFormat, type ExplainedOptions } from '../../options/arguments.ts';
import { addHtml, type PageOptions, writePageFile } from '../../options/html.ts';
import { addKeys, areKeysNamed, type KeysOptions, logPlaceOf, mayExist } from '../../options/log-place.ts';
import { reportTampering } from '../../terminal/format-finding.ts';

interface Options extends ExplainedOptions, KeysOptions, PageOptions {
  readonly format: 'text' | 'json';
}

/** Adds the command. */
export function addShow(audit: Command, io: Io, finish: Finish): void {
  const command = audit
    .command('show <dir>')
    .argument('<id>', 'the id of a decision', readId)
    .description('explain a decision on record: why, why not, and what would have changed it');
  addFormat(addHtml(addKeys(addExplained(command))), ['text', 'json']).action(
    async (dir: string, id: string, options: Options) => {
      const { loadDecision: tellStory } = await import('../../../audit/query/decision-record.ts');
      const { wrapIoErrors: onDisk } = await import('../../../audit/store/io-errors.ts');
      const place = logPlaceOf(dir, options, io);
      const isOpened = areKeysNamed(options, io) || mayExist(place.keys);
      await reportTampering(io, finish, async () => {
        // With the keys of another log it would look as if the decision's own were gone.
        if (isOpened) await checkKeysOf(place);
        const story = await onDisk('read', () => tellStory(place, id));
        if (!story) throw new UsageError('the log has no decision with that id');
        const explanation = await explainStory(story, options.to);
        const closed = unreadableFacts(story, isOpened);
        const isSound = wrongIn(story, closed).length === 0 && isSameAgain(story, explanation);
        if (options.html !== undefined) await writePageFile(options.html, await pageOf(story, closed, explanation), io);
        else {
          const text =
            options.format === 'json'
              ? `${JSON.stringify(storyData(story, closed, explanation), null, 2)}\n`
              : await formatStory(story, closed, explanation, options.all === true, stylerFor(io.stdout, io.env));
          await write(io.stdout, text);
        }
        finish(isSound ? EXIT.done : EXIT.found);
      });
    },
  );
}

function readId(text: string): string {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) return text.toLowerCase();
  throw new InvalidArgumentError('The id of a decision was expected, a UUID.');
}

/** Undefined where what it decided on cannot be read. */
async function explainStory({ body: told }: DecisionRecord, to: Outcome): Promise<Explanation | undefined> {
  if ('closed' in told) return undefined;
  const { explain } = await import('../../../decision/explain/explain.ts');
  return explain(told.policy, told.facts, told.day, { to });
}

async function checkKeysOf({ dir, keys }: { readonly dir: string; readonly keys: string }): Promise<void> {
  const { readLog } = await import('../../../audit/log-file.ts');
  const { checkKeys } = await import('../../../audit/keys/index-keys.ts');
  await checkKeys(keys, (await readLog(dir)).log);
}

/** Whether it comes out again as it is on record, as far as that can be told. */
function isSameAgain({ body: told }: DecisionRecord, explanation: Explanation | undefined): boolean {
  return !explanation || 'closed' in told || isReproduced(told.decision, explanation);
}

/** What is not as it was written, in half sentences: a line of its segment, its body, its erasure, a note. */
function wrongIn(
  { record, segmentStatus: surroundings, body: told, erasedAt, notes }: DecisionRecord,
  closed: UnreadableFacts | undefined,
): string[] {
  const isUndone = !('closed' in told) && erasedAt !== undefined && record.sealed !== undefined;
  const isNoteBad = notes.some(({ closed: why }) => why === 'not-opened' || why === 'no-body');
  return [
    ...(surroundings.state === 'bad'
      ? [`line ${surroundings.line} of its segment is not as it was written: ${surroundings.problem}`]
      : []),
    ...(closed?.wrong === undefined ? [] : [closed.wrong]),
    ...('closed' in told || told.matchesClearFields ? [] : ['what it says in clear is not what its body says']),
    ...(isUndone ? [`its erasure is on record, ${erasedAt}, and its facts can be read all the same`] : []),
    ...(isNoteBad ? ['the body of a note on it does not open with its key, or is none'] : []),
  ];
}

async function pageOf(
  story: DecisionRecord,
  closed: UnreadableFacts | undefined,
  explanation: Explanation | undefined,
): Promise<string> {
  const { record, notes, body: told, erasedAt } = story;
  const { chain, seq, writtenAt: at } = record;
  const wrong = wrongIn(story, closed);
  const words = [recordWords(story), ...wrong.map((what) => `BUT ${what}`)].join('; ');
  const verification = { state: wrong.length === 0 ? 'sound' : 'broken', words } as const;
  if ('closed' in told) {
    const { unreadablePage: closedPage } = await import('../../../report/html/unreadable-page.ts');
    const isErased = closed?.code === 'erased';
    const why = { why: closed?.words ?? '', isErased, ...(erasedAt === undefined ? {} : { erasedAt }) };
    return closedPage({ clear: record, ...why, record: { chain, seq, at, verification }, notes });
  }
  const { decisionPage } = await import('../../../report/html/decision-page.ts');
  return decisionPage({
    ...told,
    ...(explanation ? { explanation } : {}),
    record: { chain, seq, at, verification },
    notes,
  });
}

function storyData(
  { record, position: place, segmentStatus: surroundings, notes, erasedAt, body: told }: DecisionRecord,
  closed: UnreadableFacts | undefined,
  explanation: Explanation | undefined,
): object {
  const { sealed, plain, key, ...clear } = record;
  const body =
    'closed' in told ? { closed: closed?.code } : { decision: told.decision, facts: Object.fromEntries(told.facts) };
  return {
    record: clear,
    place,
    surroundings,
    notes,
    ...(erasedAt === undefined ? {} : { erasedAt }),
    ...body,
    explanation: explanation ?? null,
  };
}

/** The clocks of the service and of the log may differ by so much before it is said. */
const CLOCKS_MS = 60_000;

async function formatStory(
  story: DecisionRecord,
  closed: UnreadableFacts | undefined,
  explanation: Explanation | undefined,
  all: boolean,
  style: Styler,
): Promise<string> {
  const { record, notes, body: told } = story;
  const isApart = Math.abs(Date.parse(record.writtenAt) - Date.parse(record.at)) > CLOCKS_MS;
  const head = [
    `decision ${record.id}`,
    `  decided  ${record.at}, ${record.outcome}, by policy ${printable(`${record.policy.name} ${record.policy.version}`)} (${record.policy.digest})`,
    ...(isApart ? [`  written  ${record.writtenAt}, by the clock of the log`] : []),
    ...('closed' in told ? [] : [`  for      reference ${printable(told.decision.clientReference)}`]),
    `  record   ${recordWords(story)}`,
    ...(record.plain === undefined ? [] : ['  body     in clear: whoever can write the log can write it']),
    ...wrongIn(story, closed).map((what) => `  ${style('red', 'BUT')}      ${what}`),
    ...(!isSameAgain(story, explanation)
      ? [
          `  ${style('red', 'BUT')}      decided again it does not come out so: what follows explains what it comes to now`,
        ]
      : []),
    ...('closed' in told ? [] : told.decision.signals.warnings.map((words) => `  warning  ${printable(words)}`)),
    ...notes.map((note) => `  note     ${noteWords(note)}`),
    '',
  ];
  if (explanation) {
    const { printExplanation: formatExplanation } = await import('../../terminal/print-explanation.ts');
    return `${head.join('\n')}\n${formatExplanation(explanation, { style, all })}`;
  }
  const rest = [
    closed?.words ?? '',
    `What stands in clear: reasons ${list(record.codes)}; rules fired ${list(record.rules)}; undetermined ${list(record.undetermined)}.`,
    '',
  ];
  return `${head.join('\n')}\n${rest.join('\n')}`;
}

function list(texts: readonly string[]): string {
  return texts.length === 0 ? 'none' : texts.map(printable).join(', ');
}

/** Where a record stands, and how far it can be believed. */
function recordWords({
  record,
  position: place,
  segmentStatus: surroundings,
}: Pick<DecisionRecord, 'record' | 'place' | 'surroundings'>): string {
  const where = `number ${record.seq} of chain ${place.chain}, line ${place.line} of segment ${place.segment}`;
  if (surroundings.state === 'bad') return where;
  const after =
    surroundings.after === 0 ? 'this line its last' : `with ${count(surroundings.after, 'line')} after this one`;
  return `${where}; that segment is as it was written, ${after} (the whole log: verdict audit verify)`;
}

function noteWords({ at, disposition, by, why }: DecisionRecord['notes'][number]): string {
  const said = by === undefined ? 'who and why cannot be read' : `${printable(by)}: ${printable(why ?? '')}`;
  return `${at} ${disposition}, ${said}`;
}
