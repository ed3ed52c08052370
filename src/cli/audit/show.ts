/** `verdict audit show`: a decision on record -> what was decided on what, why, why not, and what would have changed it. */

import { type Command, InvalidArgumentError } from 'commander';
import type { Story } from '../../audit/story.ts';
import type { Explanation } from '../../decision/explain/explanation.ts';
import { count, printable } from '../../diagnostics.ts';
import type { Outcome } from '../../policy/language.ts';
import { addExplained, addFormat, type ExplainedOptions } from '../arguments.ts';
import { isDecidedSo } from '../decided-again.ts';
import { CouldNotRunError, EXIT, type Io, type Styler, stylerFor, UsageError, write } from '../io.ts';
import { addHtml, type PageOptions, writePageFile } from '../page-file.ts';
import type { Finish } from '../program.ts';
import { addKeys, type KeysOptions, placeOf } from './place.ts';

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
      const story = await tellStory(placeOf(dir, options, io), id);
      if (!story) throw new UsageError('the log has no decision with that id');
      const explanation = await explainStory(story, options.to);
      const exitCode = story.surroundings.state === 'bad' ? EXIT.found : EXIT.done;
      if (options.html !== undefined) {
        await writePageFile(options.html, await pageOf(story, explanation), io);
        finish(exitCode);
        return;
      }
      const text =
        options.format === 'json'
          ? `${JSON.stringify(storyData(story, explanation), null, 2)}\n`
          : await formatStory(story, explanation, options.all === true, stylerFor(io.stdout, io.env));
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

async function pageOf(story: Story, explanation: Explanation | undefined): Promise<string> {
  const { record, notes, surroundings, told } = story;
  if ('closed' in told) throw new CouldNotRunError(`there is nothing to make a page of. ${CLOSED[told.closed]}`);
  const { decisionPage } = await import('../page/decision.ts');
  const verification = {
    state: surroundings.state === 'whole' ? 'sound' : 'broken',
    words: recordWords(story),
  } as const;
  return decisionPage({
    ...told,
    ...(explanation ? { explanation } : {}),
    record: { chain: record.chain, seq: record.seq, at: record.at, verification },
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

const CLOSED = {
  erased: 'Its facts were erased.',
  'key-missing': 'Its facts cannot be read: their key is not in the key folder, and no erasure is on record.',
  'not-opened': 'Its facts cannot be read: their key does not open them. Verify the log with its keys.',
} as const;

async function formatStory(
  story: Story,
  explanation: Explanation | undefined,
  all: boolean,
  style: Styler,
): Promise<string> {
  const { record, notes, told, erasedAt } = story;
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
  const closed = 'closed' in told ? CLOSED[told.closed] : '';
  const rest = [
    erasedAt === undefined ? closed : `${closed} The erasure is on record: ${erasedAt}.`,
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
  const said = by === undefined ? 'by whom and why cannot be read' : `${printable(by)}: ${printable(why ?? '')}`;
  return `${at} ${disposition}, ${said}`;
}
