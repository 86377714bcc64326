/** Approvals in a chat. Loaded only where one is configured. */

export type { ChatChannel } from './channel.ts';
export { createApprovalChat, type ApprovalChat } from './chat.ts';
export { readChatSettings, type ChatSettings } from './load.ts';
export { openChannel } from './open-channel.ts';
