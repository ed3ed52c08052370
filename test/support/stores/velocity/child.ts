/**
 * `child.ts OPTIONS REFERENCE`: a process that tells its parent once it has counted the application, and never adds its
 * outcome.
 */

import { createVelocityStore } from '../../../../src/stores/velocity/velocity.ts';
import { reject } from './rejecting.ts';

const [, , options = '', reference = ''] = process.argv;

const store = await createVelocityStore(JSON.parse(options));
const know = () => {
  process.send?.('counted');
  return new Promise<never>(() => {});
};
await reject({ ...store, know }, reference);
