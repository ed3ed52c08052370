/** Decisions at chosen times -> an index of them, and what of a service the data of pages reads. */

import { join } from 'node:path';
import { IndexFile } from '../../../../src/audit/index/index-file.ts';
import type { NewLine } from '../../../../src/audit/index/index-sql.ts';
import type { SearchEntry } from '../../../../src/audit/read/search-entry.ts';
import type { Policy } from '../../../../src/policy/language.ts';
import type { Service } from '../../../../src/service/service.ts';
import { temporaryFolder } from '../../policy/policy.ts';

/** So many equal decisions, a second apart. */
export interface Given {
  readonly at: number;
  readonly count: number;
  readonly outcome?: 'accept' | 'review' | 'reject';
  readonly version?: string;
  readonly rules?: readonly string[];
  readonly undetermined?: readonly string[];
  readonly missing?: Readonly<Record<string, readonly string[]>>;
  /** What people say of each. */
  readonly noted?: 'approve' | 'decline' | 'fraud' | 'genuine';
}

const CHAIN = '019a9f3c-7e40-7c11-9d2e-0b8a4f60c3d7';

function entriesOf(given: readonly Given[]): readonly SearchEntry[] {
  let n = 0;
  const id = () => `019a9f3c-7e40-7c11-9d2e-${String(n++).padStart(12, '0')}`;
  return given.flatMap(({ at, count, outcome = 'accept', version = '1', noted, ...more }) =>
    Array.from({ length: count }, (_, i): readonly SearchEntry[] => {
      const [decision, instant] = [id(), new Date(at + 1000 * i).toISOString()];
      const entry = {
        ...{ kind: 'decision', at: instant, id: decision, outcome, missing: {}, rules: [], undetermined: [], ...more },
        reasons: { decisive: [], fired: [], undetermined: [] },
        policy: { name: 'onboarding', version, digest: `sha256:${version}` },
      } as unknown as SearchEntry;
      const note = { kind: 'note', at: instant, id: id(), decision, disposition: noted, chain: CHAIN, seq: n };
      return noted ? [entry, note as SearchEntry] : [entry];
    }).flat(),
  );
}

/** A service with a log of these decisions, and the policies in force. */
export function recordedService(given: readonly Given[], policies: readonly Policy[]): Service {
  const file = new IndexFile(join(temporaryFolder(), 'index.sqlite'));
  const lines = entriesOf(given).map((entry, i): NewLine => {
    return { position: { chain: CHAIN, segment: 1, line: i + 1, start: i, end: i + 1 }, entry };
  });
  file.add(CHAIN, undefined, { segment: 1, line: lines.length, start: 0, end: 1, digest: '' }, lines);
  const index = {
    dayCounts: async (...asked: Parameters<IndexFile['dayCounts']>) => file.dayCounts(...asked),
    begins: async (...asked: Parameters<IndexFile['begins']>) => file.begins(...asked),
    counts: async (...asked: Parameters<IndexFile['counts']>) => file.counts(...asked),
  };
  const cases = { counts: async () => [] };
  return {
    policies: new Map(policies.map((policy) => [policy.name, { name: policy.name, watched: { policy } }])),
    records: { index, follower: { isReady: true }, cases, inDoubt: async () => [] },
    config: { queues: [], webhooks: [] },
    lacking: () => [],
    divided: async () => [],
  } as unknown as Service;
}
