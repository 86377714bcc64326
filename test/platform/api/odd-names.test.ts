import { afterAll, beforeAll, expect, test } from 'vitest';
import { seedId } from '../../../src/platform/seed/index.ts';
import { type Json, type TestPlatform, rowsOf, startTestPlatform } from '../../support/test-platform.ts';

const container = { container_id: seedId('service/pricing/staging/pricing-engine') };

let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform({ scenarios: ['bad-image-tag'] });
});
afterAll(() => platform.close());

/** Deploys another image, and gives the state that this ends with. */
async function endOf(members: Json): Promise<unknown> {
  await platform.must('update_container', {
    ...(await platform.must('get_container', container)),
    ...container,
    ...members,
  });
  const { deployment_request_id: id } = await platform.must('deploy_container', container);
  const newest = async () => rowsOf(await platform.must('list_container_deployments', container))[0]!;
  await expect.poll(async () => (await newest())['status'], { interval: 10 }).toMatch(/^(DEPLOYED|\w+_ERROR)$/);
  expect(JSON.stringify(await newest())).toContain(String(id));
  return (await newest())['status'];
}

// Names that every record seems to have. Of the image some tags are known, these are not among them.
test.each(['constructor', 'toString'])('the tag %s is none of a known image', async (tag) => {
  expect(await endOf({ tag })).toBe('DEPLOYMENT_ERROR');
});
