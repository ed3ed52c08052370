/** The examples of a container fit together: what one file says of another is so. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { readServeConfig } from '../../src/service/config.ts';
import { ROOT } from '../support/docs/docs.ts';
import { temporaryFolder } from '../support/policy/policy.ts';

const read = (path: string) => readFileSync(join(ROOT, 'docs', path), 'utf8');
const CONFIG = read('examples/container/serve.yaml');
const OBJECTS = parseAllDocuments(read('examples/kubernetes/verdict.yaml')).map((each) => each.toJS());
const objectOf = (kind: string) => OBJECTS.find((each) => each.kind === kind);
const deployment = objectOf('Deployment');
const pod = deployment.spec.template;
const [container] = pod.spec.containers;

function configOf(yaml: string) {
  const file = join(temporaryFolder(), 'serve.yaml');
  writeFileSync(file, yaml);
  return readServeConfig(file);
}

test('the objects of Kubernetes select the pods of the Deployment, and name their ports', () => {
  const { labels } = pod.metadata;
  expect(deployment.spec.selector.matchLabels).toEqual(labels);
  expect(objectOf('PodDisruptionBudget').spec.selector.matchLabels).toEqual(labels);
  expect(objectOf('NetworkPolicy').spec.podSelector.matchLabels).toEqual(labels);
  expect(objectOf('Service').spec.selector).toEqual(labels);
  const { listen, admin } = configOf(CONFIG);
  expect(container.ports).toEqual([
    { name: 'api', containerPort: listen.port },
    { name: 'admin', containerPort: admin.port },
  ]);
  expect(objectOf('Service').spec.ports[0].targetPort).toBe('api');
});

test('a pod has as long to end as its service takes, and ten seconds more', () => {
  const { drainMs, deadlineMs } = configOf(CONFIG).limits;
  const [, pause] = container.lifecycle.preStop.exec.command;
  const needed = Number(pause) + (drainMs + deadlineMs) / 1000 + 10;
  expect(pod.spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(needed);
});

test('nothing is kept in a pod, and the file of keys is where a secret is mounted', () => {
  const config = configOf(CONFIG);
  for (const home of [config.audit, config.state, config.velocity]) {
    expect(home).toMatchObject({ postgresVariable: 'DATABASE_URL' });
  }
  expect(pod.spec.volumes).toMatchObject([{ secret: {} }]);
  expect(config.keysFile).toBe(`${container.volumeMounts[0].mountPath}/keys.json`);
});

test('one pod with a volume is configured as the page says', () => {
  const page = read('container.md').replaceAll(/\s+/g, ' ');
  const [, audit = '', state = ''] = /write `(audit: .*?)` and `(state: .*?)`, and leave/.exec(page) ?? [];
  const changed = CONFIG.replace(/^audit: .*$/m, audit)
    .replace(/^state: .*$/m, state)
    .replace(/^velocity: .*\n/m, '');
  expect(configOf(changed)).toMatchObject({
    audit: { dir: '/audit', keys: '/audit-keys' },
    state: { dir: '/state' },
  });
});
