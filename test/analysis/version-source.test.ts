import { describe, expect, test } from 'vitest';
import { originIn, servingOf, versionSourceOf } from '../../src/analysis/index.ts';

const commit = 'c81f5a2d0e7b4936a15f8e2c0d9b7a6453e1f082';
const git = { url: 'https://git.acme.example/acme/web.git', branch: 'main', deployed_commit_id: commit };
const fromGit = { git: { url: git.url, branch: 'main', deployed: commit } };
const byCommit = { by: 'commit', branch: 'main', deployed: commit };

describe('what a service is made from', () => {
  test.each<[string, object, object, object]>([
    ['application', { git_repository: git }, fromGit, byCommit],
    ['terraform', { terraform_files_source: { git: { git_repository: git } } }, fromGit, byCommit],
    ['job', { source: { docker: { git_repository: git } } }, fromGit, byCommit],
    ['helm', { source: { git: { git_repository: git } } }, fromGit, byCommit],
    [
      'helm',
      { source: { repository: { chart_name: 'kafka', chart_version: '30.1.8', repository: { id: 'r' } } } },
      { chart: { name: 'kafka', version: '30.1.8', repositoryId: 'r' } },
      { by: 'chart', configured: '30.1.8' },
    ],
    [
      'container',
      { image_name: 'acme/web', tag: '2', registry_id: 'r' },
      { image: { name: 'acme/web', tag: '2', registryId: 'r' } },
      { by: 'tag', configured: '2' },
    ],
    [
      'job',
      { source: { image: { image_name: 'acme/web', tag: '2' } } },
      { image: { name: 'acme/web', tag: '2' } },
      { by: 'tag', configured: '2' },
    ],
    ['database', { version: '16' }, {}, { by: 'none' }],
  ])('%s %j', (kind, configuration, origin, source) => {
    expect(originIn(configuration)).toEqual(origin);
    expect(versionSourceOf(kind, configuration)).toEqual(source);
  });

  test.each([undefined, null, 'text', { tag: 7, source: 'x', git_repository: [] }, { tag: '', image_name: null }])(
    'nothing, if its configuration is %j',
    (configuration) => {
      expect(originIn(configuration)).toEqual({});
      expect(versionSourceOf('helm', configuration)).toBeUndefined();
    },
  );
});

test('what serves of a chart from Git is told by its commit', () => {
  const status = { state: 'DEPLOYED', service_deployment_status: 'UP_TO_DATE' };
  expect(
    servingOf({ kind: 'helm', status, configuration: { source: { git: { git_repository: git } } } }),
  ).toMatchObject({ is: 'serving', version: commit.slice(0, 7) });
});

test('how many instances serve is what runs where the platform tells it, not what the next deployment will make of a changed configuration', () => {
  const status = { state: 'DEPLOYED', service_deployment_status: 'UP_TO_DATE' };
  const serves = (instances: number | undefined, configured: number) =>
    servingOf({
      kind: 'container',
      configuration: { tag: '2', min_running_instances: configured, max_running_instances: configured },
      status: { ...status, ...(instances !== undefined && { running: { instances, restarts: 0, warnings: [] } }) },
    });
  expect(serves(1, 2)).toMatchObject({ is: 'serving', instances: '1' });
  expect(serves(2, 0)).toMatchObject({ is: 'serving', instances: '2' });
  expect(serves(undefined, 2)).toMatchObject({ is: 'serving', instances: '2' });
  expect(serves(undefined, 0)).toEqual({ is: 'nothing' });
});
