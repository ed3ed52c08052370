/**
 * A real YAML language server, spoken to over stdio as an editor does; it reads schemas from files and nothing
 * from a network.
 */

import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A place in a text, 0-based. */
export interface Place {
  readonly line: number;
  readonly character: number;
}

export interface Completion {
  readonly label: string;
  readonly insertText?: string;
  readonly documentation?: string | { readonly value: string };
}

export interface Flagged {
  readonly message: string;
  readonly range: { readonly start: Place; readonly end: Place };
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/** The server's program, from its package's manifest. */
function program(): string {
  const manifest = createRequire(import.meta.url).resolve('yaml-language-server/package.json');
  return join(dirname(manifest), 'bin/yaml-language-server');
}

/** An editor with one language server behind it. */
export class Editor {
  readonly #server = spawn(process.execPath, [program(), '--stdio'], { stdio: ['pipe', 'pipe', 'inherit'] });
  readonly #settings: Readonly<Record<string, unknown>>;
  readonly #answers = new Map<number, (message: Message) => void>();
  readonly #flagged = new Map<string, (flagged: readonly Flagged[]) => void>();
  #received = Buffer.alloc(0);
  #lastId = 0;

  /** `proxy` is where every request to the network would go. */
  constructor(proxy: string) {
    const yaml = { schemaStore: { enable: false }, kubernetesCRDStore: { enable: false }, hoverSchemaSource: false };
    this.#settings = { yaml, http: { proxy } };
    this.#server.stdout.on('data', (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      for (let message = this.#take(); message; message = this.#take()) this.#handle(message);
    });
  }

  /** Introduces itself; `folder` is the workspace. */
  async start(folder: string): Promise<void> {
    const workspace = { configuration: true, workspaceFolders: true };
    const textDocument = { hover: { contentFormat: ['markdown'] }, publishDiagnostics: {} };
    const rootUri = String(pathToFileURL(folder));
    await this.#ask('initialize', { processId: process.pid, rootUri, capabilities: { workspace, textDocument } });
    this.#send({ method: 'initialized', params: {} });
  }

  /** Opens a file with this text; gives what the server then flags in it. */
  open(uri: string, text: string): Promise<readonly Flagged[]> {
    const flagged = new Promise<readonly Flagged[]>((resolve) => this.#flagged.set(uri, resolve));
    this.#send({
      method: 'textDocument/didOpen',
      params: { textDocument: { uri, languageId: 'yaml', version: 1, text } },
    });
    return flagged;
  }

  async complete(uri: string, position: Place): Promise<readonly Completion[]> {
    const answer = await this.#ask('textDocument/completion', { textDocument: { uri }, position });
    return (answer as { readonly items: readonly Completion[] }).items;
  }

  /** The Markdown that is shown at a place. */
  async hover(uri: string, position: Place): Promise<string> {
    const answer = await this.#ask('textDocument/hover', { textDocument: { uri }, position });
    return (answer as { readonly contents: { readonly value: string } } | null)?.contents.value ?? '';
  }

  /** Ends the server, and waits until it has ended. */
  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.#server.once('exit', resolve));
    await this.#ask('shutdown');
    this.#send({ method: 'exit' });
    await ended;
  }

  #ask(method: string, params?: unknown): Promise<unknown> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      this.#answers.set(id, ({ result, error }) => (error ? reject(new Error(error.message)) : resolve(result)));
      this.#send({ id, method, params });
    });
  }

  #send(message: Message): void {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    this.#server.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }

  /** The next whole message that has come in. */
  #take(): Message | undefined {
    const end = this.#received.indexOf('\r\n\r\n');
    if (end < 0) return undefined;
    const length = Number(/Content-Length: (\d+)/.exec(this.#received.toString('latin1', 0, end))?.[1]);
    const body = this.#received.subarray(end + 4, end + 4 + length);
    if (body.length < length) return undefined;
    this.#received = this.#received.subarray(end + 4 + length);
    return JSON.parse(body.toString('utf8'));
  }

  #handle({ id, method, params, ...answer }: Message): void {
    if (method === 'workspace/configuration' && id !== undefined) {
      const { items } = params as { readonly items: readonly { readonly section: string }[] };
      this.#send({ id, result: items.map(({ section }) => this.#settings[section] ?? {}) });
    } else if (method === 'textDocument/publishDiagnostics') {
      const { uri, diagnostics } = params as { readonly uri: string; readonly diagnostics: readonly Flagged[] };
      this.#flagged.get(uri)?.(diagnostics);
    } else if (method !== undefined && id !== undefined) {
      this.#send({ id, result: null });
    } else if (id !== undefined) {
      this.#answers.get(id)?.(answer);
    }
  }
}
