import type { Config } from '../config/index.ts';
import type { ServerLogger } from '../../server/context/index.ts';
import {
  createApprovalQueue,
  type ApprovalChat,
  type ChatChannel,
  type ChatSettings,
} from '../../server/guard/index.ts';
import type { RecordDecision } from '../../server/audit/index.ts';
import { approvalsConfigOf, keysFor } from './guard.ts';
import type { SharedGuard } from './shared-guard.ts';

/** The channel of the chat, and what takes its decisions once the guard is open. */
export interface OpenChat {
  readonly channel: ChatChannel;
  readonly decisions: (record: RecordDecision, shared: SharedGuard | undefined) => ApprovalChat;
}

/** What speaks to chats is loaded only where there is one. */
const loadChats = () => import('../../server/guard/approvals/chat/index.ts');

/** Reads the file of a chat. @throws Error that says what is wrong, without a secret. */
export const chatSettingsOf = async (path: string): Promise<ChatSettings> => (await loadChats()).readChatSettings(path);

/**
 * Opens the configured chat, if there is one.
 * @param addresses of the approvals page and of the chat's endpoint, once this process serves them.
 * @throws Error if its file can't be used. It shows no secret.
 */
export async function openApprovalsChat(
  config: Config,
  log: ServerLogger,
  addresses: { readonly page: () => string | undefined; readonly endpoint: () => string | undefined },
): Promise<OpenChat | undefined> {
  const { approvalsChat: path, approvalsOperators: operators } = config;
  if (path === undefined || operators === undefined) return undefined;
  const { createApprovalChat, openChannel, readChatSettings } = await loadChats();
  const channel = openChannel(await readChatSettings(path), { ...addresses, keys: keysFor(config), log });
  return {
    channel,
    decisions: (record, shared) => {
      const approvals = approvalsConfigOf(config, undefined, shared);
      const queue = createApprovalQueue(approvals, { how: 'chat', record, decided: channel.edit });
      return createApprovalChat({ channel, queue, approvals, operators, clock: { now: Date.now }, log });
    },
  };
}
