import { describe, expect, test } from 'vitest';
import { metaKeys } from '../../src/views/index.ts';
import { deploymentStory, foundLines, logArguments, subjectOf } from '../../src/views/page/mapping/deployment.ts';

const diagnosis = {
  structuredContent: {
    subject: 'importer',
    outcome: 'in_progress',
    cause: { code: 'wrong_port', sentence: 'The app listens on port 9200.', confidence: 'high', why: 'a line says so' },
    blocked: { cluster: 'batch', cluster_id: 'c', locked_by: 'Bo', reason: 'migration' },
    lines: ['never became ready ×9'],
    timeline: ['DEPLOYMENT failed (120 s)'],
    deployment: { id: 'd1', triggered_by: 'Cleo' },
    last_good: { id: 'd0', at: '2026-11-24T03:00:00Z' },
  },
  _meta: {
    [metaKeys.view]: {
      service: { kind: 'container', id: 's1' },
      timeline: [
        { at: '2026-11-24T03:24:16Z', what: 'deploy begun by Cleo' },
        { what: 'BUILD succeeded', seconds: 30, step: 'BUILD', status: 'SUCCESS' },
        { what: 'DEPLOYMENT failed', seconds: 120, step: 'DEPLOYMENT', status: 'ERROR' },
        { what: 'ended as DEPLOYMENT_ERROR', seconds: 600 },
      ],
      lines: [{ at: '2026-11-24T03:26:17Z', level: 'error', text: 'never became ready', count: 9, is_cause: true }],
    },
  },
};

describe('the story of a deployment', () => {
  test('has steps with their share of the longest, among what else happened', () => {
    expect(deploymentStory(diagnosis).moments).toEqual([
      { what: 'deploy begun by Cleo', at: '2026-11-24T03:24:16Z' },
      { what: 'BUILD', seconds: 30, status: 'SUCCESS', share: 0.25 },
      { what: 'DEPLOYMENT', seconds: 120, status: 'ERROR', share: 1 },
      { what: 'ended as DEPLOYMENT_ERROR', seconds: 600 },
    ]);
  });

  test('has its cause, its lines with levels, and the lock that prevents a fix', () => {
    const { subject, outcome, cause, lines, blocked, facts } = deploymentStory(diagnosis);
    expect([subject, outcome]).toEqual(['importer', 'in progress']);
    expect(cause).toEqual({ sentence: 'The app listens on port 9200.', confidence: 'high', why: 'a line says so' });
    expect(lines).toEqual([
      { text: 'never became ready', level: 'error', at: '2026-11-24T03:26:17Z', count: 9, isMarked: true },
    ]);
    expect(blocked).toEqual([
      ['cluster', 'batch'],
      ['locked by', 'Bo'],
      ['reason', 'migration'],
    ]);
    expect(facts).toEqual([
      ['triggered by', 'Cleo'],
      ['last good', '2026-11-24T03:00:00Z'],
    ]);
  });

  test('without what is for views has lines without levels', () => {
    const { lines, moments } = deploymentStory({ structuredContent: diagnosis.structuredContent });
    expect(lines).toEqual([{ text: 'never became ready ×9', level: '', isMarked: false }]);
    expect(moments).toEqual([]);
  });

  test('of a wait has the steps that it took, and the diagnosis if it failed', () => {
    const { cause, moments, addresses } = deploymentStory({
      structuredContent: {
        subject: 'shop/staging',
        outcome: 'failed',
        took: [
          { step_name: 'BUILD', status: 'SUCCESS', duration_sec: 12 },
          { step_name: 'DEPLOYMENT', status: 'ERROR' },
        ],
        diagnosis: diagnosis.structuredContent,
        public_addresses: 'https://api.example',
      },
    });
    expect(cause?.sentence).toBe('The app listens on port 9200.');
    expect(moments).toEqual([
      { what: 'BUILD', seconds: 12, status: 'SUCCESS', share: 1 },
      { what: 'DEPLOYMENT', status: 'ERROR' },
    ]);
    expect(addresses).toEqual(['https://api.example']);
  });
});

describe('a search of the log', () => {
  test('is of the diagnosed service and deployment, and of all lines unless something is asked', () => {
    const args = { environment: 'data/development' };
    expect(logArguments(diagnosis, args, { text: '', level: '' })).toEqual({
      service: 's1',
      deployment: 'd1',
      pattern: '.',
      limit: 100,
    });
    expect(logArguments(diagnosis, args, { text: 'ready', level: 'warn' })).toEqual({
      service: 's1',
      deployment: 'd1',
      text: 'ready',
      level: 'warn',
      limit: 100,
    });
  });

  test('is of what the call was about where the service is not told', () => {
    const asked = { environment_id: 'data/development', seconds: 20 };
    expect(subjectOf({}, asked)).toEqual({ environment_id: 'data/development' });
    expect(logArguments({ structuredContent: { deployment_id: 'd1' } }, asked, { text: '', level: 'error' })).toEqual({
      environment_id: 'data/development',
      level: 'error',
      limit: 100,
    });
  });

  test('finds lines with their places', () => {
    const lines = [{ at: '2026-11-24T03:26:17Z', from: 'api-1', level: 'warn', text: 'slow', count: 1 }];
    expect(foundLines({ _meta: { [metaKeys.view]: { lines } } })).toEqual([
      { text: 'slow', level: 'warn', at: '2026-11-24T03:26:17Z', from: 'api-1', isMarked: false },
    ]);
  });
});

test.each([
  [{ subject: 'shop/staging' }, { environment: 'shop/staging' }],
  [{ subject: 'shop/staging/api' }, { service: 'shop/staging/api' }],
  [{ subject: 'main', cluster: 'main' }, {}],
])('where the arguments do not say what %j is of, its path does, if it is one', (structuredContent, expected) => {
  expect(subjectOf({ structuredContent }, { services: [{ service: 'shop/staging/api' }], wait: true })).toEqual(
    expected,
  );
});
