import { type Config, pageLink } from '../config/index.ts';
import { readOperators } from '../../server/guard/index.ts';
import { type DoctorFinding, errorMessage, findingBuilder } from '../../platform/common/index.ts';
import { chatSettingsOf } from '../wiring/approvals-chat.ts';

const chat = findingBuilder('approvals chat');

/** Checks the chat in which calls are approved. No finding if none is configured. The chat itself isn't asked. */
export async function chatFindings(config: Config): Promise<DoctorFinding[]> {
  const { approvalsChat: path, approvalsOperators } = config;
  if (path === undefined || approvalsOperators === undefined) return [];
  const todo = `Correct it; ${pageLink('chat-ops')} describes it.`;
  try {
    const settings = await chatSettingsOf(path);
    const host = settings.kind === 'webhook' ? settings.target.host : settings.host;
    const people = (await readOperators(approvalsOperators)).filter(({ chat: ids }) => ids.length > 0);
    const where = `${path}: ${settings.kind} at ${host}, which was not asked`;
    return people.length > 0
      ? [chat.good(`${where}; ${people.map(({ name }) => name).join(', ')} can decide there`)]
      : [chat.bad(`${where}; no operator has an id in it, so nobody can decide there`, todo)];
  } catch (error) {
    return [chat.bad(errorMessage(error), todo)];
  }
}
