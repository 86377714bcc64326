import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A message as people of the chat see it. */
export interface ShownMessage {
  readonly id: string;
  /** Everything that is read as the chat's markup. */
  readonly markup: string;
  /** Everything that is shown as it is. */
  readonly literal: string;
  /** What its buttons decide. */
  readonly buttons: readonly string[];
  /** What is written on them. */
  readonly buttonNames: readonly string[];
}

/** A form that the chat shows to somebody. */
export interface ShownForm {
  readonly id: string;
  /** All of it, as the chat got it. */
  readonly text: string;
  /** What it is called, and what is written at its field and on its button. */
  readonly title: string;
  readonly label: string;
  readonly submit: string;
}

/** What somebody sees after pressing a button. */
export interface Pressed {
  readonly status: number;
  readonly form?: ShownForm | undefined;
}

/** What somebody sees after sending a form. */
export interface Submitted {
  readonly status: number;
  /** What the form says is wrong; undefined if it closed. */
  readonly error?: string | undefined;
}

/** A chat on loopback that does what one does: it keeps messages, and tells the server what people do. */
export interface FakeChat {
  readonly kind: string;
  /** The files of a server that uses it, the one of the chat first. */
  readonly files: Readonly<Record<string, string>>;
  /** Where the server takes decisions. */
  connect: (endpoint: string) => void;
  readonly channel: string;
  readonly shown: () => ShownMessage[];
  /** What was told to one person alone. */
  readonly whispers: { readonly user: string; readonly text: string }[];
  /** Presses a button of a message, the last one if not said otherwise. */
  readonly press: (user: string, verdict: 'approve' | 'refuse', message?: string) => Promise<Pressed>;
  readonly submit: (user: string, form: ShownForm, value: string) => Promise<Submitted>;
  /** Sends the last request to the server again, as it was. */
  readonly again: () => Promise<{ readonly status: number; readonly told: string }>;
  /** Deletes a message. */
  readonly remove: (message: string) => void;
  /** What the next requests are answered instead, by status; then it works again. */
  readonly failing: number[];
  /** Whether it refuses to open forms. */
  opensNoForms: boolean;
  readonly close: () => Promise<void>;
}

/** What a chat's API does with a request. @param part what stands for `*` in its path */
type ChatMethod = (body: Record<string, unknown>, part: string) => { readonly status: number; readonly answer: object };

/** Serves an API on loopback. @param methods by method of HTTP and path, in which `*` stands for one part */
export async function serveApi(
  methods: Readonly<Record<string, ChatMethod>>,
  { failing, accepts }: { readonly failing: number[]; readonly accepts: (headers: IncomingHttpHeaders) => boolean },
) {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const text = Buffer.concat(await request.toArray()).toString();
    const status = failing.shift();
    const send = (code: number, body: object): void =>
      void response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (status !== undefined) return send(status, {});
    if (!accepts(request.headers)) return send(401, {});
    for (const [name, run] of Object.entries(methods)) {
      const found = new RegExp(`^${name.replaceAll('.', '\\.').replace('*', '([^/]+)')}$`).exec(
        `${request.method} ${request.url}`,
      );
      if (!found) continue;
      const { status: code, answer: said } = run(JSON.parse(text) as Record<string, unknown>, found[1] ?? '');
      return send(code, said);
    }
    return send(404, {});
  };
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
