/** `verdict prove`: a policy -> which of its guarantees and other properties hold for every applicant, proved. */

import type { Command } from 'commander';
import { PROPERTY_WORDS, USUAL_PROPERTIES } from '../../../lab/prove/property.ts';
import { namesOf, PROOF_FORMATS } from '../../../report/formats/formats.ts';
import { addSet, loadPolicyFiles, versionOf } from '../../input/load-policy.ts';
import { EXIT, type Io, orCannotRun } from '../../io.ts';
import { addFormat, readDay, stepsOption, today } from '../../options/arguments.ts';
import { endWith } from '../../result.ts';

export function addProve(program: Command, io: Io): void {
  const command = program
    .command('prove')
    .description(
      'prove what holds of every applicant, or show one for whom it does not. ' +
        'The policy is a file, or a git revision and a file: main:rules/onboarding.yaml',
    )
    .argument('<policy>', 'the policy')
    .argument('[properties...]', `${PROPERTY_WORDS} (default: ${USUAL_PROPERTIES.join(', ')})`)
    .option('--at <day>', 'the first day of the decisions (default: today)', readDay)
    .option('--on-day', 'look at that day alone, and not at later days on which something begins or ends')
    .option('--mapping <file>', "the mapping with the policy's match results (default: the shipped one)")
    .addOption(stepsOption());
  addFormat(addSet(command), namesOf(PROOF_FORMATS)).action(async (file: string, named: readonly string[], options) => {
    const { onDay, set, mapping, steps, format } = options;
    const { proveProperties } = await import('../../../lab/prove/prove.ts');
    const properties = named.length > 0 ? named : USUAL_PROPERTIES;
    const { policy, at, proofs } = await orCannotRun(async () => {
      const loaded = await loadPolicyFiles({ ...versionOf(file), mapping, ...(set ? { set } : {}) });
      const { at = today(loaded.timeZone) } = options;
      const found = await proveProperties(loaded, { at, onDay, steps, properties });
      return { policy: loaded, at, proofs: found };
    });
    const has = (result: string) => proofs.some((proof) => proof.result === result);
    await endWith(io, options, {
      text: (style) => PROOF_FORMATS[format]([proofs, policy, at], style),
      exitCode: has('refuted') ? EXIT.found : has('undecided') ? EXIT.undecided : EXIT.done,
    });
  });
}
