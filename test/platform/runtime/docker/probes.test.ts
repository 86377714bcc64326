import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Healthchecks } from '../../../../src/contract/resources/service.ts';
import {
  healthProblem,
  probeHealthcheck,
  probeRefusal,
} from '../../../../src/platform/runtime/docker/services/probes.ts';
import { installPrograms, runnableKinds } from '../../../support/container-programs.ts';
import { freePort } from '../../../support/free-port.ts';
import { httpServer } from './probe-servers.ts';
import { anyText } from '../../../support/any-text.ts';

const second = 1e9;
const year = 365 * 24 * 3600 * second;

const healthcheckFor = (healthchecks: unknown) => probeHealthcheck(Healthchecks.parse(healthchecks));

const probeOf = (type: unknown, rest: object = {}) => ({ type, ...rest });
const http = { http: { port: 8080 } };

describe('a health check', () => {
  test('is the same as the probe, with its defaults', () => {
    expect(healthcheckFor({ readiness_probe: probeOf(http) })).toEqual({
      Test: [
        'CMD',
        '/.infra/probe',
        '/dev/shm/.infra-probe',
        '/run/secrets/infra-environment',
        '30000',
        '31536000000',
        'ready',
        '30000',
        '10000',
        '5000',
        '1',
        '9',
        'http',
        'self',
        '8080',
        '/',
      ],
      Interval: 3e8,
      StartInterval: 3e8,
      Timeout: 70 * second,
      StartPeriod: year,
      Retries: 1,
    });
  });

  test('is none without probes', () => {
    expect(healthcheckFor({})).toBeUndefined();
  });

  test.each([
    ['tcp', { tcp: { port: 1 } }, ['tcp', 'self', '1']],
    ['tcp elsewhere', { tcp: { port: 1, host: '10.0.0.1' } }, ['tcp', '10.0.0.1', '1']],
    ['tcp on loopback', { tcp: { port: 1, host: 'localhost' } }, ['tcp', '127.0.0.1', '1']],
    ['tcp without a host', { tcp: { port: 1, host: null } }, ['tcp', 'self', '1']],
    ['http over TLS', { http: { port: 1, path: '/a', scheme: 'https' } }, ['tcp', 'self', '1']],
    [
      'http with an odd path',
      { http: { port: 1, path: 'a b\r\nX: é' } },
      ['http', 'self', '1', '/a%20b%0D%0AX:%20%C3%A9'],
    ],
    ['grpc', { grpc: { port: 1, service: 'shop' } }, ['grpc', 'self', '1', 'shop']],
    ['grpc of the whole server', { grpc: { port: 1 } }, ['grpc', 'self', '1', '']],
    ['exec', { exec: { command: ['a', '', 'live'] } }, ['exec', '3', 'a', '', 'live']],
  ])('can be %s', (_, type, check) => {
    expect(healthcheckFor({ liveness_probe: probeOf(type) })!.Test.slice(12)).toEqual(check);
  });

  test('lets liveness end a container only after it can have failed often enough', () => {
    const liveness = probeOf(http, {
      initial_delay_seconds: 20,
      period_seconds: 5,
      failure_threshold: 4,
      timeout_seconds: 60,
    });
    // 20 s, and 3 periods of 5 s; the engine waits 10 s longer, because its clock began earlier.
    const both = healthcheckFor({ readiness_probe: probeOf(http), liveness_probe: liveness })!;
    expect(both.Test[5]).toBe('35000');
    expect(both).toMatchObject({ StartPeriod: 45 * second, Timeout: year });
    expect(healthcheckFor({ liveness_probe: liveness })).toMatchObject({ StartPeriod: 0, Timeout: 100 * second });
  });

  test('has numbers that an engine takes, whatever the probes have', () => {
    const whole = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
    const probe = fc.record({
      type: fc.constant(http),
      initial_delay_seconds: whole,
      period_seconds: whole,
      timeout_seconds: whole,
      success_threshold: whole,
      failure_threshold: whole,
    });
    fc.assert(
      fc.property(
        fc.record({ readiness_probe: probe, liveness_probe: probe }, { requiredKeys: [] }),
        (healthchecks) => {
          const { Test: args = [], Timeout: timeout = 0, StartPeriod: start = 0 } = healthcheckFor(healthchecks) ?? {};
          for (const nanoseconds of [timeout, start]) expect(nanoseconds).toBeLessThan(2 ** 63);
          expect(
            args
              .slice(4)
              .filter((arg) => /^\d/.test(arg))
              .every((arg) => /^\d{1,12}$/.test(arg)),
          ).toBe(true);
        },
      ),
    );
  });
});

describe.each(runnableKinds.slice(0, 1))('the probe understands a health check', async (kind) => {
  const { directory, probe } = await installPrograms(kind);
  let runs = 0;

  /** Runs the program as an engine does, but with files of its own, and on loopback. */
  const run = async (healthchecks: unknown) => {
    const [, , , , ...args] = healthcheckFor(healthchecks)!.Test;
    return probe(
      [join(directory, `state-${runs++}`), '/nowhere', ...args.map((arg) => (arg === 'self' ? '127.0.0.1' : arg))],
      { env: { PATH: process.env['PATH']! } },
    );
  };

  test('with any arguments of a command', async () => {
    const argument = fc.string({ unit: 'grapheme' }).filter((one) => !one.includes('\0'));
    await fc.assert(
      fc.asyncProperty(fc.array(argument, { maxLength: 10 }), async (more) => {
        const target = join(directory, 'arguments');
        const command = ['sh', '-c', 'printf "%s\\0" "$0" "$@" > "$0"', target, ...more];
        const end = await run({
          readiness_probe: probeOf({ exec: { command } }, { initial_delay_seconds: 0 }),
          liveness_probe: probeOf({ exec: { command: ['true', ...more] } }),
        });
        expect(end).toMatchObject({ code: 0, output: 'ready\n' });
        expect(await readFile(target, 'utf8')).toBe([target, ...more, ''].join('\0'));
      }),
      { numRuns: 25 },
    );
  });

  test('with any path: it stays in the first line of one request', async () => {
    const { port, requests } = await httpServer(() => 200);
    await fc.assert(
      fc.asyncProperty(anyText(), async (path) => {
        const before = requests.length;
        const end = await run({ readiness_probe: probeOf({ http: { port, path } }, { initial_delay_seconds: 0 }) });
        expect(end).toMatchObject({ code: 0, output: 'ready\n' });
        expect(requests).toHaveLength(before + 1);
        expect(Object.keys(requests.at(-1)!.headers)).toEqual(['host', 'user-agent', 'accept', 'connection']);
        expect(requests.at(-1)!.url).toMatch(/^\/[!-~]*$/);
      }),
      { numRuns: 25 },
    );
  });

  test('and says what fails in words that are read back', async () => {
    const port = await freePort();
    const end = await run({
      readiness_probe: probeOf({ tcp: { port } }),
      liveness_probe: probeOf({ tcp: { port } }, { initial_delay_seconds: 0, failure_threshold: 1 }),
    });
    const Log = [{ Start: '', End: '', ExitCode: end.code!, Output: end.output }];
    expect(healthProblem({ Status: 'unhealthy', FailingStreak: 1, Log })?.condition.message).toBe(
      `The liveness probe failed: port ${port}: connection refused.`,
    );
  });
});

describe('a probe', () => {
  test.each(['db', 'db.example', '256.0.0.1', '0.0.0.0', '1.2.3', '1.2.3.4.5', '1.2.3.', '::1'])(
    'can not have the host %s',
    (host) => {
      expect(probeRefusal(Healthchecks.parse({ liveness_probe: probeOf({ tcp: { port: 1, host } }) }))).toContain(
        'set "host" of the tcp probe to an IPv4 address',
      );
    },
  );

  test.each(['localhost', '10.20.30.40', '255.255.255.255', '', null])('can have the host %j', (host) => {
    expect(probeRefusal(Healthchecks.parse({ readiness_probe: probeOf({ tcp: { port: 1, host } }) }))).toBeUndefined();
  });

  test('can not have a zero byte', () => {
    expect(
      probeRefusal(Healthchecks.parse({ readiness_probe: probeOf({ exec: { command: ['a', 'b\0'] } }) })),
    ).toContain('zero byte');
    expect(
      probeRefusal(Healthchecks.parse({ readiness_probe: probeOf({ grpc: { port: 1, service: '\0' } }) })),
    ).toContain('zero byte');
    expect(probeRefusal({})).toBeUndefined();
  });
});

/** What is read from exit codes and outputs, oldest first. */
const problemIn = (...entries: [number, string][]) =>
  healthProblem({
    Status: 'starting',
    FailingStreak: 0,
    Log: entries.map(([ExitCode, Output]) => ({ Start: '', End: '', ExitCode, Output })),
  });

describe('what an engine recorded of health checks', () => {
  test.each([
    [
      'a probe that has not passed',
      [[1, 'not ready: port 80: status 503, 3 times in a row\n']],
      'The readiness probe has not passed: port 80: status 503, 3 times in a row.',
    ],
    [
      'one that fails later',
      [
        [0, 'ready\n'],
        [0, 'not ready: port 80: connection refused\n'],
      ],
      'The readiness probe fails since the instance started: port 80: connection refused.',
    ],
    [
      'liveness',
      [
        [0, 'ready\n'],
        [1, 'not alive: exit code 3\n'],
      ],
      'The liveness probe failed: exit code 3.',
    ],
    [
      'liveness, when the container was ended',
      [
        [1, 'not alive: exit code 3\n'],
        [137, ''],
      ],
      'The liveness probe failed: exit code 3.',
    ],
    ['a check of the image', [[7, 'db is down.\nmore\n']], 'The health check failed with exit code 7: db is down.'],
    ['a check that says nothing', [[1, '']], 'The health check failed with exit code 1.'],
    [
      'the engine itself',
      [[-1, 'Health check exceeded timeout (1m10s)']],
      'The health check failed with exit code -1: Health check exceeded timeout (1m10s).',
    ],
  ] as const)('is read: %s', (_, entries, sentence) => {
    expect(problemIn(...(entries as unknown as [number, string][]))?.condition.message).toBe(sentence);
  });

  test('says nothing about a healthy container, or one that was not checked', () => {
    expect(problemIn([1, 'not ready: port 80: status 503'], [0, 'ready\n'])).toBeUndefined();
    expect(problemIn([0, 'fine'])).toBeUndefined();
    expect(problemIn()).toBeUndefined();
    expect(healthProblem({ Status: 'none', FailingStreak: 0, Log: null })).toBeUndefined();
    expect(healthProblem(undefined)).toBeUndefined();
  });
});
