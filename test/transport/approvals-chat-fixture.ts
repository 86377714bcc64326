import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type ChatChannel,
  createApprovalChat,
  openChannel,
  readChatSettings,
} from '../../src/server/guard/approvals/chat/index.ts';
import { createApprovals, type Approval } from '../../src/server/guard/approvals/approvals.ts';
import { createApprovalQueue } from '../../src/server/guard/index.ts';
import { memoryLog } from '../support/call-context.ts';
import { namedRequest, openNamedApprovals } from '../server/guard/approvals/named-operators-fixture.ts';
import { secretOf } from '../support/operators-file.ts';
import { closeTestServers, startTestServer } from './test-server.ts';

type Operators = Awaited<ReturnType<typeof openNamedApprovals>>;

const quick = { pauses: [5, 10], timeout: 5_000, grace: 200 };

const channels: ChatChannel[] = [];

/** Closes the channels and servers that a test opened. */
export async function closeChats(): Promise<void> {
  await closeTestServers();
  for (const channel of channels.splice(0)) await channel.close();
}

/** The code of a call that waits. */
export const codeOf = (asked: Approval): string => {
  if (asked.kind !== 'pending') throw new Error(asked.kind);
  return asked.code;
};

/**
 * A server with a chat.
 * @param files in the folder of the operators; the one of the chat is `chat.yaml`
 */
export async function openChat(
  here: Operators,
  files: Readonly<Record<string, string>>,
  {
    time = Date.now,
    record = async () => undefined,
    page,
  }: { time?: () => number; record?: () => Promise<void>; page?: string } = {},
) {
  for (const [name, text] of Object.entries(files)) await writeFile(join(here.folder.path, name), text);
  const [log, clock] = [memoryLog(), { now: time }];
  let endpoint: string | undefined;
  const channel = openChannel(await readChatSettings(join(here.folder.path, 'chat.yaml')), {
    page: () => page,
    endpoint: () => endpoint,
    keys: here.keys,
    log,
    times: quick,
  });
  channels.push(channel);
  const queueWith = (how: 'chat' | 'page') =>
    createApprovalQueue(here, {
      how,
      record: async (decision) => {
        await record();
        here.decisions.push(decision);
      },
      decided: channel.edit,
    });
  const chat = createApprovalChat({
    channel,
    queue: queueWith('chat'),
    approvals: here,
    operators: here.path,
    clock,
    log,
  });
  const { url } = await startTestServer({ approvalsChat: chat.receive, clock });
  endpoint = new URL('/approvals/chat', url).href;
  const [approvals, onPage] = [createApprovals(here, channel.post), queueWith('page')];
  return {
    log,
    endpoint,
    ask: (more: Parameters<typeof namedRequest>[0] = {}): Promise<Approval> =>
      approvals.ask(namedRequest(more), time()),
    /** Decides on the page of the server. */
    decideOnPage: async (name: string, code: string, verdict: 'approved_on_page' | 'refused') => {
      const unlocked = await onPage.unlock(secretOf(name), 'test', time(), name);
      if (unlocked.kind !== 'unlocked') throw new Error(unlocked.kind);
      return onPage.decide(code, verdict, unlocked, time());
    },
  };
}
