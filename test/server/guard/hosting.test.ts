import { describe, expect, test } from 'vitest';
import { ApiError } from '../../../src/client/index.ts';
import { hostedModeOf } from '../../../src/server/guard/risk/hosted-environments.ts';
import { fakeReader, type Answers } from './fake-reader.ts';

const projects = (count: number) => ({ results: Array.from({ length: count }, (_, index) => ({ id: `p${index}` })) });
const hosting =
  (project: string, mode: unknown = 'PRODUCTION', cluster_id: string | undefined = 'c') =>
  (input: Record<string, unknown>) => ({
    results: input['project_id'] === project ? [{ id: 'e', mode, cluster_id }] : [],
  });

/** What is found, and in how many reads. */
async function found(answers: Answers, isOver = (): boolean => false): Promise<[string, number]> {
  let reads = 0;
  const reader = fakeReader({ get_organization: { id: 'o' }, ...answers }, () => {
    reads += 1;
  });
  return [await hostedModeOf('c', reader, { isOver }), reads];
}

const down = (): object => {
  throw new ApiError('list_environments', {
    kind: 'server_error',
    reason: 'the platform failed',
    next: '',
    status: 500,
  });
};

describe('what a cluster hosts', () => {
  test.each<[string, string, Answers]>([
    ['PRODUCTION', 'an environment of production', { list_projects: projects(3), list_environments: hosting('p2') }],
    [
      'none',
      'one on another cluster',
      { list_projects: projects(3), list_environments: hosting('p2', 'PRODUCTION', 'other') },
    ],
    ['none', 'one of staging', { list_projects: projects(3), list_environments: hosting('p2', 'STAGING') }],
    ['none', 'no projects at all', { list_projects: projects(0) }],
    [
      'unknown',
      'one of a mode that nobody knows',
      { list_projects: projects(3), list_environments: hosting('p2', 'SANDBOX') },
    ],
    [
      'unknown',
      'one that does not say its cluster',
      { list_projects: projects(3), list_environments: () => ({ results: [{ id: 'e', mode: 'PRODUCTION' }] }) },
    ],
    ['unknown', 'projects that are not shown', { list_environments: hosting('p2') }],
    ['unknown', 'environments that are not shown', { list_projects: projects(3) }],
    [
      'unknown',
      'a part of the projects',
      { list_projects: { ...projects(1), pagination: { total_count: 2 } }, list_environments: hosting('none') },
    ],
  ])('is %s where it shows %s', async (expected, _, answers) => {
    expect((await found(answers))[0]).toBe(expected);
  });

  const many = { list_projects: projects(6), list_environments: hosting('p0') };
  const known = { id: 'e', name: 'one', project: { id: 'p0' }, cluster_id: 'c', mode: 'STAGING' };

  test.each([
    ['PRODUCTION', { ...known, mode: 'PRODUCTION' }],
    ['none', known],
    ['none', { ...known, mode: 'PRODUCTION', cluster_id: 'other' }],
  ])('is %s by the list of all environments, where there are many projects', async (mode, row) => {
    expect(await found({ ...many, list_environments_of_organization: { results: [row] } })).toEqual([mode, 3]);
  });

  // Each of these has a part only, or may have: the list of the project shows one of production.
  test.each<[string, Answers['list_projects']]>([
    ['a row without a cluster', { results: [known, { ...known, cluster_id: undefined }] }],
    ['a row of a mode that nobody knows', { results: [known, { ...known, mode: 'SANDBOX' }] }],
    ['a row without a mode', { results: [known, { ...known, mode: undefined }] }],
    ['a row without a project', { results: [known, { ...known, project: undefined }] }],
    ['a row without an id', { results: [known, { ...known, id: undefined }] }],
    ['fewer rows than there are', { results: [known], pagination: { total_count: 2 } }],
    ['another page', { results: [known], pagination: { page: 1, page_size: 1, total_pages: 2 } }],
    ['no rows', {}],
    ['a failure', down],
  ])('is asked of the projects where the list of all environments has %s', async (_, list) => {
    expect((await found({ ...many, list_environments_of_organization: list }))[0]).toBe('PRODUCTION');
  });

  test('is unknown after a bounded number of reads, and found where it is among those', async () => {
    const [mode, reads] = await found({ list_projects: projects(10_000), list_environments: hosting('p9999') });
    expect([mode, reads <= 25]).toEqual(['unknown', true]);
    expect((await found({ list_projects: projects(10_000), list_environments: hosting('p3') }))[0]).toBe('PRODUCTION');
  });

  test('is looked for no further once production is found', async () => {
    const [, reads] = await found({ list_projects: projects(20), list_environments: hosting('p0') });
    expect(reads).toBeLessThan(10);
  });

  test('is unknown when it takes too long', async () => {
    let asked = 0;
    const isOver = (): boolean => (asked += 1) > 2;
    const [slow, reads] = await found({ list_projects: projects(20), list_environments: hosting('p19') }, isOver);
    // The organization, the projects, the list of all environments, and the environments of ten projects.
    expect([slow, reads]).toEqual(['unknown', 13]);
  });

  test('fails as the platform fails, rather than pass for unknown', async () => {
    await expect(found({ list_projects: projects(1), list_environments: down })).rejects.toThrow('the platform failed');
  });
});
