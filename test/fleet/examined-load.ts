import { organizationId } from '../../src/platform/seed/index.ts';
import { startReceiver } from '../support/webhook-receiver.ts';
import {
  deliveryOf,
  expectAllThere,
  expectCarriedOutOnce,
  expectDelivered,
  prepareExamination,
  untilAllEnded,
} from './expectations.ts';
import { failInTurn, type Fault } from './faults.ts';
import { askForDeployments, createEnvironments, type LoadOptions, type LoadRecord } from './load.ts';
import { mustCall } from './platform-calls.ts';
import type { Fleet } from './platform-fleet.ts';

/** A load, and what fails under it. */
export interface ExaminedLoad extends Omit<LoadOptions, 'onProgress'> {
  readonly environments: number;
  /** In their order, spread over the load. */
  readonly faults: readonly Fault[];
}

/** How often the receiver of webhooks fails: one of so many requests. */
const rejectedOf = 10;

/** How often it fails for one delivery at most: attempts follow each other at once here, and after six it is given up. */
const mostRejections = 3;

/** Starts a receiver of webhooks that fails now and then, and notes which deliveries it accepted. */
async function startFailingReceiver() {
  const rejections = new Map<string, number>();
  const accepted = new Set<string>();
  const receiver = await startReceiver((response, index) => {
    const id = deliveryOf(receiver.received[index]!);
    const earlier = rejections.get(id) ?? 0;
    const isRejected = index % rejectedOf === 0 && earlier < mostRejections;
    if (isRejected) rejections.set(id, earlier + 1);
    else accepted.add(id);
    response.writeHead(isRejected ? 500 : 204).end();
  });
  return { ...receiver, accepted };
}

/**
 * Asks platforms for deployments while parts of them fail, and expects that nothing is lost, stuck or carried out
 * twice, and that a webhook is told of everything, by a receiver that fails now and then.
 * @returns what was asked for, and the faults that were made
 */
export async function examineLoad(
  fleet: Fleet,
  { environments: count, faults, ...options }: ExaminedLoad,
): Promise<{ readonly record: LoadRecord; readonly made: readonly Fault[] }> {
  await prepareExamination(fleet);
  const receiver = await startFailingReceiver();
  const webhook = await mustCall(fleet.platforms[0]!.url, 'create_webhook', {
    organization_id: organizationId,
    target_url: receiver.url,
    events: ['DEPLOYMENT_STARTED', 'DEPLOYMENT_SUCCEEDED', 'DEPLOYMENT_FAILED'],
    enabled: true,
    kind: 'STANDARD',
  });
  const environments = await createEnvironments(fleet, count);

  let acknowledged = 0;
  const load = askForDeployments(fleet, environments, { ...options, onProgress: (made) => (acknowledged = made) });
  const made = await failInTurn(faults, () => acknowledged / options.deployments, load);
  const record = await load;
  await untilAllEnded(fleet);

  await expectAllThere(fleet, record);
  await expectCarriedOutOnce(fleet);
  await expectDelivered(fleet, webhook['id'] as string, receiver);
  return { record, made };
}
