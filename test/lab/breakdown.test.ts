/** z3 that breaks down, or finds no answer in its time: the question is open, and the next one is answered. */

import { expect, it, onTestFinished, vi } from 'vitest';
import { init } from 'z3-solver';
import { diffPolicies } from '../../src/lab/diff/diff.ts';
import { createSolver } from '../../src/lab/solver/create-solver.ts';
import { and, type Formula, isIn, not } from '../../src/lab/solver/formula.ts';
import { loadZ3, Z3Instance } from '../../src/lab/solver/z3.ts';
import type { Space } from '../../src/lab/space/space.ts';
import { policyOf } from '../support/policy/policy.ts';
import { IS_SOAK } from '../support/sampled.ts';

const spaceOf = (states: number) => ({ variables: [{ states: Array.from({ length: states }) }], ties: [] });
const SPACE = spaceOf(2) as unknown as Space;
/** A walk does not find out that they exclude each other. */
const IMPOSSIBLE = [isIn(0, [true, false]), isIn(0, [false, true])];
/** No object of z3 is there. */
const NOWHERE = 0xfffffff0;

type Loaded = Awaited<ReturnType<typeof init>>;

const THREADS = { loadWasmModuleToWorker: () => {}, terminateAllThreads: () => {} };

/** z3 as far as it is used here; each of its solvers has these methods. */
function fakeZ3(
  methods: Record<string, (text: string) => unknown>,
  functions: object = {},
  em: object = { PThread: THREADS },
): Z3Instance {
  class Solver {
    constructor() {
      Object.assign(this, {
        ctx: {},
        push: () => {},
        pop: () => {},
        release: () => {},
        fromString: () => {},
        ...methods,
      });
    }
  }
  return new Z3Instance({ Context: () => ({ Solver }), Z3: functions, em } as unknown as Loaded);
}

/** A solver of an instance that a test breaks down; its next instance is the usual one. */
async function solverOf(first: Z3Instance) {
  return createSolver(SPACE, async () => (first.isBroken ? loadZ3() : first));
}

it('a thread of z3 that traps leaves its question open, and no later one', async () => {
  const loaded = await init({ print: () => {}, printErr: () => {} });
  const solver = await solverOf(new Z3Instance(loaded));
  expect(await solver.ask(IMPOSSIBLE, 10_000)).toEqual({ kind: 'unsatisfiable' });
  const { em } = loaded;
  const call = em.async_call;
  em.async_call = () => call(() => em._async_Z3_solver_check_assumptions(NOWHERE, NOWHERE, 0, 0));
  expect(await solver.ask(IMPOSSIBLE, 10_000)).toEqual({ kind: 'unknown' });
  expect(await solver.ask(IMPOSSIBLE, 10_000)).toEqual({ kind: 'unsatisfiable' });
});

it('a trap while z3 reads leaves the question open, and no later one', async () => {
  const trap = () => {
    throw Object.assign(new Error('memory access out of bounds'), { name: 'RuntimeError' });
  };
  const solver = await solverOf(fakeZ3({ fromString: trap }));
  expect(await solver.ask(IMPOSSIBLE, 10_000)).toEqual({ kind: 'unknown' });
  expect(await solver.ask(IMPOSSIBLE, 10_000)).toEqual({ kind: 'unsatisfiable' });
});

it('a question that takes longer than its time stays open, and the next one is answered', async () => {
  // z3 proves in seconds that 12 pigeons do not fit into 11 holes, and not in a minute that 17 do not fit into 16.
  const holes = Array.from({ length: 16 });
  const pigeons = [...holes.keys(), holes.length];
  const variables = pigeons.map(() => ({ states: holes }));
  const isAt = (pigeon: number, hole: number) =>
    isIn(
      pigeon,
      holes.map((_, each) => each === hole),
    );
  const apart = pigeons.flatMap((one) =>
    pigeons.slice(0, one).flatMap((other) => holes.map((_, hole) => not(and([isAt(one, hole), isAt(other, hole)])))),
  );
  const solver = await createSolver({ variables, ties: [] } as unknown as Space);
  expect(await solver.ask(apart, 50)).toEqual({ kind: 'unknown' });
  expect(await solver.ask([isAt(0, 1), isAt(0, 2)], 10_000)).toEqual({ kind: 'unsatisfiable' });
});

it('a question that cannot be stopped stays open, and the next one is answered', async () => {
  const em = { PThread: THREADS, async_call: () => new Promise(() => {}) };
  const fail = () => {
    throw new Error('mutex lock failed');
  };
  const solver = await solverOf(fakeZ3({ check: () => em.async_call() }, { solver_interrupt: fail }, em));
  expect(await solver.ask(IMPOSSIBLE, 10)).toEqual({ kind: 'unknown' });
  expect(await solver.ask(IMPOSSIBLE, 10_000)).toEqual({ kind: 'unsatisfiable' });
});

it('a question at which z3 goes on when it is told to stop stays open, and the next one is answered', async () => {
  const em = { PThread: THREADS, async_call: () => new Promise(() => {}) };
  const solver = await solverOf(fakeZ3({ check: () => em.async_call() }, { solver_interrupt: () => {} }, em));
  vi.useFakeTimers();
  try {
    const answer = solver.check(IMPOSSIBLE, 1000);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(await answer).toEqual({ kind: 'unknown' });
  } finally {
    vi.useRealTimers();
  }
  expect(await solver.check(IMPOSSIBLE, 10_000)).toEqual({ kind: 'unsatisfiable' });
});

it('a text that z3 cannot read is a defect, not an open question', async () => {
  const solver = await createSolver(SPACE);
  const endless: Formula = { kind: 'sumAtLeast', least: Infinity, terms: [[1, isIn(0, [true, false])]] };
  await expect(solver.ask([endless], 10_000)).rejects.toThrow('Infinity');
  // Not that z3 has no such definition.
  await expect(solver.ask([endless], 10_000)).rejects.toThrow('Infinity');
  expect(await solver.ask([isIn(0, [true, false])], 10_000)).toEqual({ kind: 'satisfiable', states: [0] });
});

it('solvers that nobody asks any more take no memory, and answer when they are asked again', async () => {
  const contexts: unknown[] = [];
  const instance = await loadZ3();
  const open = instance.createSolver.bind(instance);
  instance.createSolver = () => {
    const solver = open();
    contexts.push(solver.ctx);
    return solver;
  };
  onTestFinished(() => {
    instance.createSolver = open;
  });
  const solvers = await Promise.all(Array.from({ length: 7 }, () => createSolver(SPACE)));
  for (const solver of [...solvers, ...solvers]) {
    expect(await solver.ask(IMPOSSIBLE, 10_000)).toEqual({ kind: 'unsatisfiable' });
  }
  expect(contexts.length).toBeGreaterThan(7);
  expect(new Set(contexts).size).toBeLessThan(7);
});

it('z3 frees nothing while a thread of it works', async () => {
  const log: string[] = [];
  const functions = { ast_dec_ref: () => log.push('freed') };
  const em = { PThread: THREADS, async_call: () => Promise.resolve().then(() => log.push('answered')) };
  fakeZ3({}, functions, em);
  const answer = em.async_call();
  functions.ast_dec_ref();
  await answer;
  expect(log).toEqual(['answered', 'freed']);
});

it('z3 frees nothing after a thread of it has failed, which may hold a lock', async () => {
  const log: string[] = [];
  const em = {
    PThread: THREADS,
    async_call: async () => Promise.reject(new Error('Memory allocation failed')),
    _free: () => log.push('freed'),
  };
  fakeZ3({}, {}, em);
  await em.async_call().catch(() => em._free());
  expect(log).toEqual([]);
});

it('a long text is read in pieces, each with whole lines', async () => {
  const pieces: string[] = [];
  const z3 = fakeZ3({ fromString: (text) => pieces.push(text), check: async () => 'unsat' });
  const size = 3000;
  const solver = await createSolver(spaceOf(size) as unknown as Space, async () => z3);
  const sets = Array.from({ length: 30 }, (_, i) => Array.from({ length: size }, (__, at) => (at + i) % 2 === 0));
  await solver.ask([isIn(0, [true]), ...sets.map((states) => isIn(0, states))], 10_000);
  expect(pieces.length).toBeGreaterThan(2);
  for (const piece of pieces) expect(piece.length).toBeLessThan(1_200_000);
  const lines = pieces.flatMap((piece) => piece.split('\n'));
  expect(lines.filter((line) => !line.startsWith('(') || !line.endsWith(')'))).toEqual([]);
});

it.runIf(IS_SOAK)(
  'hundreds of differences in one process take no more memory than the first ones',
  async () => {
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
  },
  3_600_000,
);
