/** z3 that breaks down, or finds no answer in its steps: the question is open, and the next one is answered. */

import { expect, it, onTestFinished, vi } from 'vitest';
import { init } from 'z3-solver';
import { diffPolicies } from '../../src/lab/diff/diff.ts';
import { createSolver } from '../../src/lab/solver/create-solver.ts';
import { and, type Formula, isIn, not } from '../../src/lab/solver/formula.ts';
import { loadZ3, Z3Instance } from '../../src/lab/solver/z3.ts';
import type { Space } from '../../src/lab/space/space.ts';
import { Steps } from '../../src/lab/steps.ts';
import { policyOf } from '../support/policy/policy.ts';
import { IS_SOAK } from '../support/sampled.ts';

const spaceOf = (states: number) => ({ variables: [{ states: Array.from({ length: states }) }], ties: [] });
const SPACE = spaceOf(2) as unknown as Space;
/** A walk does not find out that they exclude each other. */
const IMPOSSIBLE = [isIn(0, [true, false]), isIn(0, [false, true])];
/** No object of z3 is there. */
const NOWHERE = 0xfffffff0;

type Loaded = Awaited<ReturnType<typeof init>>;

const NOTHING = () => {};
const steps = () => new Steps(5_000_000);

/** z3 as far as it is used here: with these functions, and others that do nothing. */
function fakeZ3(functions: Record<string, unknown>): Z3Instance {
  const names = ['mk_config', 'del_config', 'mk_context_rc', 'del_context', 'mk_string_symbol', 'mk_solver_for_logic'];
  const ofSolvers = ['solver_inc_ref', 'solver_dec_ref', 'solver_push', 'solver_pop', 'solver_from_string'];
  const others = ['solver_get_statistics', 'update_param_value'];
  const ignored = Object.fromEntries([...names, ...ofSolvers, ...others].map((name) => [name, NOTHING]));
  const answers = { get_error_code: () => 0, stats_to_string: () => '(:rlimit-count 1)' };
  const em = { PThread: { loadWasmModuleToWorker: NOTHING, terminateAllThreads: NOTHING } };
  return new Z3Instance({ Z3: { ...ignored, ...answers, ...functions }, em } as unknown as Loaded);
}

/** A solver of instances that a test breaks down, one after the other; its next instance is the usual one. */
async function solverOf(...instances: readonly Z3Instance[]) {
  return createSolver(SPACE, async () => instances.find(({ isBroken }) => !isBroken) ?? loadZ3());
}

it('a question at which a thread of z3 traps is asked once more', async () => {
  const loaded = await init({ print: NOTHING, printErr: NOTHING });
  const { em, Z3: functions } = loaded;
  const solver = await solverOf(new Z3Instance(loaded));
  expect(await solver.ask(IMPOSSIBLE, steps())).toEqual({ kind: 'unsatisfiable' });
  let traps = 0;
  functions.solver_check = () => {
    traps += 1;
    return em.async_call(() => em._async_Z3_solver_check(NOWHERE, NOWHERE));
  };
  expect(await solver.ask(IMPOSSIBLE, steps())).toEqual({ kind: 'unsatisfiable' });
  expect(traps).toBe(1);
});

it('a question at which z3 traps again stays open, and the next one is answered', async () => {
  const trap = () => {
    throw Object.assign(new Error('memory access out of bounds'), { name: 'RuntimeError' });
  };
  const solver = await solverOf(fakeZ3({ solver_from_string: trap }), fakeZ3({ solver_check: trap }));
  expect(await solver.ask(IMPOSSIBLE, steps())).toEqual({ kind: 'unknown' });
  expect(await solver.ask(IMPOSSIBLE, steps())).toEqual({ kind: 'unsatisfiable' });
});

/** A solver, and the claim that one pigeon more than there are holes fits into them. */
async function pigeons(number: number) {
  const holes = Array.from({ length: number });
  const all = [...holes.keys(), holes.length];
  const isAt = (pigeon: number, hole: number) =>
    isIn(
      pigeon,
      holes.map((_, each) => each === hole),
    );
  const apart = all.flatMap((one) =>
    all.slice(0, one).flatMap((other) => holes.map((_, hole) => not(and([isAt(one, hole), isAt(other, hole)])))),
  );
  const variables = all.map(() => ({ states: holes }));
  return { apart, solver: await createSolver({ variables, ties: [] } as unknown as Space) };
}

it('a question that takes more than its steps stays open, and the next one is answered', async () => {
  // z3 proves in seconds that 12 pigeons do not fit into 11 holes, and not in a minute that 17 do not fit into 16.
  const { solver, apart } = await pigeons(16);
  expect(await solver.ask(apart, new Steps(50_000))).toEqual({ kind: 'unknown' });
  expect(await solver.ask(IMPOSSIBLE, steps())).toEqual({ kind: 'unsatisfiable' });
});

it('z3 that goes on without counting steps ends the command, and answers the next question', async () => {
  const solver = await solverOf(fakeZ3({ solver_check: () => new Promise(NOTHING) }));
  vi.useFakeTimers();
  try {
    const answer = solver.check(IMPOSSIBLE, steps());
    const failed = expect(answer).rejects.toMatchObject({ code: 'SOLVER_FAILED' });
    await vi.advanceTimersByTimeAsync(3_600_000);
    await failed;
  } finally {
    vi.useRealTimers();
  }
  expect(await solver.check(IMPOSSIBLE, steps())).toEqual({ kind: 'unsatisfiable' });
});

it('a text that z3 cannot read is a defect, not an open question', async () => {
  const solver = await createSolver(SPACE);
  const endless: Formula = { kind: 'sumAtLeast', least: Infinity, terms: [[1, isIn(0, [true, false])]] };
  await expect(solver.ask([endless], steps())).rejects.toThrow('Infinity');
  // Not that z3 has no such definition.
  await expect(solver.ask([endless], steps())).rejects.toThrow('Infinity');
  expect(await solver.ask([isIn(0, [true, false])], steps())).toEqual({ kind: 'satisfiable', states: [0] });
});

it('a question takes no memory once it is answered', async () => {
  const instance = await loadZ3();
  const create = instance.createSolver.bind(instance);
  const seen = { created: 0, closed: 0 };
  instance.createSolver = () => {
    const solver = create();
    seen.created += 1;
    const close = () => {
      seen.closed += 1;
      solver.close();
    };
    return { ...solver, close };
  };
  onTestFinished(() => {
    instance.createSolver = create;
  });
  const solver = await createSolver(SPACE);
  for (let i = 0; i < 3; i++) expect(await solver.ask(IMPOSSIBLE, steps())).toEqual({ kind: 'unsatisfiable' });
  expect(seen).toEqual({ created: 3, closed: 3 });
});

it('an answer does not depend on earlier questions, nor on what others ask at once', async () => {
  const { solver, apart } = await pigeons(7);
  const ask = async () => {
    const own = steps();
    const { kind } = await solver.check(apart, own);
    return [kind, own.spent];
  };
  const alone = await ask();
  expect(alone[0]).toBe('unsatisfiable');
  expect(await Promise.all([ask(), solver.ask(IMPOSSIBLE, steps()), ask()])).toEqual([
    alone,
    { kind: 'unsatisfiable' },
    alone,
  ]);
});

it('a long text is read in pieces, each with whole lines', async () => {
  const pieces: string[] = [];
  const z3 = fakeZ3({
    solver_from_string: (...[, , text]: unknown[]) => pieces.push(String(text)),
    solver_check: async () => -1,
  });
  const size = 3000;
  const solver = await createSolver(spaceOf(size) as unknown as Space, async () => z3);
  const sets = Array.from({ length: 60 }, (_, i) => Array.from({ length: size }, (__, at) => (at + i) % 2 === 0));
  await solver.ask([isIn(0, [true]), ...sets.map((states) => isIn(0, states))], steps());
  expect(pieces.length).toBeGreaterThan(2);
  for (const piece of pieces) expect(piece.length).toBeLessThan(1_200_000);
  const lines = pieces.flatMap((piece) => piece.split('\n'));
  expect(lines.filter((line) => !line.startsWith('(') || !line.endsWith(')'))).toEqual([]);
});

it.runIf(IS_SOAK)('hundreds of differences in one process take no more memory than the first ones', async () => {
  const policyOfLimit = (limit: number) => {
    const rules = Array.from({ length: 20 }, (_, i) => {
      const when = `{ all: [{ phone.porting.portCount: { above: ${limit + i} } }, { ip.isp: { contains: net${i} } }] }`;
      return `  - { id: r${i}, when: ${when}, points: ${5 + i} }\n`;
    });
    return policyOf(`policy: p\nversion: "1"\ndefault: accept\nscore: { review: 30 }\nrules:\n${rules.join('')}`);
  };
  const megabytes: number[] = [];
  for (let i = 0; i < 500; i++) {
    await diffPolicies(policyOfLimit(0), policyOfLimit(1 + (i % 5)), { at: '2026-11-20' });
    megabytes.push(process.memoryUsage().rss / 2 ** 20);
  }
  const most = (from: number, to: number) => Math.max(...megabytes.slice(from, to));
  expect(most(400, 500)).toBeLessThan(most(0, 200) + 200);
});
