import { ApiError, type Client } from '../../client/index.ts';
import { redeployOf, type AnyOperation } from '../../contract/index.ts';
import { connected, send, type Request, type Sender } from './call.ts';

/** Names of the deployments that each platform refused without a version, and then carried out as a redeployment. */
const versionRequired = new WeakMap<Client, Set<string>>();

// The platform answered, and found the request itself wrong: it did nothing.
const refusals: readonly (number | undefined)[] = [400, 411, 415, 422];

const isRefused = (error: unknown): boolean => error instanceof ApiError && refusals.includes(error.status);

/** A request that was carried out, and the platform's answer. */
interface SentRequest<Planned> {
  readonly planned: Planned;
  readonly answer: unknown;
}

/**
 * Sends a planned operation. A deployment that names no version is sent as such first; where the platform refuses that, and
 * from then on, its redeployment takes its place.
 * @throws what `send` throws: of the deployment, if the redeployment is refused too or isn't offered.
 */
export async function sendOrRedeploy<Planned extends Request>(planned: Planned, call: Sender, onFlaw?: (operation: AnyOperation, flaw: ApiError) => void): Promise<SentRequest<Planned>> {
  const operation = redeployOf(planned.operation, planned.input);
  const sendOne = (request: Planned): Promise<unknown> => send(request, call, (flaw) => onFlaw?.(request.operation, flaw));
  if (!operation) return { planned, answer: await sendOne(planned) };
  const again = { ...planned, operation };
  const client = await connected(call);
  const known = versionRequired.get(client) ?? new Set();
  if (known.has(planned.operation.name)) return { planned: again, answer: await sendOne(again) };
  try {
    return { planned, answer: await sendOne(planned) };
  } catch (refusal) {
    if (!isRefused(refusal)) throw refusal;
    const answer = await sendOne(again).catch((error: unknown) => {
      throw isRefused(error) || (error instanceof ApiError && error.kind === 'not_offered') ? refusal : error;
    });
    versionRequired.set(client, known.add(planned.operation.name));
    return { planned: again, answer };
  }
}
