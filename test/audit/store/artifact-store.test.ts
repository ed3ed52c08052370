/** Policies and mappings as a log keeps them: a file that says two things is refused. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ArtifactStore } from '../../../src/audit/store/artifact-store.ts';
import { folderAt } from '../../../src/audit/store/files.ts';
import { loadMapping, mappingData } from '../../../src/facts/mapping/mapping.ts';
import { temporaryFolder } from '../../support/policy/policy.ts';

it('a kept mapping with a duplicate name is reported as changed, also if its data have the right digest', async () => {
  const dir = temporaryFolder();
  mkdirSync(join(dir, 'mappings'));
  const mapping = loadMapping();
  const json = JSON.stringify(mappingData(mapping));
  const read = (text: string) => {
    writeFileSync(join(dir, 'mappings', `${mapping.digest.slice('sha256:'.length)}.json`), text);
    return new ArtifactStore({ log: folderAt(dir), keys: folderAt(join(dir, 'keys')) }).mapping(mapping.digest);
  };
  await expect(read(json)).resolves.toMatchObject({ digest: mapping.digest });
  await expect(read(json.replace('{', '{"signals":{},'))).rejects.toMatchObject({
    code: 'AUDIT_FAILED',
    message: expect.stringContaining('was changed'),
  });
});
