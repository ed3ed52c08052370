/** A query -> an error if a rule or reason code of it is in no record and no policy of the log: it may be misspelt. */

import { VerdictError } from '../../errors.ts';
import { isObject, parseJson } from '../../platform/json.ts';
import { RESERVED_CODES } from '../../policy/language.ts';
import { reasonOf } from '../../policy/read/rule.ts';
import { didYouMean } from '../../text.ts';
import { homeOf } from '../home.ts';
import type { LogPlace } from '../place.ts';
import { CRITERION_ROWS, type SearchQuery } from '../read/criteria.ts';
import { listFolder, readSmall } from '../store/chain-folder.ts';
import { below, type Folder } from '../store/files.ts';
import { wrapIoErrors } from '../store/io-errors.ts';
import { asSealedPolicy } from '../store/sealed-policy.ts';
import { searchLog } from './search.ts';

const WHAT = { rules: 'a rule with that id', reasons: 'that reason code' } as const;

/** The criteria that ask for names. */
const NAMING = CRITERION_ROWS.flatMap(({ names, ...row }) => (names ? [{ ...row, names }] : []));

/**
 * Rejects with REQUEST_INVALID for a rule or a reason code that no record and no archived policy has. The message
 * repeats nothing of the query, since it may be a phone number.
 */
export async function checkNames(place: LogPlace, query: SearchQuery): Promise<void> {
  let known: KnownNames | undefined;
  for (const { name: criterion, names, option } of NAMING) {
    const { [criterion]: asked = [] } = query;
    if (typeof asked === 'string' || asked === true) continue;
    for (const [i, name] of asked.entries()) {
      known ??= await namesInPolicies((await homeOf(place)).log);
      if (known[names].has(name) || (await isOnRecord(place, name, names))) continue;
      const which = asked.length === 1 ? '' : ` (no. ${i + 1})`;
      const { hint } = didYouMean(name, known[names]);
      const problem = `--${option[0].split(' ')[0]}${which}: no record and no policy on record has ${WHAT[names]}`;
      throw new VerdictError('REQUEST_INVALID', hint === undefined ? problem : `${problem}; ${hint}`);
    }
  }
}

/** Whether a record has the name: its policy may be damaged, and any name in it. */
async function isOnRecord(place: LogPlace, name: string, names: keyof KnownNames): Promise<boolean> {
  for (const { name: criterion } of NAMING.filter((row) => row.names === names)) {
    const { total, undecidable } = await searchLog(place, { [criterion]: [name] }, { limit: 1 });
    if (total + undecidable > 0) return true;
  }
  return false;
}

interface KnownNames {
  readonly rules: Set<string>;
  readonly reasons: Set<string>;
}

/** The names in the archived policies. They are in clear in each; a file that cannot be read has none. */
async function namesInPolicies(log: Folder): Promise<KnownNames> {
  const names: KnownNames = { rules: new Set(), reasons: new Set(RESERVED_CODES) };
  const folder = below(log, 'policies');
  for (const { name } of await wrapIoErrors('read', () => listFolder(folder))) {
    const bytes = await wrapIoErrors('read', () => readSmall(folder, name));
    const parsed = bytes && parseJson(bytes);
    if (parsed?.problem === undefined) addNames(asSealedPolicy(parsed?.value)?.policy ?? parsed?.value, names);
  }
  return names;
}

/** Adds the names of a policy, or of a rule set in it. */
function addNames(part: unknown, names: KnownNames): void {
  if (!isObject(part)) return;
  const add = (id: unknown, reason: unknown) => {
    if (typeof id !== 'string') return;
    names.rules.add(id);
    names.reasons.add(typeof reason === 'string' ? reason : reasonOf(id));
  };
  for (const rule of objectsIn(part['rules'])) add(rule['id'], rule['reason']);
  for (const table of objectsIn(part['tables'])) {
    const inlined = isObject(table['rows']) ? table['rows'] : table;
    const at = listIn(inlined['columns']).indexOf('reason');
    for (const [i, row] of listIn(inlined['rows']).entries()) add(`${table['id']}/${i + 1}`, listIn(row)[at]);
  }
  for (const ruleSet of listIn(part['ruleSets'])) addNames(ruleSet, names);
}

function listIn(data: unknown): readonly unknown[] {
  return Array.isArray(data) ? data : [];
}

function objectsIn(data: unknown): readonly Readonly<Record<string, unknown>>[] {
  return listIn(data).filter(isObject);
}
