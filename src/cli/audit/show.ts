/** `verdict audit show`: a decision on record -> what was decided on what, why, why not, and what would have changed it. */

import { type Command, InvalidArgumentError } from 'commander';
import type { Story } from '../../audit/story.ts';
import type { Explanation } from '../../decision/explain/explanation.ts';
import { count, printable } from '../../diagnostics.ts';
import type { Outcome } from '../../policy/language.ts';
import { addExplained, addFormat, type ExplainedOptions } from '../arguments.ts';
import { isDecidedSo } from '../decided-again.ts';
import { EXIT, type Io, type Styler, stylerFor, UsageError, write } from '../io.ts';
import { addHtml, type PageOptions, writePageFile } from '../page-file.ts';
import type { Finish } from '../program.ts';
import { addKeys, isNamed, isThere, type KeysOptions, placeOf } from './place.ts';

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
      const { tellStory } = await import('../../audit/story.ts');
      const { onDisk } = await import('../../audit/disk.ts');
      const place = placeOf(dir, options, io);
      const isOpened = isNamed(options, io) || isThere(place.keys);
      // With the keys of another log it would look as if the decision's own were gone.
      if (isOpened) await checkKeysOf(place);
      const story = await onDisk('read', () => tellStory(place, id));
      if (!story) throw new UsageError('the log has no decision with that id');
      const explanation = await explainStory(story, options.to);
      const exitCode = isAsWritten(story) ? EXIT.done : EXIT.found;
      const closed = closedWords(story, isOpened);
      if (options.html !== undefined) {
        await writePageFile(options.html, await pageOf(story, closed, explanation), io);
        finish(exitCode);
        return;
      }
      const text =
        options.format === 'json'
          ? `${JSON.stringify(storyData(story, explanation), null, 2)}\n`
          : await formatStory(story, closed, explanation, options.all === true, stylerFor(io.stdout, io.env));
      await write(io.stdout, text);
      finish(exitCode);
    },
  );
}

function readId(text: string): string {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)) return text;
  throw new InvalidArgumentError('The id of a decision was expected, a UUID.');
}

/** Undefined where what it decided on cannot be read. */
async function explainStory({ told }: Story, to: Outcome): Promise<Explanation | undefined> {
  if ('closed' in told) return undefined;
  const { explain } = await import('../../decision/explain/explain.ts');
  return explain(told.policy, told.facts, told.day, { to });
}

async function checkKeysOf({ dir, keys }: { readonly dir: string; readonly keys: string }): Promise<void> {
  const { readLog } = await import('../../audit/log.ts');
  const { checkKeys } = await import('../../audit/keys.ts');
  await checkKeys(keys, (await readLog(dir)).log);
}

/** Whether its segment is as it was written up to the record, and its body opens with its key, where that is there. */
function isAsWritten({ surroundings, told }: Story): boolean {
  return surroundings.state === 'whole' && !('closed' in told && told.closed === 'not-opened');
}

async function pageOf(story: Story, closed: string, explanation: Explanation | undefined): Promise<string> {
  const { record, notes, told, erasedAt } = story;
  const { chain, seq, at } = record;
  const unopened = 'closed' in told && told.closed === 'not-opened' ? '; BUT its body does not open with its key' : '';
  const words = `${recordWords(story)}${unopened}`;
  const verification = { state: isAsWritten(story) ? 'sound' : 'broken', words } as const;
  if ('closed' in told) {
    const { closedPage } = await import('../page/closed.ts');
    const isErased = told.closed === 'erased' || (told.closed === 'key-missing' && erasedAt !== undefined);
    const why = { why: closed, isErased, ...(erasedAt === undefined ? {} : { erasedAt }) };
    return closedPage({ clear: record, ...why, record: { chain, seq, at, verification }, notes });
  }
  const { decisionPage } = await import('../page/decision.ts');
  return decisionPage({
    ...told,
    ...(explanation ? { explanation } : {}),
    record: { chain, seq, at, verification },
    notes,
  });
}

function storyData(
  { record, place, surroundings, notes, erasedAt, told }: Story,
  explanation: Explanation | undefined,
): object {
  const { sealed, plain, key, ...clear } = record;
  const body =
    'closed' in told ? { closed: told.closed } : { decision: told.decision, facts: Object.fromEntries(told.facts) };
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

/** Why its facts cannot be read; empty where they can. */
function closedWords({ told, erasedAt }: Story, isOpened: boolean): string {
  if (!('closed' in told)) return '';
  if (told.closed === 'not-opened') return NOT_OPENED;
  if (erasedAt !== undefined) return `Its facts were erased. The erasure is on record: ${erasedAt}.`;
  if (told.closed === 'erased') return 'Its facts were erased. No erasure is on record.';
  return isOpened ? KEY_MISSING : NO_KEYS;
}

const NOT_OPENED = 'Its facts cannot be read: their key does not open them. Verify the log with its keys.';
const KEY_MISSING = 'Its facts cannot be read: their key is not in the key folder, and no erasure is on record.';
const NO_KEYS = 'Its facts cannot be read without the key folder, and no erasure is on record.';

async function formatStory(
  story: Story,
  closed: string,
  explanation: Explanation | undefined,
  all: boolean,
  style: Styler,
): Promise<string> {
  const { record, notes, told } = story;
  const head = [
    `decision ${record.id}`,
    `  decided  ${record.at}, ${record.outcome}, by policy ${printable(`${record.policy.name} ${record.policy.version}`)} (${record.policy.digest})`,
    ...('closed' in told ? [] : [`  for      reference ${printable(told.decision.clientReference)}`]),
    `  record   ${recordWords(story)}`,
    ...(explanation && !('closed' in told) && !isDecidedSo(told.decision, explanation)
      ? [
          `  ${style('red', 'BUT')}      decided again it does not come out so: what follows explains what it comes to now`,
        ]
      : []),
    ...notes.map((note) => `  note     ${noteWords(note)}`),
    '',
  ];
  if (explanation) {
    const { formatExplanation } = await import('../explanation.ts');
    return `${head.join('\n')}\n${formatExplanation(explanation, { style, all })}`;
  }
  const rest = [
    closed,
    `What stands in clear: reasons ${list(record.codes)}; rules fired ${list(record.rules)}; undetermined ${list(record.undetermined)}.`,
    '',
  ];
  return `${head.join('\n')}\n${rest.join('\n')}`;
}

function list(texts: readonly string[]): string {
  return texts.length === 0 ? 'none' : texts.map(printable).join(', ');
}

/** Where a record stands, and how far it can be believed. */
function recordWords({ record, place, surroundings }: Pick<Story, 'record' | 'place' | 'surroundings'>): string {
  const where = `number ${record.seq} of chain ${place.chain}, line ${place.line} of segment ${place.segment}`;
  return surroundings.state === 'whole'
    ? `${where}; that segment is as it was written, ${surroundings.after === 0 ? 'this line its last' : `with ${count(surroundings.after, 'line')} after this one`} (the whole log: verdict audit verify)`
    : `${where}; BUT line ${surroundings.line} of its segment is not as it was written: ${surroundings.problem}`;
}

function noteWords({ at, disposition, by, why }: Story['notes'][number]): string {
  const said = by === undefined ? 'who and why cannot be read' : `${printable(by)}: ${printable(why ?? '')}`;
  return `${at} ${disposition}, ${said}`;
}
