import { isRecord, type JsonRecord, type ToolResult } from './mapping/result.ts';

/**
 * The view's side of the conversation with its host: JSON-RPC by messages between windows, as MCP Apps has it (stable
 * revision 2026-01-26). Only messages of the parent window count.
 */

/** What the host tells a view. */
export interface HostEvents {
  /** The host is ready. */
  readonly begun: () => void;
  readonly input: (args: JsonRecord) => void;
  readonly result: (result: ToolResult) => void;
  readonly cancelled: () => void;
  /** What changed of the host: its theme, its styles, the tool. The first time, all of it. */
  readonly context: (context: JsonRecord) => void;
}

/** What a view asks of its host. */
export interface Host {
  readonly callTool: (name: string, args: JsonRecord) => Promise<ToolResult>;
  readonly writeMessage: (text: string) => Promise<void>;
  readonly tellHeight: (height: number) => void;
}

const protocolVersion = '2026-01-26';
const methodNotFound = -32_601;

/** What the host may ask of the view, all of which has an empty answer. */
const answered = ['ping', 'ui/resource-teardown'];

/** Begins the conversation. @param name of the view, for the host's log */
export function connectToHost(name: string, events: HostEvents): Host {
  const host = window.parent;
  const waiting = new Map<
    number,
    { readonly done: (result: JsonRecord) => void; readonly failed: (why: Error) => void }
  >();
  let lastId = 0;
  const send = (message: JsonRecord): void => host.postMessage({ jsonrpc: '2.0', ...message }, '*');
  const ask = (method: string, params: JsonRecord): Promise<JsonRecord> =>
    new Promise((done, failed) => {
      const id = (lastId += 1);
      waiting.set(id, { done, failed });
      send({ id, method, params });
    });
  const notices: Readonly<Record<string, (params: JsonRecord) => void>> = {
    'ui/notifications/tool-input': ({ arguments: args }) => events.input(isRecord(args) ? args : {}),
    'ui/notifications/tool-result': (result) => events.result(result),
    'ui/notifications/tool-cancelled': () => events.cancelled(),
    'ui/notifications/host-context-changed': (context) => events.context(context),
  };

  window.addEventListener('message', ({ source, data }: MessageEvent<unknown>) => {
    if (source !== host || !isRecord(data) || data['jsonrpc'] !== '2.0') return;
    const { id, method, params, result, error } = data;
    if (typeof method === 'string' && id !== undefined)
      return send(
        answered.includes(method)
          ? { id, result: {} }
          : { id, error: { code: methodNotFound, message: 'This view has no such method.' } },
      );
    if (typeof method === 'string') {
      const notice = Object.hasOwn(notices, method) ? notices[method] : undefined;
      notice?.(isRecord(params) ? params : {});
      return undefined;
    }
    const request = waiting.get(Number(id));
    waiting.delete(Number(id));
    if (error === undefined && isRecord(result)) request?.done(result);
    else request?.failed(new Error('The host refused.'));
    return undefined;
  });

  const begin = async (): Promise<void> => {
    const appInfo = { name: `infra-mcp ${name}`, version: '1' };
    const { hostContext } = await ask('ui/initialize', { appInfo, appCapabilities: {}, protocolVersion });
    if (isRecord(hostContext)) events.context(hostContext);
    send({ method: 'ui/notifications/initialized', params: {} });
    events.begun();
  };
  // Without a host there is nothing to show, and nobody to tell.
  begin().catch(() => undefined);

  return {
    callTool: (tool, args) => ask('tools/call', { name: tool, arguments: args }),
    writeMessage: async (text) => {
      const { isError } = await ask('ui/message', { role: 'user', content: [{ type: 'text', text }] });
      if (isError === true) throw new Error('The host refused.');
    },
    tellHeight: (height) => send({ method: 'ui/notifications/size-changed', params: { height } }),
  };
}
