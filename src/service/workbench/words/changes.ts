/** The sentences of the pages of drafts. */

import { groupedCount } from '../../../text.ts';

export const CHANGES = {
  title: (title: string, base: number) => title || `Change of release ${base}`,
  kind: 'Draft of release ',
  lead: (by: string, others: readonly string[]) =>
    `Saved last by ${by}${others.length > 0 ? `, and before by ${others.join(', ')}` : ''}, `,
  hint: 'A draft is not in force. Everybody who saves it becomes an author, and somebody else has to approve it.',
  over: (inForce: number) =>
    `Release ${inForce} is in force now, and this draft began before it. Take its edits over to that release first.`,
  files: 'Files',
  edited: 'edited',
  others: 'The other files',
  text: (file: string) => `Text of ${file}`,
  notHere: 'A browser would change this file, by its line ends or by characters that are not shown: edit it elsewhere.',
  save: 'Save',
  check: 'Check',
  test: 'Run the tests',
  compare: 'Whose decisions change',
  suggest: 'Add the tests that are missing',
  accept: 'Let failing tests expect what is decided now',
  for: 'What for, in one line',
  propose: 'Propose',
  rebase: 'Take over to the release in force',
  discard: 'Throw the draft away',
  end: 'If it is not wanted',
  results: 'Files, and what is found',
  more: (n: number) => `and ${n} more`,
  findings: 'What the checker finds',
  tests: 'Tests',
  facts: 'Facts to try, as a test writes them: one a line, such as phone.type: voip',
  try: 'Try',
  tried: 'What is decided of the facts to try',
  compared: 'Whose decisions change',
  doubts: 'What another person will doubt',
  nothing: 'Nothing.',
  notYet: 'Not asked yet.',
  passed: (passed: number, failed: number, skipped: number) =>
    `${groupedCount(passed, 'test')} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}.`,
  failed: (file: string, line: number, name: string, why: string) => `${file}:${line}: ${name}: ${why}`,
  conflict: (by: string) =>
    `${by} saved the draft in the meantime. Nothing was lost, and nothing is merged: theirs stands below, ` +
    'yours above. Save yours again to replace theirs.',
  theirs: (by: string) => `What ${by} saved`,
  savedSince: (by: string) => `${by} has saved the draft since: look at it again`,
  gone: 'this draft was proposed or thrown away',
  tooMuch: (why: string) => `This could not be answered: ${why}.`,
  noTitle: 'Say what it is for.',
  hasErrors: 'A policy or a file of tests has errors: Check says which.',
  nothingMissing: 'No test is missing.',
  nothingFails: 'No test fails that could expect something else.',
  bothEdited: (files: readonly string[]) =>
    `The release in force has another text of ${files.join(', ')} than the one that was edited: ` +
    'edit it there again, in a draft of its own.',
  begin: 'Change it',
  drafts: 'Drafts',
  allDrafts: 'Drafts that are not proposed, the last saved first',
  draftColumns: ['Draft', 'Of release', 'Saved by', 'Saved at'],
} as const;
