import type { Client } from '../../client/client.ts';
import { ApiError } from '../../client/errors.ts';
import type { Config } from '../config/read-config.ts';
import { createAddresses } from '../../server/resolve/addresses.ts';
import type { Pin } from '../../server/guard/pin.ts';
import { createPlaces } from '../../server/guard/pinned-place.ts';
import { pinOf } from '../wiring/policy.ts';
import { clientNow, patience } from './client-now.ts';
import { type Finding, finder } from './finding.ts';
import { CallFailure } from '../../server/failure/failure.ts';
import { createReader } from '../../server/context/reader.ts';

const pin = finder('pin');

const places = ({ project, environment }: Pin): string => [project && `the project "${project.name}"`, environment && `the environment "${environment.name}"`].filter(Boolean).join(' and ');

/** What became of looking for the place. */
async function lookedFor(client: Client, kept: Pin): Promise<Finding> {
  const deadline = Date.now() + patience;
  const reader = createReader((operation, input) => client.call(operation, input, { attempts: 1, deadline }));
  try {
    await createPlaces(kept, createAddresses()).of({ principal: 'doctor', reader, now: Date.now });
    return pin.good(`${places(kept)} is there`);
  } catch (error) {
    if (error instanceof CallFailure && error.failure.kind === 'not_possible') return pin.bad(error.failure.what, 'Every call would be refused: correct it, or leave it out.');
    if (error instanceof ApiError) return pin.skipped(`${places(kept)} could not be looked for: ${error.reason}`);
    throw error;
  }
}

/** Whether what the options keep every call to is there; nothing where they keep calls to no place. */
export async function pinFindings(config: Config): Promise<Finding[]> {
  const kept = pinOf(config);
  if (!kept) return [];
  // What is wrong with the platform's address or token, the platform's own finding says.
  const client = await clientNow(config).catch(() => undefined);
  if (!client) return [pin.note(`whether ${places(kept)} is there can't be told before a platform serves`, 'Look again once it does, or make a call.')];
  try {
    return [await lookedFor(client, kept)];
  } finally {
    await client.close();
  }
}
