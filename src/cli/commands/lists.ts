/** `verdict lists`: the lists of a policy, or those of their entries that expire. */

import type { Command } from 'commander';
import type { Policy } from '../../policy/language.ts';
import type { ListDeclaration } from '../../policy/read/parse.ts';
import { count } from '../../text.ts';
import { addPolicyFiles, loadPolicyWithLists } from '../input/load-policy.ts';
import type { Io } from '../io.ts';
import { addFormat, numberReader, readDay, today } from '../options/arguments.ts';
import { endWithRows } from '../placed-rows.ts';

const DAY_MS = 86_400_000;

/** A hundred years. */
const MOST_DAYS = 36_525;

const readDays = numberReader(/^\d{1,5}$/, (n) => n <= MOST_DAYS, `a number of days, 0 to ${MOST_DAYS}`);

export function addLists(program: Command, io: Io): void {
  const command = program
    .command('lists')
    .description('list the lists of a policy: their entries, files, and the rules that use them')
    .option('--expiring <days>', 'in place of the lists, the entries that expire within these days or have', readDays)
    .option('--at <day>', 'the day on which an entry counts (default: today)', readDay);
  addFormat(addPolicyFiles(command), ['text', 'json', 'csv']).action(async (options) => {
    const { policy, lists } = await loadPolicyWithLists(options);
    const { at = today(policy.timeZone), expiring } = options;
    const rows = await (expiring === undefined
      ? listRows(policy, lists, at)
      : expiringRows(policy, lists, at, expiring));
    const titles = expiring === undefined ? LIST_TITLES : ENTRY_TITLES;
    const found = count(rows.length, expiring === undefined ? 'list' : 'entry');
    await endWithRows(io, options, { rows, titles, found });
  });
}

const LIST_TITLES = ['list', 'entries', 'expired', 'usedBy', 'description'];

async function listRows(policy: Policy, lists: readonly ListDeclaration[], at: string): Promise<readonly object[]> {
  const { rulesByList } = await import('../../policy/usage.ts');
  const users = rulesByList(policy);
  return lists.map(({ name, description, entries, place }) => {
    const from = entries[0]?.place.file === place?.file ? place : entries[0]?.place;
    return {
      list: name,
      entries: entries.length,
      expired: entries.filter(({ until }) => until !== undefined && until < at).length,
      usedBy: users.get(name) ?? [],
      description: description ?? null,
      file: from?.file ?? place?.file ?? null,
      line: from?.position.line ?? null,
    };
  });
}

const ENTRY_TITLES = ['list', 'until', 'days', 'value', 'note', 'owner'];

/** The entries that end by the last of these days, the earliest first. */
async function expiringRows(
  policy: Policy,
  lists: readonly ListDeclaration[],
  at: string,
  days: number,
): Promise<readonly object[]> {
  const last = new Date(Date.parse(at) + days * DAY_MS).toISOString().slice(0, 10);
  const shown = await listsOfNobody(policy);
  const found = lists.flatMap(({ name, entries }) =>
    entries.flatMap(({ value, until, note, owner, place }) => {
      if (until === undefined || until > last) return [];
      return {
        list: name,
        until,
        days: Math.round((Date.parse(until) - Date.parse(at)) / DAY_MS),
        // They may name a person; the file says whom.
        ...(shown.has(name) ? { value, note: note ?? null } : { value: null, note: null }),
        ...{ owner: owner ?? null, file: place.file, line: place.position.line },
      };
    }),
  );
  return found.sort((one, other) => (one.until < other.until ? -1 : Number(one.until > other.until)));
}

/** The lists in which only facts are looked up that are not personal. */
async function listsOfNobody({ rules, facts }: Policy): Promise<ReadonlySet<string>> {
  const { namesPeople } = await import('../../policy/identities.ts');
  const { listsOf } = await import('../../policy/usage.ts');
  const used = rules.flatMap((rule) => [...listsOf(rule)]);
  const personal = new Set(
    used.flatMap(([name, paths]) => ([...paths].some((path) => namesPeople(path, facts)) ? name : [])),
  );
  return new Set(used.flatMap(([name]) => (personal.has(name) ? [] : name)));
}
