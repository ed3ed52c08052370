/** Other engines as contestants, each with the same rules in the form that suits it best. */

import { createRequire } from 'node:module';
import { Engine, type RuleProperties } from 'json-rules-engine';
import { type Applicant, areFired, type Contest, type Contestant, contestant } from './contestant.ts';
import { celOf, jsonLogicOf, rulesEngineOf, zenOf } from './dialects.ts';
import type { View } from './logic.ts';

/** The command that installs the engines that are not dependencies of the project. */
export const INSTALL = 'npm ci --prefix test/bench';

const PACKAGES = ['json-logic-engine', 'cel-js', '@marcbachmann/cel-js', '@gorules/zen-engine'] as const;

/** The part of json-logic-engine that is used here. */
interface JsonLogicModule {
  readonly LogicEngine: new () => { build(logic: unknown): (view: View) => unknown };
}

/** The part of cel-js that is used here. */
interface CelModule {
  parse(expression: string): { readonly isSuccess: boolean; readonly cst?: unknown };
  evaluate(cst: unknown, context: View): unknown;
}

/** The part of @marcbachmann/cel-js, the other implementation of CEL, that is used here. */
interface OtherCelModule {
  parse(expression: string): (context: View) => unknown;
}

/** The part of zen-engine that is used here. */
interface ZenModule {
  readonly ZenEngine: new () => {
    createDecision(content: unknown): { evaluate(view: View): Promise<{ readonly result: unknown }> };
  };
  readonly ZenDecisionContent: new (content: object) => unknown;
}

/** The loaded packages. */
export interface Rivals {
  readonly jsonLogic: JsonLogicModule;
  readonly cel: CelModule;
  readonly otherCel: OtherCelModule;
  readonly zen: ZenModule;
}

// The packages are not dependencies of this project, so the type check does not know them.
const resolver = createRequire(import.meta.url);

/** Loads the packages; undefined if one is not installed. */
export async function loadRivals(): Promise<Rivals | undefined> {
  try {
    const [jsonLogic, cel, otherCel, zen] = await Promise.all(PACKAGES.map((name) => import(name)));
    return { jsonLogic, cel, otherCel, zen };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

/** The installed versions, including json-rules-engine. */
export function rivalVersions(): string[] {
  return [...PACKAGES, 'json-rules-engine'].map((name) => {
    const path = resolver.resolve.paths(name) ?? [];
    for (const folder of path) {
      try {
        return `${name} ${resolver(`${folder}/${name}/package.json`).version}`;
      } catch {}
    }
    return name;
  });
}

/** json-logic-engine, compiled. An expression holds `rulesAFunction` rules and returns the ids of those that hold. */
export function jsonLogic({ jsonLogic }: Rivals, rulesAFunction: number): (contest: Contest) => Contestant {
  return ({ rules, applicants, measured }) => {
    const engine = new jsonLogic.LogicEngine();
    if (rulesAFunction === 1) {
      const built = rules.map(({ id, logic }) => ({ id, holds: engine.build(jsonLogicOf(logic)) }));
      const decide = (i: number) => {
        const view = viewOf(applicants, i);
        const ids: string[] = [];
        for (const { id, holds } of built) if (holds(view) === true) ids.push(id);
        return ids;
      };
      return contestant({ ...lists('one rule per function', decide) }, measured);
    }
    const built = inGroups(rules, rulesAFunction).map((group) =>
      engine.build(group.map(({ id, logic }) => ({ if: [jsonLogicOf(logic), id, null] }))),
    ) as ((view: View) => (string | null)[])[];
    const decide = (i: number) =>
      built.flatMap((holding) => holding(viewOf(applicants, i)).filter((id) => id !== null));
    return contestant(lists(`${Math.min(rulesAFunction, rules.length)} rules per function`, decide), measured);
  };
}

/** cel-js, with rules parsed once. */
export function cel({ cel }: Rivals, rulesAnExpression: number): (contest: Contest) => Contestant {
  return celWith((expression) => {
    const { cst } = cel.parse(expression);
    if (cst === undefined) throw new Error('cel-js cannot read a rule');
    return (view) => cel.evaluate(cst, view);
  }, rulesAnExpression);
}

/** @marcbachmann/cel-js, with rules parsed once. */
export function otherCel({ otherCel }: Rivals, rulesAnExpression: number): (contest: Contest) => Contestant {
  return celWith(otherCel.parse, rulesAnExpression);
}

type Prepare = (expression: string) => (view: View) => unknown;

function celWith(prepare: Prepare, rulesAnExpression: number): (contest: Contest) => Contestant {
  return ({ rules, applicants, measured }) => {
    // A missing fact gets a value that it never has: an unknown name or null would be an error.
    const defaults = Object.fromEntries(
      Object.keys(applicants[0]?.view ?? {}).map((key) => [key, STAND_IN[typeof someValue(applicants, key)]]),
    );
    const views = applicants.map(({ view }): View => {
      return Object.fromEntries(Object.entries(view).map(([key, value]) => [key, value ?? defaults[key]]));
    });
    if (rulesAnExpression === 1) {
      const prepared = rules.map(({ id, logic }) => ({ id, holds: prepare(celOf(logic)) }));
      const decide = (i: number) => {
        const view = views[i] ?? NOBODY;
        const ids: string[] = [];
        for (const { id, holds } of prepared) if (holds(view) === true) ids.push(id);
        return ids;
      };
      return contestant(lists('one rule per expression', decide), measured);
    }
    const prepared = inGroups(rules, rulesAnExpression).map((group) =>
      prepare(`[${group.map(({ id, logic }) => `(${celOf(logic)}) ? "${id}" : ""`).join(', ')}]`),
    );
    const decide = (i: number) => {
      const view = views[i] ?? NOBODY;
      return prepared.flatMap((holding) => (holding(view) as readonly string[]).filter((id) => id !== ''));
    };
    return contestant(lists(`${Math.min(rulesAnExpression, rules.length)} rules per expression`, decide), measured);
  };
}

const STAND_IN: Readonly<Record<string, string | number | boolean>> = { number: -1, string: '', boolean: false };

function someValue(applicants: readonly Applicant[], key: string): unknown {
  return applicants.find(({ view }) => view[key] !== undefined)?.view[key];
}

/** zen-engine: a decision table with one row per rule that collects all matches. */
export function zen({ zen }: Rivals, inFlight: number): (contest: Contest) => Contestant {
  return ({ rules, applicants, measured }) => {
    const rows = rules.map(({ id, logic }) => ({ _id: id, when: zenOf(logic), id: JSON.stringify(id) }));
    const content = {
      hitPolicy: 'collect',
      inputs: [{ id: 'when', name: 'when' }],
      outputs: [{ id: 'id', name: 'id', field: 'id' }],
      rules: rows,
    };
    const position = { x: 0, y: 0 };
    const decision = new zen.ZenEngine().createDecision(
      new zen.ZenDecisionContent({
        nodes: [
          { id: 'in', name: 'in', type: 'inputNode', position },
          { id: 'table', name: 'table', type: 'decisionTableNode', position, content },
          { id: 'out', name: 'out', type: 'outputNode', position },
        ],
        edges: [
          { id: 'from', sourceId: 'in', targetId: 'table', type: 'edge' },
          { id: 'to', sourceId: 'table', targetId: 'out', type: 'edge' },
        ],
      }),
    );
    return contestant(
      {
        decide: (i) => decision.evaluate(viewOf(applicants, i)),
        weigh: ({ result }) => (result as readonly unknown[]).length,
        agrees: ({ result }, verdict) =>
          areFired(
            (result as readonly { id: string }[]).map(({ id }) => id),
            verdict,
          ),
        inFlight,
        hasThreads: true,
      },
      measured,
    );
  };
}

/** json-rules-engine with its own operators: one engine per run, which concurrent runs need, or one shared engine. */
export function rulesEngine(isReused: boolean): (contest: Contest) => Contestant {
  return ({ rules, applicants, measured }) => {
    const properties = rules.map(({ id, logic }): RuleProperties => {
      const isRoot = logic.kind === 'all' || logic.kind === 'any' || logic.kind === 'not';
      const conditions = rulesEngineOf(isRoot ? logic : { kind: 'all', of: [logic] });
      return { name: id, conditions: conditions as unknown as RuleProperties['conditions'], event: { type: id } };
    });
    const options = { allowUndefinedFacts: true };
    const shared = isReused ? new Engine([...properties], options) : undefined;
    const decide = async (i: number) => {
      const engine = shared ?? new Engine([...properties], options);
      const { events } = await engine.run(viewOf(applicants, i));
      return events.map(({ type }) => type);
    };
    return contestant({ decide, weigh: (ids) => ids.length, agrees: areFired, inFlight: 1 }, measured);
  };
}

function lists(way: string, decide: (i: number) => readonly string[]) {
  return { way, decide, weigh: (ids: readonly string[]) => ids.length, agrees: areFired };
}

const NOBODY: View = {};

function viewOf(applicants: readonly Applicant[], i: number): View {
  return applicants[i]?.view ?? NOBODY;
}

function inGroups<Item>(items: readonly Item[], most: number): Item[][] {
  const size = Math.min(most, items.length);
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));
}
