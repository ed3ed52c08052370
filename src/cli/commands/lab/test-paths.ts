/** Whether a build server runs the tests. */

import type { Io } from '../../io.ts';

/** Most build servers set CI. Azure Pipelines, Jenkins, TeamCity, Bamboo and CodeBuild set only one of their own. */
const CI_VARIABLES = ['CI', 'TF_BUILD', 'JENKINS_URL', 'TEAMCITY_VERSION', 'bamboo_buildKey', 'CODEBUILD_BUILD_ID'];

/**
 * The environment variable that says that this runs on a build server, if there is one. There, `only` is an
 * error, so that all tests run, and nothing is rewritten.
 */
export function ciVariableIn({ env }: Pick<Io, 'env'>): string | undefined {
  return CI_VARIABLES.find((name) => !['', '0', 'false', undefined].includes(env[name]?.toLowerCase()));
}
