/** `verdict rules`: the rules of a policy, all or those that are looked for. */

import { type Command, Option } from 'commander';
import { isActive, OUTCOMES, type Outcome, type Policy, type Rule } from '../../policy/language.ts';
import { count, didYouMean } from '../../text.ts';
import { addPolicyFiles, loadPolicyFiles, type PolicyFiles } from '../input/load-policy.ts';
import { type Io, stylerFor, UsageError, write, writeJson } from '../io.ts';
import { addFormat, readDay, today } from '../options/arguments.ts';

interface Options extends PolicyFiles {
  readonly then?: Outcome;
  readonly owner?: string;
  readonly tag?: string;
  readonly fact?: string;
  readonly at?: string;
  readonly format: 'text' | 'json' | 'csv';
}

export function addRules(program: Command, io: Io): void {
  const command = program
    .command('rules')
    .description('list the rules of a policy: what they ask for, whose they are, where they stand')
    .addOption(new Option('--then <outcome>', 'only rules that ask for this outcome').choices(OUTCOMES))
    .option('--owner <name>', 'only rules of this owner')
    .option('--tag <tag>', 'only rules with this tag')
    .option('--fact <path>', 'only rules that read this fact')
    .option('--at <day>', 'the day on which a rule counts as active (default: today, UTC)', readDay);
  addFormat(addPolicyFiles(command), ['text', 'json', 'csv']).action(async (options: Options) => {
    const policy = await loadPolicyFiles(options);
    const { at = today(), format } = options;
    // What reads policies is loaded only now, so that other commands start without it.
    const usage = { ...(await import('../../policy/usage.ts')), ...(await import('../../policy/source-map.ts')) };
    const rules = wantedRules(policy, options, usage).map((rule) => dataOf(rule, policy, at, usage));
    const { countedTable, csvText } = await import('../../report/plain-text.ts');
    if (format === 'json') await writeJson(io.stdout, rules);
    else if (format === 'csv') await write(io.stdout, csvText([CSV_COLUMNS, ...rules.map(csvCells)]));
    else {
      const all = policy.rules.length;
      const found = rules.length === all ? count(all, 'rule') : `${rules.length} of ${count(all, 'rule')}`;
      const table = { columns: TITLES, rows: rules.map(textCells) };
      await write(io.stdout, countedTable(table, found, stylerFor(io.stdout, io.env)));
    }
  });
}

/** The functions that find what a rule reads, and its place. */
type Usage = typeof import('../../policy/usage.ts') & typeof import('../../policy/source-map.ts');

/** The rules that fit the options. Throws a usage error for an owner, a tag or a fact that no rule has. */
function wantedRules(policy: Policy, { then, owner, tag, fact }: Options, { factsRead }: Usage): readonly Rule[] {
  const { rules } = policy;
  checkKnown(
    '--owner',
    'owner',
    owner,
    rules.flatMap((rule) => rule.owner ?? []),
  );
  checkKnown(
    '--tag',
    'tag',
    tag,
    rules.flatMap(({ tags }) => tags),
  );
  checkKnown(
    '--fact',
    'fact',
    fact,
    rules.flatMap((rule) => [...factsRead(rule, policy)]),
  );
  return rules.filter(
    (rule) =>
      (then === undefined || rule.then === then) &&
      (owner === undefined || rule.owner === owner) &&
      (tag === undefined || rule.tags.includes(tag)) &&
      (fact === undefined || factsRead(rule, policy).has(fact)),
  );
}

function checkKnown(option: string, what: string, name: string | undefined, known: readonly string[]): void {
  if (name === undefined || known.includes(name)) return;
  const { hint } = didYouMean(name, new Set(known));
  throw new UsageError(`${option}: no rule has that ${what}${hint === undefined ? '' : `; ${hint}`}`);
}

type RuleData = ReturnType<typeof dataOf>;

function dataOf(rule: Rule, policy: Policy, day: string, { factsRead, listsOf, placeOf }: Usage) {
  const { id, then, points, reason, final, shadow, whenUnknown, from, until, owner, tags, description } = rule;
  const place = placeOf(rule);
  return {
    ...{ id, outcome: then ?? null, points: points ?? null, reason, final, shadow, whenUnknown },
    ...{ from: from ?? null, until: until ?? null, active: isActive(rule, day) },
    ...{ owner: owner ?? null, tags, description: description ?? null },
    ...{ facts: [...factsRead(rule, policy)], lists: [...listsOf(rule).keys()] },
    ...{ file: place?.file ?? null, line: place?.position.line ?? null },
  };
}

const TITLES = ['rule', 'then', 'points', 'reason', 'mode', 'owner', 'tags', 'where'];

function textCells(rule: RuleData): readonly string[] {
  const { id, outcome, points, reason, owner, tags, file, line } = rule;
  const signed = points === null ? '' : points < 0 ? String(points) : `+${points}`;
  return [id, outcome ?? '', signed, reason, modeOf(rule), owner ?? '', tags.join(', '), `${file}:${line}`];
}

/** `final`, `shadow`, and the days on which it is active. */
function modeOf({ final, shadow, from, until, active }: RuleData): string {
  const isOver = !active && until !== null && from === null;
  const words = [
    ...(final ? ['final'] : []),
    ...(shadow ? ['shadow'] : []),
    ...(from === null ? [] : [`from ${from}`]),
    ...(until === null ? [] : [`until ${until}`]),
    ...(active ? [] : [isOver ? 'expired' : 'not active']),
  ];
  return words.join(', ');
}

const CSV_COLUMNS = [
  ...['id', 'outcome', 'points', 'reason', 'final', 'shadow', 'whenUnknown', 'from', 'until', 'active'],
  ...['owner', 'tags', 'description', 'facts', 'lists', 'file', 'line'],
];

function csvCells(rule: RuleData): readonly (string | number)[] {
  return Object.values(rule).map((value) => {
    if (typeof value === 'number') return value;
    return Array.isArray(value) ? value.join(' ') : String(value ?? '');
  });
}
