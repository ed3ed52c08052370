/** A policy as plain data, with parameters <-> the same policy with their values in place. No code of the project. */

import type {
  PlainCondition,
  PlainDecisionTable,
  PlainDefinition,
  PlainPolicy,
  PlainRule,
  PlainRuleSet,
} from './plain.ts';

/** Gives what stands in a place for a value; `path` is the fact that the value is compared with, if any. */
type Change = (value: unknown, path?: string) => unknown;

/** Operators whose argument is the name of a list or a pattern. */
const WITHOUT_PARAMETERS = ['matches', 'inList', 'notInList', 'inDomainList'];

function changeBand(band: unknown, change: (value: unknown) => unknown): unknown {
  const hasNotice = typeof band === 'object' && band !== null && 'atLeast' in band;
  return hasNotice ? { ...band, atLeast: change(band.atLeast) } : change(band);
}

/** Changes each value of a policy for which a parameter may stand. */
function changeValues<File extends PlainRuleSet & Pick<Partial<PlainPolicy>, 'facts' | 'score'>>(
  file: File,
  change: Change,
): File {
  const { rules, tables, conditions, ruleSets, facts, score } = file;
  const changed = {
    rules: rules?.map((rule) => changeRule(rule, change)),
    tables: tables?.map((table) => changeTable(table, change)),
    conditions: conditions && mapObject(conditions, (each) => changeCondition(each as PlainCondition, change)),
    ruleSets: ruleSets?.map((set) => changeValues(set, change)),
    facts: facts && mapObject(facts, (fact) => changeOperands(fact as PlainDefinition, change)),
    score: score && mapObject(score, (band, key) => (key === 'notice' ? band : changeBand(band, change))),
  };
  return { ...file, ...Object.fromEntries(Object.entries(changed).filter(([, part]) => part !== undefined)) };
}

function changeOperands({ compute, ...fact }: PlainDefinition, change: Change): PlainDefinition {
  const isFact = (operand: unknown) => typeof operand === 'string' && !operand.startsWith('$');
  const changed = (operands: unknown) =>
    (operands as readonly unknown[]).map((operand) => (isFact(operand) ? operand : change(operand)));
  return { ...fact, ...(compute ? { compute: mapObject(compute, changed) } : {}) };
}

function changeRule(rule: PlainRule, change: Change): PlainRule {
  const points = rule.points === undefined ? {} : { points: change(rule.points) as number };
  return { ...rule, ...points, when: changeCondition(rule.when, change) };
}

function changeTable({ columns, rows, ...table }: PlainDecisionTable, change: Change): PlainDecisionTable {
  const inCell = (cell: unknown, column = '') => {
    if (column === 'points') return change(cell);
    if (!column.includes('.') || cell === 'any') return cell;
    const asked = changeTests(column, cell, change);
    // The value of a parameter is a value, whatever it is.
    return asked === 'any' ? { is: asked } : asked;
  };
  return { ...table, columns, rows: rows.map((row) => row.map((cell, i) => inCell(cell, columns[i]))) };
}

function changeCondition(condition: PlainCondition, change: Change): PlainCondition {
  if (typeof condition === 'string') return condition;
  return mapObject(condition, (value, key) => {
    const parts = (of: unknown) => (of as readonly PlainCondition[]).map((part) => changeCondition(part, change));
    if (key === 'all' || key === 'any') return parts(value);
    if (key === 'not') return changeCondition(value as PlainCondition, change);
    if (key !== 'atLeastOf') return changeTests(key, value, change);
    const { count, of } = value as { readonly count: unknown; readonly of: unknown };
    return { count: change(count), of: parts(of) };
  });
}

function changeTests(path: string, asked: unknown, change: Change): unknown {
  if (!isMap(asked)) return changeArgument(path, asked, change);
  if ('fact' in asked) return asked;
  return mapObject(asked, (argument, operator) =>
    WITHOUT_PARAMETERS.includes(operator) ? argument : changeArgument(path, argument, change),
  );
}

function changeArgument(path: string, argument: unknown, change: Change): unknown {
  if (Array.isArray(argument)) return argument.map((each) => changeArgument(path, each, change));
  if (!isMap(argument)) return change(argument, path);
  return 'fact' in argument ? argument : mapObject(argument, (each) => changeArgument(path, each, change));
}

/** The same policy with the values of its parameters in force, and without them. */
export function withValues(policy: PlainPolicy): PlainPolicy {
  const values = parametersOf(policy);
  const written = changeValues(policy, (value) => {
    if (typeof value !== 'string' || !value.startsWith('$')) return value;
    if (value.startsWith('$$')) return value.slice(1);
    return lookUp(values, value.slice(1));
  });
  return changeMessages(written, (message) =>
    message.replaceAll(/\{\{|\}\}|\{\$([^{}]*)\}/g, (token, name?: string) =>
      name === undefined ? token : shown(lookUp(values, name)).replaceAll(/[{}]/g, '$&$&'),
    ),
  );
}

function lookUp(values: ReadonlyMap<string, unknown>, name: string): unknown {
  if (!values.has(name)) throw new Error(`no parameter ${name}`);
  return values.get(name);
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The values in force: the policy's own go above those of its rule sets. */
function parametersOf({ parameters = {}, ruleSets = [] }: PlainRuleSet): ReadonlyMap<string, unknown> {
  const own = Object.entries(parameters).map(([name, declared]) => [
    name,
    isMap(declared) ? declared['value'] : declared,
  ]);
  return new Map([...ruleSets.flatMap((set) => [...parametersOf(set)]), ...(own as [string, unknown][])]);
}

function changeMessages<File extends PlainRuleSet>(file: File, change: (message: string) => string): File {
  const { rules, tables, ruleSets } = file;
  const changed = {
    rules: rules?.map(({ message, ...rule }) => ({
      ...rule,
      ...(message === undefined ? {} : { message: change(message) }),
    })),
    tables: tables?.map((table) => ({
      ...table,
      rows: table.rows.map((row) =>
        row.map((cell, i) => (table.columns[i] === 'message' ? change(String(cell)) : cell)),
      ),
    })),
    ruleSets: ruleSets?.map((set) => changeMessages(set, change)),
  };
  return { ...file, ...Object.fromEntries(Object.entries(changed).filter(([, part]) => part !== undefined)) };
}

/**
 * The same policy with parameters for some of its values. The dice, from 0 on, are thrown in turn, once for each value
 * and each message: an even one leaves it as it is. `identifies`: whether no message may show what is compared with it.
 */
export function withParameters(
  policy: PlainPolicy,
  dice: readonly number[],
  identifies: (path: string) => boolean,
): PlainPolicy {
  let thrown = 0;
  const throwDie = () => dice[thrown++ % dice.length] ?? 0;
  const names = new Map<string, string>();
  const parameters: Record<string, unknown> = {};
  const shownNames: string[] = [];
  const written = changeValues(policy, (value, path = '') => {
    const die = throwDie();
    if (die % 2 === 0) return typeof value === 'string' && value.startsWith('$') ? `$${value}` : value;
    // One parameter for equal values, and another where they are personal.
    const key = JSON.stringify([value, identifies(path)]);
    const name = names.get(key) ?? `p${names.size}`;
    if (!names.has(key)) {
      parameters[name] = die % 3 === 0 ? { value, description: 'Why' } : value;
      if (!identifies(path)) shownNames.push(name);
    }
    names.set(key, name);
    return `$${name}`;
  });
  if (names.size === 0) return written;
  const told = changeMessages(written, (message) => {
    const name = shownNames[throwDie() % 7];
    return name === undefined ? message : `${message} {$${name}}`;
  });
  return { ...told, parameters: parameters as NonNullable<PlainRuleSet['parameters']> };
}

/** Writes texts that begin with a dollar sign with two, where a parameter may stand. */
export function escapeCondition(condition: PlainCondition): PlainCondition {
  return changeCondition(condition, (value) =>
    typeof value === 'string' && value.startsWith('$') ? `$${value}` : value,
  );
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function mapObject<Map extends object>(map: Map, change: (value: unknown, key: string) => unknown): Map {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value, key)])) as Map;
}
