/** `verdict rules`: the rules of a policy, all or those that are looked for. */

import { type Command, Option } from 'commander';
import type { Place } from '../../diagnostics.ts';
import { isActive, OUTCOMES, type Policy, type Rule } from '../../policy/language.ts';
import { count, didYouMean } from '../../text.ts';
import { addPolicyFiles, loadPolicyFiles, loadPolicyWithLists } from '../input/load-policy.ts';
import { type Io, UsageError } from '../io.ts';
import { addFormat, type OptionsOf, readDay, today } from '../options/arguments.ts';
import { endWithRows } from '../placed-rows.ts';
import { endWith } from '../result.ts';

export function addRules(program: Command, io: Io): void {
  withOptions(program.command('rules')).action((options) => {
    return options.calendar ? showCalendar(options, io) : showRules(options, io);
  });
}

type Options = OptionsOf<typeof withOptions>;

function withOptions(rules: Command) {
  const command = rules
    .description('list the rules of a policy: what they ask for, whose they are, where they stand')
    .addOption(new Option('--then <outcome>', 'only rules that ask for this outcome').choices(OUTCOMES))
    .option('--owner <name>', 'only rules of this owner')
    .option('--tag <tag>', 'only rules with this tag')
    .option('--fact <path>', 'only rules that read this fact')
    .addOption(
      new Option(
        '--calendar',
        'in place of the rules, the days on which one begins, or a rule or an entry of a list has its last day',
      ).conflicts(['then', 'owner', 'tag', 'fact']),
    )
    .option('--at <day>', 'the day on which a rule counts as active (default: today)', readDay);
  return addFormat(addPolicyFiles(command), ['text', 'json', 'csv']);
}

async function showRules(options: Options, io: Io): Promise<void> {
  const policy = await loadPolicyFiles(options);
  const { at = today(policy.timeZone) } = options;
  // What reads policies is loaded only now, so that other commands start without it.
  const usage = { ...(await import('../../policy/usage.ts')), ...(await import('../../policy/source-map.ts')) };
  const rules = wantedRules(policy, options, usage).map((rule) => dataOf(rule, policy, at, usage));
  const { countedTable, csvText } = await import('../../report/plain-text.ts');
  const all = policy.rules.length;
  const found = rules.length === all ? count(all, 'rule') : `${rules.length} of ${count(all, 'rule')}`;
  await endWith(io, options, {
    data: () => rules,
    csv: () => csvText([CSV_COLUMNS, ...rules.map(csvCells)]),
    text: (style) => countedTable({ columns: TITLES, rows: rules.map(textCells) }, found, style),
  });
}

const EVENT_TITLES = ['day', 'event', 'rule', 'list', 'entries', 'owner'];

/** What begins, and what has its last day, from a day on. */
async function showCalendar(options: Options, io: Io): Promise<void> {
  const { policy, lists } = await loadPolicyWithLists(options);
  const { at = today(policy.timeZone) } = options;
  const { placeOf } = await import('../../policy/source-map.ts');
  const ofRules = policy.rules.flatMap((rule) => {
    const { id, from, until, owner = null } = rule;
    const place = placeOf(rule);
    const more = { rule: id, list: null, entries: null, owner, ...fileAndLine(place) };
    return [
      ...(from === undefined ? [] : [{ day: from, event: 'begins', ...more }]),
      ...(until === undefined ? [] : [{ day: until, event: 'last day', ...more }]),
    ];
  });
  const ofLists = lists.flatMap(({ name, entries }) =>
    [...Map.groupBy(entries, ({ until }) => until)].flatMap(([day, own]) => {
      if (day === undefined) return [];
      const owner = [...new Set(own.flatMap((entry) => entry.owner ?? []))].join(', ') || null;
      const count = { rule: null, list: name, entries: own.length, owner };
      return { day, event: 'last day', ...count, ...fileAndLine(own[0]?.place) };
    }),
  );
  const events = [...ofRules, ...ofLists].filter(({ day }) => day >= at);
  events.sort((one, other) => (one.day < other.day ? -1 : Number(one.day > other.day)));
  const found = count(events.length, 'event');
  await endWithRows(io, options, { rows: events, titles: EVENT_TITLES, found });
}

function fileAndLine(place: Place | undefined) {
  return { file: place?.file ?? null, line: place?.position.line ?? null };
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
    ...fileAndLine(place),
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
