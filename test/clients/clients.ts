/** When the clients were tried. No package published later is installed, also none that a client depends on. */
export const triedAt = '2026-11-22T14:30:00Z';

export const transports = ['stdio', 'http'] as const;
export type Transport = (typeof transports)[number];

/** What a client does with this server over one transport. */
export interface ClientBehaviour {
  /** The protocol revision that both use. */
  readonly revision: string;
  /** The one that both use if the server takes longer to start than the client waits for its first answer. */
  readonly slowRevision?: string;
  /** Whether it can send a key; over HTTP only. */
  readonly sendsKey?: boolean;
  /**
   * Who agrees to a high-risk call: the user, in the form that the client shows; or the operator, because the client
   * shows none.
   */
  readonly agreement: 'form' | 'operator';
  /** Whether it shows a refused call as failed. Otherwise only the text says so. */
  readonly marksFailures: boolean;
}

/** An MCP client made by others. */
export interface ForeignClient {
  readonly name: string;
  /** The packages that are installed, with their versions: the client, then what it wants beside it. */
  readonly packages: Readonly<Record<string, string>>;
  /** The file in programs/ that uses it, without its ending. */
  readonly program: string;
  /** What it does over each transport that it has. */
  readonly behaviour: Readonly<Partial<Record<Transport, ClientBehaviour>>>;
}

const overBoth = ({ sendsKey = true, ...shared }: ClientBehaviour): ForeignClient['behaviour'] => ({
  stdio: shared,
  http: { ...shared, sendsKey },
});

/** Every client that is tried. The suite asserts each of these values, and docs/connect.md shows them. */
export const foreignClients: readonly ForeignClient[] = [
  {
    name: 'MCP Inspector, `--cli`',
    packages: { '@modelcontextprotocol/inspector': '2.12.0' },
    program: 'inspector',
    behaviour: overBoth({ revision: '2025-11-25', agreement: 'operator', marksFailures: true }),
  },
  {
    name: 'mcp-remote, behind the MCP SDK',
    packages: { 'mcp-remote': '0.15.1', '@modelcontextprotocol/sdk': '1.32.2' },
    program: 'mcp-remote',
    // A bridge to HTTP: it starts no server.
    behaviour: { http: { revision: '2025-11-25', sendsKey: true, agreement: 'form', marksFailures: true } },
  },
  {
    name: 'AI SDK',
    packages: { '@ai-sdk/mcp': '2.0.99', zod: '4.6.7' },
    program: 'ai-sdk',
    // It waits a second for an answer to server/discover, and starts a server at the same time.
    behaviour: {
      stdio: { revision: '2026-07-28', slowRevision: '2025-11-25', agreement: 'form', marksFailures: true },
      http: { revision: '2026-07-28', sendsKey: true, agreement: 'form', marksFailures: true },
    },
  },
  {
    name: 'LangChain',
    packages: { '@langchain/mcp-adapters': '1.1.4' },
    program: 'langchain',
    behaviour: overBoth({ revision: '2025-11-25', agreement: 'operator', marksFailures: true }),
  },
  {
    name: 'mcporter',
    packages: { mcporter: '0.12.3' },
    program: 'mcporter',
    behaviour: overBoth({ revision: '2025-11-25', agreement: 'operator', marksFailures: true }),
  },
  {
    name: 'mcp-client',
    packages: { 'mcp-client': '1.13.1' },
    program: 'mcp-client',
    behaviour: overBoth({ revision: '2025-11-25', sendsKey: false, agreement: 'operator', marksFailures: true }),
  },
  {
    name: 'OpenAI Agents SDK',
    packages: { '@openai/agents': '0.20.0' },
    program: 'openai-agents',
    behaviour: overBoth({ revision: '2026-07-28', agreement: 'operator', marksFailures: false }),
  },
  {
    name: 'Mastra',
    packages: { '@mastra/mcp': '2.0.0' },
    program: 'mastra',
    behaviour: overBoth({ revision: '2026-07-28', agreement: 'form', marksFailures: true }),
  },
  {
    name: 'MCP SDK, an old version',
    packages: { '@modelcontextprotocol/sdk': '1.10.2' },
    program: 'sdk',
    behaviour: overBoth({ revision: '2024-11-05', agreement: 'operator', marksFailures: true }),
  },
  {
    name: 'MCP SDK',
    packages: { '@modelcontextprotocol/sdk': '1.32.2' },
    program: 'sdk',
    behaviour: overBoth({ revision: '2025-11-25', agreement: 'form', marksFailures: true }),
  },
];
