/** The public API of the simulated verification service: a real HTTP server, its personas and its users. */

export { CORE_SERVICE } from './answer.ts';
export type { SandboxFault, SandboxFaults, SandboxRequest } from './faults.ts';
export { PERSONAS, type Persona } from './personas.ts';
export { SANDBOX_USERS, type Sandbox, type SandboxOptions, type SandboxUser, startSandbox } from './server.ts';
