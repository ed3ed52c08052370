/** The result of a replay of the log -> one self-contained page: the decisions that are the same or changed. */

import type { CountedReason, OutcomeChange } from '../../audit/query/replay/comparison.ts';
import type { Replay } from '../../audit/query/replay/replay.ts';
import { CATALOG_TABLE } from '../../facts/catalog.ts';
import { count, grouped } from '../../text.ts';
import { problemLines } from '../replay.ts';
import { writePage } from './document.ts';
import { type Child, code, h1, li, p, span, ul } from './markup.ts';
import { codeName, codeValue, factName, joined, outcomeMark } from './parts/phrases.ts';
import { bullets, NONE, pairs, table } from './parts/table.ts';

/** A policy as a record names it. */
type NamedPolicy = Replay['policies'][number];

/** The page. It needs no network, no script and no other file, and shows nothing that the log encrypts. */
export function replayPage(replay: Replay, policy?: NamedPolicy): string {
  const { erased, policyErased, policies, other } = replay;
  const { compared, differing } = comparedIn(replay);
  const problems = problemLines(replay);
  const aborted = other?.aborted ?? 0;
  return writePage({
    title: `Replay of the audit log · ${count(differing, 'difference')}`,
    head: [
      p({ class: 'kind' }, 'Replay of the audit log'),
      h1(headline(replay)),
      p({ class: 'lead' }, lead(replay)),
      pairs([
        ['Compared', grouped(compared)],
        ['The same', grouped(compared - differing)],
        ['Different', grouped(differing)],
        ['Erased, not compared', grouped(erased)],
        ['Erased in the policy, not compared', policyErased === 0 ? undefined : grouped(policyErased)],
        ['Aborted, not compared', aborted === 0 ? undefined : grouped(aborted)],
        ['Decided with', policies.length === 0 ? undefined : joined(policies.map(policyName), '; ')],
        ['Decided again with', policy ? policyName(policy) : 'the policy of each record'],
      ]),
    ],
    parts: [
      { id: 'changes', title: 'Changes', content: changesPart(replay) },
      { id: 'lacking', title: 'Facts that are not on record', content: other && lackingTable(other.lacking) },
      {
        id: 'problems',
        title: 'Decisions that differ, or could not be decided again',
        content: problems.length === 0 ? undefined : bullets(problems),
      },
    ],
  });
}

/** With another policy the outcomes are compared; with the policy of each record, whole decisions. */
function comparedIn({ compared, same, other }: Replay): Readonly<Record<'compared' | 'differing', number>> {
  if (!other) return { compared, differing: compared - same };
  const sum = (changes: readonly OutcomeChange[]) => changes.reduce((all, { count: n }) => all + n, 0);
  return { compared: sum(other.changes), differing: sum(other.changes.filter(({ from, to }) => from !== to)) };
}

function headline(replay: Replay): string {
  const { compared, differing } = comparedIn(replay);
  if (compared === 0) return 'Nothing was compared';
  const what = replay.other ? 'outcome' : 'decision';
  if (differing > 0)
    return `${grouped(differing)} of ${grouped(compared)} ${what}s ${differing === 1 ? 'differs' : 'differ'}`;
  return compared === 1 ? `The ${what} is the same` : `All ${grouped(compared)} ${what}s are the same`;
}

function lead({ other }: Replay): Child {
  const how = other ? 'with another policy, and the outcomes compared' : 'and compared byte for byte';
  return [
    `Each record was decided again from its stored facts, on its own day, ${how}.`,
    other ? [' ', code('verdict audit show LOG ID'), ' explains a decision on record.'] : '',
  ];
}

function policyName({ name, version, digest }: NamedPolicy): Child {
  return [codeValue(name), ' ', codeValue(version), ' ', span({ class: 'digest' }, codeValue(digest))];
}

/** Undefined if decisions differ under their own policy: the problems name them. */
function changesPart(replay: Replay): Child {
  const { changes = [] } = replay.other ?? {};
  if (changes.length > 0) return changeTable(changes);
  return comparedIn(replay).differing === 0 ? p('No decision changed.') : undefined;
}

function changeTable(changes: readonly OutcomeChange[]): Child {
  return table({
    id: 'changes-by-kind',
    caption: 'Outcomes before and after: changes first, the most frequent first',
    columns: ['From', 'To', 'Decisions', 'Reasons on record', 'Reasons now', 'Examples'],
    width: 'wide',
    rows: changes
      .map((change) => ({ ...change, isSame: change.from === change.to }))
      .sort((one, other) => Number(one.isSame) - Number(other.isSame) || other.count - one.count)
      .map(({ from, to, isSame, count: n, decidedBy, examples }) => [
        outcomeMark(from),
        isSame ? 'the same' : outcomeMark(to),
        grouped(n),
        ...(isSame
          ? [NONE, NONE, NONE]
          : [reasonList(decidedBy.old), reasonList(decidedBy.new), plainList(examples.map(codeValue))]),
      ]),
  });
}

/** Codes of decisive reasons, each with the number of decisions that have it. */
function reasonList(reasons: readonly CountedReason[]): Child {
  return reasons.length === 0
    ? NONE
    : plainList(reasons.map(({ code, count: n }) => [codeName(code), ` ${grouped(n)}`]));
}

function plainList(items: readonly Child[]): Child {
  return ul(
    { class: 'plain', role: 'list' },
    items.map((item) => li(item)),
  );
}

function lackingTable(lacking: Readonly<Record<string, number>>): Child {
  const rows = Object.entries(lacking).map(([path, n]) => [factName(path, CATALOG_TABLE), grouped(n)]);
  if (rows.length === 0) return undefined;
  return table({
    id: 'facts-lacking',
    caption: 'Facts that the new policy reads and records do not have: they count as missing',
    columns: ['Fact', 'Decisions'],
    width: 'tight',
    rows,
  });
}
