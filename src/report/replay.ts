/** The result of a replay of the log -> an outline. */

import type { CountedReason, OtherOutcomes } from '../audit/query/replay/comparison.ts';
import type { Replay, ReplayProblem } from '../audit/query/replay/replay.ts';
import { count } from '../text.ts';
import { type Block, lines, strong, type Words } from './outline.ts';

const WHY: Readonly<Record<ReplayProblem['why'], string>> = {
  differs: 'the verdict differs',
  'clear-differs': 'the clear fields differ from the plain body',
  'not-opened': 'its key does not open its body',
  'no-body': 'its body is malformed',
  'key-missing': 'its key is erased or missing, and no erasure for its subject is on record',
  'policy-missing': 'its policy or mapping is missing, was changed, or does not open with its keys',
};

const NOT_GIVEN = 'nobody was given an outcome';

const POLICY_ERASED = 'what their policy said of the applicant, such as an entry of a list, was erased';

/** For a text: how many decisions are the same, what is wrong with the others, and the outcomes of another policy. */
export function replayText(replay: Replay): readonly Block[] {
  const { compared, same, erased, policyErased, other } = replay;
  const left = [
    ...(erased > 0 ? [`${count(erased, 'decision')} erased: no facts to decide on`] : []),
    ...(policyErased > 0 ? [`${count(policyErased, 'decision')} not decided again: ${POLICY_ERASED}`] : []),
  ];
  const title = `${count(compared, 'decision')} decided again: ${same} the same to the last byte`;
  return [lines(title, [...left, ...problemLines(replay).map(strong)]), ...(other ? otherBlocks(other) : [])];
}

/** Why decisions differ or could not be decided again, a line each. */
export function problemLines({ problems, problemCount }: Replay): readonly string[] {
  return [
    ...problems.map(({ id, why, parts }) => `${id}: ${WHY[why]}${parts.length > 0 ? ` (${parts.join(', ')})` : ''}`),
    ...(problemCount > problems.length ? [`and ${problemCount - problems.length} more`] : []),
  ];
}

function otherBlocks({ changes, aborted, lacking }: OtherOutcomes): readonly Block[] {
  const widest = Math.max(...changes.map(({ count: n }) => String(n).length), 1);
  const outcomes = changes.flatMap(({ from, to, count: n, examples, decidedBy }): readonly Words[] => {
    const text = `${from.padEnd(6)} to ${to.padEnd(6)}  ${String(n).padStart(widest)}`;
    if (from === to) return [{ mark: 'soft', of: text }];
    const why = `  decided by ${reasonWords(decidedBy.old)}; now by ${reasonWords(decidedBy.new)}`;
    return [`${text}  such as ${examples.join(', ')}`, why];
  });
  const left = aborted > 0 ? [`${count(aborted, 'aborted decision')} not compared: ${NOT_GIVEN}`] : [];
  const missing = Object.entries(lacking).map(([path, n]) => `${path}: counts as missing in ${count(n, 'decision')}`);
  return [
    lines('With the other policy', [...(outcomes.length > 0 ? outcomes : ['no decisions']), ...left]),
    ...(missing.length > 0 ? [lines('Facts that are not on record', missing)] : []),
  ];
}

/** `EMAIL_RISK_HIGH (12), SCORE (3)`. */
function reasonWords(reasons: readonly CountedReason[]): string {
  return reasons.map(({ code, count: n }) => `${code} (${n})`).join(', ') || 'no reason on record';
}
