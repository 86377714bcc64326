import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { condition } from '../../src/contract/index.ts';
import { diagnose } from '../../src/analysis/diagnosis/diagnose.ts';
import type { Evidence } from '../../src/analysis/index.ts';
import { diagnosisTools } from '../../src/analysis/diagnosis/next-calls.ts';
import { at, deployment, failedDeployment } from './evidence.ts';

const refused = 'Error: connect ECONNREFUSED 10.0.12.4:5432';
const database = { kind: 'database', id: 'database-1', name: 'orders-db', type: 'POSTGRESQL', port: 5432 } as const;

const logLine = (message: string, minute: number, more = {}) => ({ message, created_at: at(minute), ...more });

const item = (id: string, minute: number, state: string, tag = 'v1', action = 'DEPLOY') =>
  deployment({ id, minute, status: state, details: { image: { image_name: 'web', tag } }, status_details: { action } });

const withoutSmtp = (keys: string[]) =>
  diagnose(
    failedDeployment({ kind: 'application', lines: ["KeyError: 'SMTP_URL'"], variables: keys.map((key) => ({ key })) }),
  );

const helmGivesUpAfter = (lines: string[]) =>
  diagnose(
    failedDeployment({
      kind: 'helm',
      configuration: { timeout_sec: 300 },
      lines: [...lines, 'Error: UPGRADE FAILED: context deadline exceeded'],
    }),
  );

describe('a cause', () => {
  test('is traced to the database that is down, and the calls begin with it', () => {
    const { cause, next } = diagnose(
      failedDeployment({ lines: [refused], siblings: [{ ...database, state: 'STOPPED' }] }),
    );
    expect(cause).toMatchObject({
      code: 'dependency_unreachable',
      confidence: 'high',
      sentence: 'It can\'t reach "orders-db" (10.0.12.4:5432), which isn\'t running.',
    });
    expect(next[0]).toEqual({
      tool: 'deploy_service',
      arguments: { service: 'database-1' },
      why: 'orders-db is STOPPED',
    });
  });

  test('is less sure when that database runs, or none is known', () => {
    for (const siblings of [[{ ...database, state: 'DEPLOYED' }], []]) {
      expect(diagnose(failedDeployment({ lines: [refused], siblings })).cause).toMatchObject({
        code: 'dependency_unreachable',
        confidence: 'medium',
      });
    }
  });

  test('is not a database that was reached after all', () => {
    expect(diagnose(failedDeployment({ lines: [refused, 'Connected to database orders'] })).cause.code).toBe('unknown');
  });

  test('is a missing variable, surely where it is not set, less so where it is', () => {
    expect(withoutSmtp(['PATH_PREFIX']).cause).toMatchObject({
      code: 'missing_variable',
      confidence: 'high',
      why: expect.stringContaining('no variable SMTP_URL is set'),
    });
    expect(withoutSmtp(['SMTP_URL']).cause).toMatchObject({
      code: 'missing_variable',
      confidence: 'medium',
      why: expect.stringContaining('SMTP_URL is set'),
    });
  });

  test('is the configured port, where the probe names none', () => {
    const configuration = {
      ports: [{ id: 'port-1', internal_port: 8080, publicly_accessible: true }],
      healthchecks: { readiness_probe: { type: { http: { port: 8080, path: '/' } }, period_seconds: 10 } },
    };
    const { cause, next } = diagnose(
      failedDeployment({
        configuration,
        lines: ['Server listening on port 3000', 'Readiness probe failed: connection refused'],
      }),
    );
    expect(cause).toMatchObject({ code: 'wrong_port', confidence: 'high' });
    expect(next[0]?.arguments).toEqual({
      container_id: 'service-1',
      ports: [{ id: 'port-1', internal_port: 3000, publicly_accessible: true }],
      healthchecks: { readiness_probe: { type: { http: { port: 3000, path: '/' } }, period_seconds: 10 } },
    });
  });

  test('is the port that a probe asks at, where the log says which one is right: the declared port is left as it is', () => {
    const configuration = {
      ports: [{ id: 'port-1', internal_port: 9200, publicly_accessible: true }],
      healthchecks: { readiness_probe: { type: { http: { port: 8081, path: '/' } }, period_seconds: 10 } },
    };
    const { cause, next } = diagnose(
      failedDeployment({
        configuration,
        lines: [
          'ERROR one',
          condition('PROBE_AT_WRONG_PORT', { instance: 'search-1', probe: 'readiness', port: 8081, listening: [9200] }),
        ],
      }),
    );
    expect(cause).toMatchObject({
      code: 'wrong_port',
      confidence: 'high',
      sentence: 'The app listens on port 9200, but port 8081 is configured.',
    });
    expect(next.map(({ tool }) => tool)).toEqual(['update_container', 'deploy_service', 'get_service']);
    expect(next[0]?.arguments).toEqual({
      container_id: 'service-1',
      healthchecks: { readiness_probe: { type: { http: { port: 9200, path: '/' } }, period_seconds: 10 } },
    });
  });

  test('is not the port where the app listens on the one that is asked', () => {
    const { cause } = diagnose(
      failedDeployment({
        lines: [
          'Server listening on port 8080',
          'Readiness probe failed: Get "http://10.0.0.9:8080/": dial tcp 10.0.0.9:8080: connect: connection refused',
        ],
      }),
    );
    expect(cause.code).toBe('readiness_probe_failing');
  });

  test('stays unknown where hints point to two and no line says which', () => {
    const { cause, also, next } = diagnose(failedDeployment({ lines: ['Error: ImagePullBackOff'] }));
    expect(cause).toMatchObject({ code: 'unknown', sentence: expect.stringContaining('not known') });
    expect(also.map(({ code }) => code)).toEqual(['image_tag_not_found', 'image_pull_denied']);
    expect(next.map(({ tool }) => tool)).toEqual(['search_logs', 'list_deployments', 'get_service']);
  });

  test('is less sure where another is as well shown', () => {
    const { cause, also } = diagnose(
      failedDeployment({ lines: ["KeyError: 'SMTP_URL'", 'OSError: [Errno 28] No space left on device'] }),
    );
    expect(cause).toMatchObject({ code: 'disk_full', confidence: 'medium' });
    expect(also.map(({ code }) => code)).toContain('missing_variable');
  });

  test('names what else failed before it, and what was changed, where that may be why', () => {
    const { cause, next } = diagnose({
      ...failedDeployment({
        lines: ['SchemaError: schema 4 is too old'],
        siblings: [
          { kind: 'job', id: 'job-1', name: 'migrate', state: 'DEPLOYMENT_ERROR', last_deployment_date: at(8) },
        ],
      }),
      history: [item('bad', 10, 'DEPLOYMENT_ERROR'), item('good', 1, 'DEPLOYED')],
      variables: [{ key: 'SCHEMA', updated_at: at(5) }],
    });
    expect(cause.sentence).toBe(
      'The app crashes: "SchemaError: schema 4 is too old". Changed since the last good deployment: SCHEMA. In its environment job migrate (DEPLOYMENT_ERROR) failed before it, which may be why.',
    );
    expect(next[0]).toMatchObject({ tool: 'diagnose_deployment', arguments: { service: 'job-1' } });
  });

  test('tells a helm release that only needs longer from one that is stuck', () => {
    expect(helmGivesUpAfter(['search-0: recovered 31 of 40 shards, 40s left']).cause.sentence).toContain(
      'still getting on ("31 of 40 shards, 40s left")',
    );
    expect(helmGivesUpAfter([]).cause.sentence).toBe(
      "Helm gave up waiting after 300 s: what the chart made wasn't ready.",
    );
    expect(helmGivesUpAfter([]).next[0]).toMatchObject({
      tool: 'update_helm',
      arguments: { helm_id: 'service-1', timeout_sec: 600 },
    });
    expect(
      diagnose(failedDeployment({ kind: 'helm', lines: ['recovered 31 of 40 shards, 40s left'] })).cause.code,
    ).toBe('unknown');
  });

  test('explains what it brings about', () => {
    const { cause, also } = diagnose(
      failedDeployment({
        kind: 'helm',
        lines: [
          'Warning  Failed  3s  kubelet  Failed to pull image "acme/web:9": failed to resolve reference "docker.io/acme/web:9": docker.io/acme/web:9: not found',
          'Error: UPGRADE FAILED: timed out waiting for the condition',
        ],
      }),
    );
    expect(cause.code).toBe('image_tag_not_found');
    expect(also.map(({ code }) => code)).toContain('helm_timeout');
  });
});

describe('what is looked at', () => {
  const bad = item('bad', 30, 'DEPLOYMENT_ERROR', 'v2');
  const good = item('good', 10, 'DEPLOYED');
  const evidence = (more: Partial<Evidence>): Evidence => ({
    service: { kind: 'container', id: 'service-1', name: 'web' },
    history: [bad, good],
    lines: [],
    ...more,
  });
  const noTag = 'manifest for web:v2 not found: manifest unknown';

  test('is the newest deployment that failed, and what changed since the last good one', () => {
    const result = diagnose(
      evidence({
        service: { kind: 'container', id: 'service-1', name: 'web', configuration: { tag: 'v2', updated_at: at(25) } },
        lines: [logLine(noTag, 31)],
        variables: [
          { key: 'NEW', created_at: at(20), updated_at: at(20) },
          { key: 'OLD', created_at: at(1), updated_at: at(1) },
        ],
        siblings: [{ ...database, state: 'DEPLOYED', last_deployment_date: at(28) }],
      }),
    );
    expect(result).toMatchObject({
      outcome: 'failed',
      deployment: { id: 'bad', image: 'web:v2' },
      last_good: { id: 'good' },
      failing_step: { name: 'DEPLOYMENT' },
    });
    expect(result.changes.map(({ text }) => text)).toEqual([
      'image web:v1 → web:v2',
      'variable NEW added',
      'database orders-db was deployed, is DEPLOYED',
    ]);
    expect(result.timeline.map(({ what }) => what)).toEqual([
      'last good deploy with image web:v1',
      'variable NEW added',
      'database orders-db was deployed, is DEPLOYED',
      'deploy begun by ci with image web:v2',
      `first sign: ${JSON.stringify(noTag)}`,
      'ended as DEPLOYMENT_ERROR',
    ]);
    expect(result.timeline.at(-1)?.seconds).toBe(180);
    expect(result.next[0]).toMatchObject({
      tool: 'update_container',
      arguments: { container_id: 'service-1', tag: 'v1' },
    });
  });

  test('is a failed deployment below a good one, which is then over, or the one that is asked about', () => {
    const over = diagnose(evidence({ history: [item('new', 50, 'DEPLOYED'), bad, good], lines: [logLine(noTag, 31)] }));
    expect(over).toMatchObject({
      deployment: { id: 'bad' },
      since: { id: 'new', state: 'DEPLOYED' },
      cause: { code: 'image_tag_not_found' },
    });
    expect(over.next.map(({ tool }) => tool)).toEqual(['list_deployments']);
    expect(
      diagnose(evidence({ history: [item('new', 50, 'STOPPED', 'v2', 'STOP'), bad, good] })).since,
    ).toBeUndefined();
    expect(diagnose(evidence({ deployment: 'good' }))).toMatchObject({
      outcome: 'succeeded',
      deployment: { id: 'good' },
      cause: { code: 'none' },
      next: [],
    });
    expect(diagnose(evidence({ deployment: 'other' }))).toMatchObject({
      outcome: 'never_deployed',
      cause: { code: 'none' },
    });
  });

  test('leaves out lines of other services, deployments and times, and of steps that succeeded', () => {
    const lines = [
      logLine(noTag, 31, { service_id: 'service-2' }),
      logLine(noTag, 31, { deployment_request_id: 'good' }),
      logLine(noTag, 11),
      logLine(noTag, 59),
      logLine(noTag, 31, { step: 'MIRROR_IMAGE' }),
    ];
    const status = {
      deployment_request_id: 'bad',
      state: 'DEPLOYMENT_ERROR',
      steps: {
        details: [
          { step_name: 'MIRROR_IMAGE', status: 'SUCCESS', duration_sec: 3 },
          { step_name: 'DEPLOYMENT', status: 'ERROR', duration_sec: 90 },
        ],
      },
    };
    const result = diagnose(evidence({ lines, status }));
    expect(result).toMatchObject({
      cause: { code: 'unknown', why: 'there is no log line of this deployment' },
      lines: [],
      failing_step: { name: 'DEPLOYMENT', seconds: 90 },
    });
    expect(result.timeline.map(({ what }) => what)).toContain('MIRROR_IMAGE succeeded');
    expect(diagnose(evidence({ lines: [logLine(noTag, 31)], status })).cause.code).toBe('image_tag_not_found');
  });

  test('is also one that is still going', () => {
    const probe = 'Readiness probe failed: HTTP probe failed with statuscode: 503';
    const going = evidence({ history: [item('going', 30, 'DEPLOYING'), good], environment: { id: 'environment-1' } });
    expect(diagnose(going)).toMatchObject({
      outcome: 'in_progress',
      cause: { code: 'unknown', sentence: expect.stringContaining('still going') },
    });
    const { outcome, cause, next } = diagnose({ ...going, lines: [logLine(probe, 40)] });
    expect({ outcome, code: cause.code }).toEqual({ outcome: 'in_progress', code: 'readiness_probe_failing' });
    expect(next).toContainEqual(
      expect.objectContaining({ tool: 'cancel_deployment', arguments: { environment_id: 'environment-1' } }),
    );
  });

  test('is a service that went down after a good deployment', () => {
    const { outcome, cause } = diagnose(
      evidence({
        history: [good],
        status: { deployment_request_id: 'good', state: 'UNAVAILABLE' },
        lines: [logLine('    Reason:       OOMKilled', 55)],
      }),
    );
    expect({ outcome, code: cause.code }).toEqual({ outcome: 'failed', code: 'out_of_memory' });
  });

  test('is what somebody changed of a service that still runs', () => {
    const running = {
      instances: 1,
      wanted_instances: 2,
      restarts: 0,
      warnings: [],
      conditions: [
        condition('CHANGED_EXTERNALLY', { change: { of: 'scale', from: 2, to: 1 } }),
        condition('INSTANCES_MISSING', { running: 1, wanted: 2, isKnown: true }),
      ],
    };
    const { outcome, cause, next } = diagnose(
      evidence({ history: [good], status: { deployment_request_id: 'good', state: 'DEPLOYED', running } }),
    );
    expect({ outcome, code: cause.code, sentence: cause.sentence }).toEqual({
      outcome: 'failed',
      code: 'changed_outside',
      sentence:
        'It was changed without the platform: "Somebody scaled it from 2 to 1 on the engine". A deployment brings it back as it is configured.',
    });
    expect(next.map(({ tool }) => tool)).toContain('deploy_service');
    expect(
      diagnose(
        evidence({
          history: [good],
          status: { deployment_request_id: 'good', state: 'DEPLOYED', running: { ...running, conditions: [] } },
        }),
      ).cause.code,
    ).toBe('none');
  });

  test('is who canceled, and a lock on the cluster where nothing was done', () => {
    expect(diagnose(evidence({ history: [item('x', 30, 'CANCELED')] })).cause).toMatchObject({
      code: 'canceled',
      confidence: 'high',
      sentence: expect.stringContaining('begun by "ci"'),
    });
    const locked = evidence({
      cluster: { id: 'cluster-1', name: 'eu', lock: { owner_name: 'Ada', reason: 'upgrade' } },
    });
    const { cause, next } = diagnose(locked);
    expect(cause).toMatchObject({
      code: 'cluster_locked',
      confidence: 'high',
      sentence: 'The cluster "eu" is locked by "Ada": "upgrade". Nothing is deployed on it until the lock ends.',
    });
    expect(next.map(({ tool }) => tool)).toEqual(['get_service', 'unlock_cluster', 'deploy_service']);
    expect(diagnose({ ...locked, lines: [logLine(noTag, 31)] }).cause.code).toBe('image_tag_not_found');
  });

  test('is the time limit of a job that ran for as long as it may', () => {
    const job = evidence({
      service: { kind: 'job', id: 'job-1', name: 'report', configuration: { max_duration_seconds: 180 } },
    });
    expect(diagnose(job).cause).toMatchObject({ code: 'time_limit', confidence: 'medium' });
    expect(
      diagnose({ ...job, service: { ...job.service, configuration: { max_duration_seconds: 900 } } }).cause.code,
    ).toBe('unknown');
  });
});

describe('a diagnosis', () => {
  test('quotes repeats once, with their count', () => {
    const { lines } = diagnose(
      failedDeployment({
        lines: [
          'ready',
          ...Array.from(
            { length: 37 },
            (_, index) => `Readiness probe failed: HTTP probe failed with statuscode: 503 (try ${index})`,
          ),
        ],
      }),
    );
    expect(lines).toEqual([expect.objectContaining({ count: 37, level: expect.any(String) })]);
  });

  test('makes no argument of what a log says', () => {
    const { next } = diagnose(
      failedDeployment({
        siblings: [{ ...database, state: 'STOPPED' }],
        lines: [
          'connect ECONNREFUSED evil.example.test:5432',
          "KeyError: 'DROP_ALL'",
          'manifest for evil/image:9 not found',
        ],
      }),
    );
    expect(JSON.stringify(next.map((call) => call.arguments))).not.toMatch(/evil|DROP/);
  });

  test('names at most three tools, all of them declared', () => {
    for (const kind of ['application', 'container', 'helm', 'job', 'terraform', 'database'] as const) {
      const { next } = diagnose(failedDeployment({ kind, lines: ['No space left on device'] }));
      expect(next.length).toBeLessThanOrEqual(3);
      expect(Object.values(diagnosisTools)).toEqual(expect.arrayContaining(next.map(({ tool }) => tool)));
    }
  });

  test('is made of any evidence', () => {
    const text = fc.oneof(
      fc.string({ maxLength: 30 }),
      fc.constantFrom(refused, 'BUILD', 'DEPLOYMENT_ERROR', '2026-11-20T10:30:00Z', 'PT3M'),
    );
    const anything = fc.anything({ values: [text, fc.constant(null), fc.integer()], maxDepth: 2 });
    const time = fc.option(text);
    const arbitrary = fc.record(
      {
        service: fc.record({
          kind: fc.constantFrom('application', 'container', 'job', 'helm', 'terraform', 'database'),
          id: text,
          name: text,
          configuration: fc.dictionary(fc.constantFrom('ports', 'healthchecks', 'memory', 'source', 'tag'), anything),
        }),
        history: fc.array(
          fc.record(
            {
              identifier: fc.option(fc.record({ execution_id: fc.option(text) })),
              status: fc.option(text),
              total_duration: fc.option(text),
              auditing_data: fc.option(fc.record({ created_at: time, updated_at: time })),
              status_details: fc.option(fc.record({ action: text, status: text })),
              details: fc.option(fc.record({ image: fc.option(fc.record({ image_name: text, tag: time })) })),
            },
            { requiredKeys: [] },
          ),
          { maxLength: 3 },
        ),
        lines: fc.array(
          fc.record({ message: fc.option(text), created_at: time, pod_name: time, step: time }, { requiredKeys: [] }),
          { maxLength: 10 },
        ),
        status: fc.option(
          fc.record(
            {
              state: text,
              deployment_request_id: text,
              steps: fc.option(
                fc.record({
                  details: fc.array(fc.record({ step_name: text, status: text, duration_sec: fc.integer() })),
                }),
              ),
            },
            { requiredKeys: [] },
          ),
        ),
        siblings: fc.array(
          fc.record({ kind: fc.constant('database'), id: text, name: text, state: time, port: fc.integer() }),
          { maxLength: 2 },
        ),
        variables: fc.array(fc.record({ key: text, updated_at: time }), { maxLength: 2 }),
      },
      { requiredKeys: ['service', 'history', 'lines'] },
    );
    fc.assert(
      fc.property(arbitrary, (evidence) => {
        const { cause, next } = diagnose(evidence);
        expect(cause.sentence).not.toBe('');
        expect(next.length).toBeLessThanOrEqual(3);
      }),
    );
  });
});
