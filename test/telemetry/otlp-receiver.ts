import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A value of OTLP: one member, named after its type. */
type OtlpValue = Readonly<Record<string, string | number | boolean>>;

interface OtlpAttribute {
  readonly key: string;
  readonly value: OtlpValue;
}

/** A span as it arrives in OTLP JSON. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  /** 2: server, 3: client. */
  readonly kind: number;
  readonly attributes: readonly OtlpAttribute[];
  readonly events: readonly { readonly name: string }[];
  /** 2: error. */
  readonly status: { readonly code: number };
}

interface OtlpRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly OtlpAttribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly ReceivedSpan[] }[];
  }[];
}

/** Attributes by key. */
export const attributesOf = (attributes: readonly OtlpAttribute[]): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

/** Starts a receiver of traces by OTLP over HTTP. @param status of its answers; it never answers with `silent`. */
export async function startOtlpReceiver(status: number | 'silent' = 200) {
  const requests: { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: Buffer }[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    requests.push({ path: request.url!, headers: request.headers, body: await buffer(request) });
    if (status !== 'silent') response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
  };
  const server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const parsed = (): OtlpRequest[] => requests.map(({ body }) => JSON.parse(body.toString()) as OtlpRequest);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    /** Every span that was received as JSON. */
    spans: () =>
      parsed().flatMap(({ resourceSpans }) =>
        resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
      ),
    /** The attributes of the resource in the first request. */
    resource: () => attributesOf(parsed()[0]!.resourceSpans[0]!.resource.attributes),
    close: async (): Promise<void> => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
