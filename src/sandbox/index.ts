/** The verification service, simulated: a real HTTP server on this machine, the people it knows, and how to sign in. */

export { CORE_SERVICE } from './answer.ts';
export { PERSONAS, type Persona } from './personas.ts';
export { type Sandbox, type SandboxOptions, startSandbox } from './server.ts';
export { SANDBOX_USERS, type SandboxUser } from './sessions.ts';
