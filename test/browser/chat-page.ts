import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FakeChat, ShownForm } from '../support/chats/fake-chat.ts';

/** Draws what the chat shows, and sends what a person does. All text is text, but for links of the chat's own markup. */
const script = `
const user = new URLSearchParams(location.search).get('as');
const make = (tag, parts, more = {}) => {
  const made = Object.assign(document.createElement(tag), more);
  made.append(...parts);
  return made;
};
const send = async (path, body) =>
  (await fetch(path, { method: 'POST', body: JSON.stringify({ user, ...body }) })).json();
const link = /\\[([^\\]]*)\\]\\((https?:[^)\\s]+)\\)|<(https?:[^|>\\s]+)\\|([^>]*)>/g;
const withLinks = (text) => {
  const parts = [];
  let end = 0;
  for (const found of text.matchAll(link)) {
    const [whole, name, address, slackAddress, slackName] = found;
    parts.push(text.slice(end, found.index));
    parts.push(make('a', [name ?? slackName], { href: address ?? slackAddress, target: '_blank' }));
    end = found.index + whole.length;
  }
  return [...parts, text.slice(end)];
};
const showForm = (form) => {
  const [field, error] = [make('input', [], { name: 'value' }), make('p', [], { role: 'alert' })];
  const shown = make('form', [
    make('h2', [form.title]),
    make('label', [form.label + ' ', field]),
    make('button', [form.submit]),
    error,
  ]);
  shown.onsubmit = async (event) => {
    event.preventDefault();
    const said = await send('/submit', { form, value: field.value });
    if (said.error === undefined) shown.remove();
    else error.textContent = said.error;
  };
  document.querySelector('#form').replaceChildren(shown);
};
const press = async (message, verdict) => {
  const { form } = await send('/press', { message, verdict });
  if (form !== undefined) showForm(form);
};
const draw = ({ messages, whispers }) => {
  document.querySelector('#messages').replaceChildren(
    ...messages.map(({ id, markup, literal, buttons, buttonNames }) =>
      make('article', [
        make('div', withLinks(markup)),
        make('pre', [literal]),
        ...buttons.map((verdict, index) =>
          make('button', [buttonNames[index]], { onclick: () => press(id, verdict) })),
      ])),
  );
  document.querySelector('#whispers').replaceChildren(
    ...whispers.filter((one) => one.user === user).map(({ text }) => make('li', [text])),
  );
};
let drawn;
const look = async () => {
  const state = await (await fetch('/state')).text();
  if (state !== drawn) draw(JSON.parse(state));
  drawn = state;
  setTimeout(look, 50);
};
look();
`;

const page = `<!doctype html><html lang="en"><title>A chat</title><main id="messages"></main><section id="form"></section><ul id="whispers"></ul><script>${script}</script></html>`;

interface Sent {
  readonly user: string;
  readonly message: string;
  readonly verdict: 'approve' | 'refuse';
  readonly form: ShownForm;
  readonly value: string;
}

const sentIn = async (request: IncomingMessage): Promise<Sent> =>
  JSON.parse(Buffer.concat(await request.toArray()).toString()) as Sent;

/** A page in which people see the messages of a chat, and press their buttons. */
export interface ChatPage extends AsyncDisposable {
  /** Its address for one person of the chat. */
  readonly addressFor: (user: string) => string;
}

/** Serves a chat as a page on loopback. */
export async function openChatPage(chat: FakeChat): Promise<ChatPage> {
  const answers: Readonly<Record<string, (request: IncomingMessage) => unknown>> = {
    '/state': () => ({ messages: chat.shown(), whispers: chat.whispers }),
    '/press': async (request) => {
      const { user, message, verdict } = await sentIn(request);
      return chat.press(user, verdict, message);
    },
    '/submit': async (request) => {
      const { user, form, value } = await sentIn(request);
      return chat.submit(user, form, value);
    },
  };
  const server = createServer((request, response) => {
    const answer = answers[request.url ?? ''];
    if (answer) void Promise.resolve(answer(request)).then((said) => response.end(JSON.stringify(said)));
    else response.setHeader('content-type', 'text/html').end(page);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    addressFor: (user) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/?as=${user}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
