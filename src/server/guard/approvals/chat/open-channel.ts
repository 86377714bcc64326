import type { KeyProvider, ServerLogger } from '../../../context/index.ts';
import type { WebhookTimes } from '../deliveries.ts';
import type { ChatChannel } from './channel.ts';
import type { ChatSettings } from './load.ts';
import { mattermostChannel } from './mattermost.ts';
import { signedWebhook } from './signed-webhook.ts';
import { slackChannel } from './slack.ts';

export interface ChannelConfig {
  /** Address of the approvals page, if this process serves it. */
  readonly page: () => string | undefined;
  /** The URL of the endpoint that takes decisions, once this process serves it. */
  readonly endpoint: () => string | undefined;
  readonly keys: KeyProvider;
  readonly log: ServerLogger;
  readonly times?: WebhookTimes | undefined;
}

/** Opens the channel of a chat of any kind. */
export function openChannel(settings: ChatSettings, { page, endpoint, keys, log, times }: ChannelConfig): ChatChannel {
  const common = { page, log, times };
  if (settings.kind === 'webhook') return signedWebhook({ target: settings.target, key: settings.key, ...common });
  if (settings.kind === 'slack') return slackChannel(settings, { ...common, host: settings.host });
  return mattermostChannel(settings, { ...common, host: settings.host, keys, endpoint });
}
