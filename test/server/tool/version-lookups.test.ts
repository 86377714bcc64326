import { expect, test } from 'vitest';
import { chartLookup } from '../../../src/server/tool/preview/version-lookups.ts';
import { fakeReader } from '../guard/fake-reader.ts';

const listed = { chart_name: 'redis', versions: ['2.0.0', '1.0.0'] };

/** What a plan says of a version that no list below has. */
const planned = async (charts: object): Promise<unknown> => {
  const reader = fakeReader({ get_organization: { id: 'the organization' }, list_helm_charts: charts });
  const asked = { repository: 'a repository', chart: 'redis', version: '9.0.0' };
  const [line] = await chartLookup(asked, reader);
  return typeof line === 'object' && 'warning' in line ? line.warning : line;
};

test('a version counts as not found only where all versions of its chart are listed', async () => {
  const missing = { code: 'CHART_VERSION_NOT_FOUND', chart: 'redis', version: '9.0.0' };
  expect(await planned({ results: [listed] })).toEqual({ ...missing, newest: '2.0.0' });
  expect(await planned({ results: [] })).toEqual(missing);
  for (const unknown of [
    { results: [{ chart_name: 'redis' }] },
    { results: [{ ...listed, versions: [] }] },
    { results: [listed], pagination: { page: 1, page_size: 1, total_pages: 2 } },
  ])
    expect(await planned(unknown)).toEqual({ text: expect.stringMatching(/^Not looked up/) as string, agreed: '' });
});
