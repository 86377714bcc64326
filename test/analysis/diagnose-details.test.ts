import { describe, expect, test } from 'vitest';
import { condition, type Condition } from '../../src/contract/index.ts';
import { diagnose } from '../../src/analysis/diagnosis/diagnose.ts';
import { isInstanceOf } from '../../src/analysis/index.ts';
import { at, deployment, failedDeployment } from './evidence.ts';

const tagged = (id: string, minute: number, status: string, tag: string) =>
  deployment({
    id,
    minute,
    status,
    details: { image: { image_name: 'web', tag } },
    status_details: { action: 'DEPLOY' },
  });

const codeOf = (lines: string[], state?: string) => diagnose(failedDeployment({ lines, state })).cause.code;

const unready = 'Readiness probe failed: HTTP probe failed with statuscode: 503';

const toolsOf = (tag: string) =>
  diagnose({
    ...failedDeployment({ lines: [unready] }),
    history: [tagged('bad', 10, 'DEPLOYMENT_ERROR', 'v2'), tagged('good', 5, 'DEPLOYED', tag)],
  }).next.map(({ tool }) => tool);

const logged = (place: number) =>
  Array.from({ length: 2500 }, (_, index) => ({ message: index === place ? 'No space left on device' : 'tick' }));

const codeAt = (place: number) => diagnose({ ...failedDeployment(), lines: logged(place) }).cause.code;

test('an exception of a command of the build is no app that crashes', () => {
  const lines = ['TypeError: bundle is not a function'];
  expect([codeOf(lines), codeOf(lines, 'BUILD_ERROR')]).toEqual(['app_crashed', 'unknown']);
});

const exited = (code: number) => condition('EXITED', { code });

const scheduleAfter = (line: string | Condition, kind: 'job' | 'container' = 'job') =>
  diagnose(failedDeployment({ kind, lines: ['No space left on device', line] }));

test('the schedule of a job that failed is told', () => {
  expect(scheduleAfter(condition('SCHEDULE_NOT_BEGUN', { left: 'none' }))).toMatchObject({
    cause: { code: 'disk_full' },
    schedule: 'no run starts by itself until a deployment of it ends well',
  });
  expect(scheduleAfter(condition('SCHEDULE_NOT_BEGUN', { left: 'the version before' })).schedule).toBe(
    'that of the version before goes on; the new one has not begun',
  );
  expect([
    scheduleAfter('done').schedule,
    scheduleAfter('The schedule of this version does not begin, because this deployment did not end well. No run')
      .schedule,
  ]).toEqual([undefined, undefined]);
});

describe('a build that fails', () => {
  const classic = [
    'Step 3/5 : RUN zig build',
    ' ---> Running in 0a1b2c3d4e5f',
    'install: done',
    'Removing intermediate container 0a1b2c3d4e5f',
    ' ---> 1f2e3d4c5b6a',
    'Step 4/5 : RUN zig build',
    ' ---> Running in 5f4e3d2c1b0a',
    'compiling 12 files',
    "main.zig:3:9: expected ';'",
    '',
    'Build Summary: 2/4 steps succeeded',
    "The command '/bin/sh -c zig build' returned a non-zero code: 2",
    condition('BUILD_STEP_FAILED', { step: '4', instruction: 'RUN zig build', code: 2 }),
  ];
  const buildKit = [
    '#7 [builder 2/4] RUN echo other',
    '#8 [builder 3/4] RUN zig build',
    '#8 0.210 compiling 12 files',
    '#7 0.300 other',
    "#8 1.310 main.zig:3:9: expected ';'",
    '#8 1.320 Build Summary: 2/4 steps succeeded',
    '#8 ERROR: process "/bin/sh -c zig build" did not complete successfully: exit code: 2',
    '------',
    ' > [builder 3/4] RUN zig build:',
    "1.310 main.zig:3:9: expected ';'",
    '------',
  ];

  test.each([
    ['classic', classic],
    ['BuildKit', buildKit],
  ])('quotes what its command said last, and leads to the log: %s', (_, lines) => {
    const {
      cause,
      lines: shown,
      next,
    } = diagnose(failedDeployment({ kind: 'application', lines, state: 'BUILD_ERROR' }));
    expect(cause.code).toBe('docker_build_failed');
    expect(cause.sentence).toMatch(
      /exit code 2\. The last that it said: "compiling 12 files", "main\.zig:3:9: expected ';'", "Build Summary: 2\/4 steps succeeded"\.$/,
    );
    expect(shown.map(({ text }) => text).join('\n')).toContain("main.zig:3:9: expected ';'");
    expect(next[0]).toMatchObject({
      tool: 'search_logs',
      arguments: { service: 'service-1', deployment_id: 'failed', level: 'debug' },
    });
  });

  test('quotes nothing where the command said nothing', () => {
    const lines = [
      'Step 2/2 : RUN exit 2',
      ' ---> Running in 5f4e3d2c1b0a',
      "The command '/bin/sh -c exit 2' returned a non-zero code: 2",
    ];
    expect(diagnose(failedDeployment({ kind: 'application', lines, state: 'BUILD_ERROR' })).cause.sentence).toMatch(
      /ended with exit code 2\.$/,
    );
  });
});

describe('how sure a cause is', () => {
  test('falls where the step that failed is not one for it', () => {
    const lines = ['FATAL:  password authentication failed for user "app"'];
    expect(diagnose(failedDeployment({ lines })).cause.confidence).toBe('high');
    expect(diagnose(failedDeployment({ lines, state: 'BUILD_ERROR' })).cause.confidence).toBe('medium');
  });

  test('goes by the first error of a build and by the last of what runs', () => {
    const [compile, tests] = ['src/a.ts(1,2): error TS2322: no', '--- FAIL: TestA'];
    expect([codeOf([compile, tests], 'BUILD_ERROR'), codeOf([tests, compile], 'BUILD_ERROR')]).toEqual([
      'compile_failed',
      'tests_failed',
    ]);
    const [auth, full] = ['FATAL:  password authentication failed for user "app"', 'No space left on device'];
    expect([codeOf([auth, full]), codeOf([full, auth])]).toEqual(['disk_full', 'database_auth_failed']);
  });

  test('leaves out what only repeats it in other words', () => {
    expect(diagnose(failedDeployment({ lines: ['ConfigError: RATES_URL is not set'] }))).toMatchObject({
      cause: { code: 'missing_variable' },
      also: [],
    });
  });
});

describe('what is taken into account', () => {
  test('is a good deployment where nothing failed', () => {
    expect(diagnose({ ...failedDeployment(), history: [tagged('good', 1, 'DEPLOYED', 'v1')] })).toMatchObject({
      outcome: 'succeeded',
      cause: { code: 'none' },
    });
  });

  test('is the end by the action where the state is left out', () => {
    const item = deployment({ id: 'x', minute: 10, status_details: { action: 'DEPLOY', status: 'ERROR' } });
    expect(diagnose({ ...failedDeployment({ lines: ['No space left on device'] }), history: [item] })).toMatchObject({
      outcome: 'failed',
      cause: { code: 'disk_full' },
    });
  });

  test('is no step of another deployment', () => {
    const status = {
      deployment_request_id: 'later',
      state: 'BUILDING',
      steps: { details: [{ step_name: 'BUILD', status: 'ERROR', duration_sec: 5 }] },
    };
    expect(diagnose(failedDeployment({ status })).failing_step).toEqual({ name: 'DEPLOYMENT' });
  });

  test('is no sibling that failed before the last good deployment', () => {
    const { cause } = diagnose({
      ...failedDeployment({
        lines: ['SchemaError: too old'],
        siblings: [
          { kind: 'job', id: 'job-1', name: 'migrate', state: 'DEPLOYMENT_ERROR', last_deployment_date: at(1) },
        ],
      }),
      history: [tagged('bad', 10, 'DEPLOYMENT_ERROR', 'v2'), tagged('good', 5, 'DEPLOYED', 'v1')],
    });
    expect(cause.sentence).toBe('The app crashes: "SchemaError: too old".');
  });

  test.each([
    ['its own log explains it', ['TypeError: config is not a function'], false],
    ['its own log has a cause', ["KeyError: 'SMTP_URL'"], false],
    ['another cause explains a probe that fails', [unready, 'TypeError: config is not a function'], false],
    ['the log only names it', ['GET /visits 200', 'TypeError: config is not a function'], false],
    ['nothing explains it', [condition('INSTANCES_FAILED', { instances: 3, cause: exited(3) })], true],
    ['a probe fails and nothing says why', [unready], true],
    ['the log asks for its name', ['TypeError: fetch failed', '  cause: Error: getaddrinfo ENOTFOUND visits'], true],
    ['the log finds nobody at its host', ['Connection to visits-1.internal refused', 'RuntimeError: no store'], true],
    ['the log misses its variable', ["KeyError: 'DATABASE_8F14E45F_HOST'"], true],
  ])('is a sibling that failed before it, or is not: %s', (_, lines, isSuspected) => {
    const sibling = {
      kind: 'database',
      id: '8f14e45f-1',
      name: 'visits',
      host: 'visits-1.internal',
      state: 'DEPLOYMENT_ERROR',
      last_deployment_date: at(8),
    } as const;
    const { cause, also, next } = diagnose(failedDeployment({ lines, siblings: [sibling] }));
    expect(
      [cause, ...also].some(({ sentence }) => sentence.includes('database visits (DEPLOYMENT_ERROR) failed before it')),
    ).toBe(isSuspected);
    expect(
      next.some(({ tool, arguments: { service } }) => tool === 'diagnose_deployment' && service === sibling.id),
    ).toBe(isSuspected);
  });

  test('is, of an endless log, its end', () => {
    expect([codeAt(100), codeAt(2400)]).toEqual(['unknown', 'disk_full']);
  });

  test('is, of the lines beside those of a cause, none that only warns', () => {
    const { lines } = diagnose(
      failedDeployment({ lines: ['WARN cache is cold', 'No space left on device', 'ERROR gave up'] }),
    );
    expect(lines.map(({ text }) => text)).toEqual(['No space left on device', 'ERROR gave up']);
    expect(
      diagnose(
        failedDeployment({
          lines: ['ERROR summary: 0 errors', 'npm warn deprecated a@1', 'Traceback (most recent call last):'],
        }),
      ).lines,
    ).toEqual([]);
    expect(diagnose(failedDeployment({ lines: ['WARN cache is cold'] })).lines.map(({ text }) => text)).toEqual([
      'WARN cache is cold',
    ]);
  });
});

describe('the next calls', () => {
  test('propose no tag that is deployed already', () => {
    expect(toolsOf('v1')).toContain('update_container');
    expect(toolsOf('v2')).not.toContain('update_container');
  });

  test('cancel nothing that has ended', () => {
    expect(
      diagnose(failedDeployment({ lines: [unready], environment: { id: 'environment-1' } })).next.map(
        ({ tool }) => tool,
      ),
    ).not.toContain('cancel_deployment');
  });

  test('are three where more could be made', () => {
    const { next } = diagnose({
      ...failedDeployment({
        lines: ['SchemaError: too old'],
        siblings: [
          { kind: 'job', id: 'job-1', name: 'migrate', state: 'DEPLOYMENT_ERROR', last_deployment_date: at(8) },
        ],
      }),
      history: [tagged('bad', 10, 'DEPLOYMENT_ERROR', 'v2'), tagged('good', 5, 'DEPLOYED', 'v1')],
    });
    expect(next.map(({ tool }) => tool)).toEqual(['diagnose_deployment', 'search_logs', 'update_container']);
  });
});

test.each([
  ['plan-runner-d0e0e4b9f-9fef0', 'plan-runner', true],
  ['plan-runner-64024', 'plan-runner', true],
  ['plan-runner', 'plan-runner', true],
  ['plan-runner-d0e0e4b9f-9fef0', 'plan', false],
  ['planner-64024', 'plan', false],
  ['my-runner-64024', 'My Runner', true],
])('whether %s is an instance of %s: %s', (host, name, is) => {
  expect(isInstanceOf(host, name)).toBe(is);
});

test('the lines that are shown keep the one that names the culprit, and the sentence names it', () => {
  const lines = [
    '#7 1.1 npm error code EUSAGE',
    '#7 1.2 npm error',
    '#7 1.3 npm error `npm ci` can only install packages when your package.json and package-lock.json are in sync.',
    '#7 1.4 npm error',
    '#7 1.5 npm error Missing: pdfkit@0.17.1 from lock file',
    '#7 1.6 npm error Missing: fontkit@2.0.4 from lock file',
    '#7 1.7 npm error Missing: linebreak@1.1.0 from lock file',
    '#7 1.8 npm error',
    '#7 1.9 npm error Clean install a project',
    '#7 ERROR: process "/bin/sh -c npm ci" did not complete successfully: exit code: 1',
    'ERROR: failed to solve: process "/bin/sh -c npm ci" did not complete successfully: exit code: 1',
  ];
  const { cause, lines: shown } = diagnose(failedDeployment({ kind: 'application', state: 'BUILD_ERROR', lines }));
  expect(cause.sentence).toContain('"pdfkit@0.17.1" isn\'t in the lock file');
  expect(shown.map(({ text }) => text)).toContain('#7 1.5 npm error Missing: pdfkit@0.17.1 from lock file');
  expect(shown.filter(({ text }) => text.endsWith('npm error'))).toEqual([]);
});

const toolsFor = (line: string) => diagnose(failedDeployment({ lines: [line] })).next.map(({ tool }) => tool);

test('errors are only to be searched for where there are some', () => {
  expect(toolsFor('ERROR something odd')).toContain('search_logs');
  expect(toolsFor('nothing odd')).not.toContain('search_logs');
});

const unschedulable = (reason: 'INSUFFICIENT_RESOURCES' | 'NODES_CLOSED', why: string) =>
  diagnose(
    failedDeployment({
      configuration: { cpu: 100, memory: 64 },
      lines: [condition(reason, { what: 'an instance', said: `no suitable node (${why})`, closed: [] })],
    }),
  ).cause.sentence;

test('nodes that take nothing are told from nodes without room', () => {
  expect(unschedulable('INSUFFICIENT_RESOURCES', 'insufficient resources on 1 node')).toBe(
    'No node of the cluster has room for it (it asks for 100 millicores, 64 MB).',
  );
  expect(
    unschedulable('INSUFFICIENT_RESOURCES', '1 node not available for new tasks; insufficient resources on 1 node'),
  ).toBe('No node of the cluster has room for it (it asks for 100 millicores, 64 MB).');
  expect(unschedulable('NODES_CLOSED', '1 node not available for new tasks')).toBe(
    'Nothing can be started on the cluster\'s nodes: "1 node not available for new tasks". They are down, just starting, or were drained or paused.',
  );
});

test('a program that is not in the image is named, and a job that fails is surely not started again and again', () => {
  expect(
    diagnose(
      failedDeployment({
        lines: [
          condition('PROGRAM_NOT_STARTED', { why: '/bin/nosuch was not found' }),
          condition('INSTANCE_FAILED', { instance: 'api-1-x', cause: exited(127) }),
        ],
      }),
    ).cause,
  ).toMatchObject({
    code: 'app_crashed',
    sentence: 'The app crashes: "/bin/nosuch was not found".',
    confidence: 'high',
  });
  expect(
    diagnose(
      failedDeployment({
        kind: 'job',
        lines: [
          condition('RUN_ATTEMPT_FAILED', { nth: 2, most: 2, cause: exited(4) }),
          condition('RUN_FAILED', { what: 'the job', attempts: 2, cause: exited(4) }),
        ],
      }),
    ).cause,
  ).toMatchObject({
    code: 'app_crashed',
    sentence: 'The job ends with exit code 4; no line of its log is known to say why.',
    confidence: 'high',
  });
});
