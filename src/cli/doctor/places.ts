import { ApiError } from '../../client/errors.ts';
import type { Config } from '../config/read-config.ts';
import { missingPlaces } from '../wiring/missing-places.ts';
import { placesIn, placeText } from '../wiring/policy-places.ts';
import { policyOf } from '../wiring/policy.ts';
import { clientNow } from './client-now.ts';
import { type Finding, finder } from './finding.ts';

const places = finder('policy places');

const correct = 'Correct it, unless it is yet to be made: until then the rule holds for nothing.';

/** Whether the projects and environments are there that rules of the policy are about; nothing where there are no such rules. */
export async function placeFindings(config: Config): Promise<Finding[]> {
  // What is wrong with the policy, the platform's address or its token, their own findings say.
  const named = placesIn(await policyOf(config).catch(() => ({ readOnly: false })));
  if (named.length === 0) return [];
  const client = await clientNow(config).catch(() => undefined);
  if (!client) return [places.note(`whether ${named.map(placeText).join(' and ')} is there can't be told before a platform serves`, 'Look again once it does.')];
  try {
    const missing = await missingPlaces(named, client);
    if (missing.length === 0) return [places.good(`${named.map(placeText).join(', ')}: there`)];
    return missing.map((one) => places.note(`${placeText(one)} could not be found`, correct));
  } catch (error) {
    if (error instanceof ApiError) return [places.skipped(`what the policy names could not be looked for: ${error.reason}`)];
    throw error;
  } finally {
    await client.close();
  }
}
