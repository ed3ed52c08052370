/** Each series that the rules of alerts name is one that a service shows. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { ROOT } from '../support/docs/docs.ts';
import { SECRET } from '../support/service/receiver.ts';
import { startTestService } from '../support/service/running.ts';

interface Rules {
  readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[];
}

const FILE = join(ROOT, 'docs/examples/observability/alerts.yml');
const SERIES = /\b(?:verdict|process|nodejs)_[a-z_]+\b/g;

test('the alerts are about series that there are', async () => {
  const rules = (parse(readFileSync(FILE, 'utf8')) as Rules).groups.flatMap((group) => group.rules);
  const { decide, adminUrl, service } = await startTestService({
    audit: true,
    more: 'webhooks: [{ name: cases, urlVariable: URL, secretVariable: SECRET, kinds: [decision.made] }]',
    env: { URL: 'https://cases.invalid/', SECRET },
  });
  await decide('A-1');
  await expect.poll(() => service.outbox.states()).toHaveLength(1);
  const text = await (await fetch(`${adminUrl}/metrics`)).text();
  const shown = new Set([...text.matchAll(/^# TYPE (\S+) \S+$/gm)].map(([, name]) => name));
  const named = rules.flatMap(({ alert, expr }) => (expr.match(SERIES) ?? []).map((name) => [alert, name]));
  expect(named.length).toBeGreaterThan(rules.length - 1);
  expect(named.filter(([, name = '']) => !shown.has(name.replace(/_bucket$/, '')))).toEqual([]);
  expect(text).toMatch(/^verdict_part_seconds_count\{part="state"\} 1$/m);
  expect(text).toMatch(/^verdict_part_seconds_count\{part="log"\} 1$/m);
  expect(text).toMatch(
    /^verdict_policy_info\{policy="onboarding",version="[^"]+",digest="[^"]+",mapping="sha256:[^"]+"\} 1$/m,
  );
  expect(text).toMatch(/^verdict_build_info\{version="[\d.]+",node="v[\d.]+"\} 1$/m);
  expect(text).toMatch(/^process_resident_memory_bytes \d+$/m);
});
