import type { Frame, Page } from 'playwright-core';

export type JsonRecord = Readonly<Record<string, unknown>>;

/** The result of a tool, as a host gets it. */
export interface ToolResult {
  readonly content?: readonly JsonRecord[];
  readonly structuredContent?: JsonRecord;
  readonly _meta?: JsonRecord;
  readonly isError?: boolean;
}

/** A message between a view and its host. */
export interface ViewMessage {
  readonly method?: string;
  readonly params?: JsonRecord;
}

/** What a host shows a view with. */
export interface Shown {
  /** The page of the view. */
  readonly html: string;
  readonly tool: string;
  readonly args: JsonRecord;
  readonly result: ToolResult;
  /** Answers the calls that the view makes. Default: each with the result that is shown. */
  readonly answer?: (tool: string, args: JsonRecord) => Promise<ToolResult>;
  /** More of what the host tells of itself. */
  readonly context?: JsonRecord;
  /** How the host takes messages for the assistant. Default: it takes them. */
  readonly refusesMessages?: boolean;
}

/** The side of the host, as its page has it. It keeps what the view said. */
const script = `(({ html, tool, args, result, context, refusesMessages }) => {
  const frame = document.querySelector('iframe');
  const send = (message) => frame.contentWindow.postMessage({ jsonrpc: '2.0', ...message }, '*');
  window.said = [];
  window.send = send;
  window.addEventListener('message', async ({ source, data }) => {
    if (source !== frame.contentWindow) return;
    window.said.push(data);
    const { id, method, params } = data;
    if (method === 'ui/initialize')
      send({ id, result: { protocolVersion: '2026-01-26', hostInfo: { name: 'test', version: '1' }, hostCapabilities: { serverTools: {}, message: { text: {} } }, hostContext: { toolInfo: { tool: { name: tool, inputSchema: { type: 'object' } } }, ...context } } });
    if (method === 'ui/notifications/initialized') {
      send({ method: 'ui/notifications/tool-input', params: { arguments: args } });
      send({ method: 'ui/notifications/tool-result', params: result });
    }
    if (method === 'ui/notifications/size-changed') frame.style.height = params.height + 'px';
    if (method === 'tools/call') send({ id, result: await window.answerCall(params.name, params.arguments) });
    if (method === 'ui/message') send(refusesMessages ? { id, error: { code: -32000, message: 'no' } } : { id, result: {} });
  });
  frame.srcdoc = html;
})`;

/** A view in its host. */
export interface ShownView {
  /** The frame of the view, which has no rights but to run its script. */
  readonly frame: Frame;
  /** What the view said to its host so far. */
  readonly said: () => Promise<readonly ViewMessage[]>;
  /** Sends the view something. */
  readonly send: (message: JsonRecord) => Promise<void>;
}

/**
 * Shows a view as a host does: in a frame of another origin that may only run scripts, as high as the view says.
 * @returns when the view shows the result
 */
export async function showView(tab: Page, { answer, ...shown }: Shown): Promise<ShownView> {
  await tab.exposeFunction('answerCall', answer ?? (async () => shown.result));
  await tab.setContent(
    `<!doctype html><html lang="en" style="color-scheme: light dark"><title>A host</title><body style="margin: 0"><iframe title="The view" sandbox="allow-scripts" style="display: block; border: 0; width: 100%; height: 100px"></iframe></body></html>`,
  );
  await tab.evaluate(`${script}(${JSON.stringify(shown)})`);
  const element = await tab.waitForSelector('iframe');
  const frame = (await element.contentFrame())!;
  await frame.waitForSelector('main:not(:has-text("Waiting for the result"))');
  return {
    frame,
    said: () => tab.evaluate<readonly ViewMessage[]>('window.said'),
    send: (message) => tab.evaluate(`window.send(${JSON.stringify(message)})`),
  };
}
