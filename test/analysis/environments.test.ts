import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { condition, type Condition } from '../../src/contract/index.ts';
import { changesBetween, changesSince } from '../../src/analysis/changes.ts';
import { findDrift, type ComparedEnvironment } from '../../src/analysis/index.ts';
import { overviewOf, standings } from '../../src/analysis/overview.ts';
import { at, deployment } from './evidence.ts';

const web = {
  name: 'web',
  service_type: 'CONTAINER',
  image_name: 'acme/web',
  tag: 'v2',
  cpu: 500,
  memory: 512,
  ports: [{ id: 'a', internal_port: 80 }],
};
const api = {
  name: 'api',
  service_type: 'APPLICATION',
  git_repository: { branch: 'main', deployed_commit_id: 'aaa' },
  memory: 512,
};

describe('two environments', () => {
  const staging: ComparedEnvironment = {
    name: 'staging',
    services: [web, api, { name: 'new', service_type: 'JOB' }],
    variables: [
      { key: 'A', value: '1' },
      { key: 'B', service: 'api', value: '1' },
      { key: 'C' },
      { key: 'D', value: '4' },
      { key: 'HOST', scope: 'BUILT_IN', value: 'x' },
    ],
  };
  const production: ComparedEnvironment = {
    name: 'production',
    services: [
      { ...web, name: 'Web', tag: 'v1', memory: 1024, ports: [{ internal_port: 80, id: 'b' }] },
      { ...api, git_repository: { branch: 'main', deployed_commit_id: 'bbb' } },
    ],
    variables: [
      { key: 'A', value: '1' },
      { key: 'B', service: 'API', value: '2' },
      { key: 'C', value: '3' },
      { key: 'HOST', scope: 'BUILT_IN', value: 'y' },
    ],
  };

  test('are compared by what services see: what is inherited counts as set', () => {
    const both = { services: [api] };
    const overridden: ComparedEnvironment = {
      ...both,
      name: 'staging',
      variables: [
        { key: 'REGION', scope: 'PROJECT', value: '1' },
        { key: 'REGION', service: 'api', scope: 'APPLICATION', value: '2' },
        { key: 'SAME', scope: 'ENVIRONMENT', value: '3' },
        { key: 'SAME', scope: 'PROJECT', value: '9' },
        { key: 'ALONE', service: 'api', scope: 'APPLICATION', value: '5' },
      ],
    };
    const inheriting: ComparedEnvironment = {
      ...both,
      name: 'production',
      variables: [
        { key: 'REGION', scope: 'PROJECT', value: '1' },
        { key: 'SAME', scope: 'PROJECT', value: '3' },
        { key: 'SAME', service: 'API', scope: 'APPLICATION', value: '3' },
      ],
    };
    expect(findDrift(overridden, inheriting).differences).toEqual([
      { kind: 'missing variable', service: 'api', what: 'ALONE', first: 'set' },
      { kind: 'variable', service: 'api', what: 'REGION', first: '2', second: '1, inherited' },
    ]);
  });

  test('lack no variable that may be among those that were not read', () => {
    const whole: ComparedEnvironment = {
      name: 'staging',
      services: [api, web],
      variables: [
        { key: 'A', value: '1' },
        { key: 'B', service: 'api', value: '1' },
        { key: 'C', service: 'web', value: '1' },
        { key: 'D', service: 'web', value: '1' },
      ],
    };
    const inPart = (
      unread: ComparedEnvironment['unread'],
      variables: ComparedEnvironment['variables'],
    ): ComparedEnvironment => ({ name: 'production', services: [api, web], variables, unread });
    const found = (other: ComparedEnvironment) =>
      [findDrift(whole, other), findDrift(other, whole)].map(({ differences }) => differences.map(({ what }) => what));
    const ofWeb = [{ key: 'D', service: 'Web', value: '2' }];
    expect(
      found(inPart({ services: ['API'] }, [{ key: 'A', value: '1' }, { key: 'B', value: '2' }, ...ofWeb])),
    ).toEqual([
      ['B', 'C', 'D'],
      ['B', 'C', 'D'],
    ]);
    expect(found(inPart({ shared: true }, ofWeb))).toEqual([['D'], ['D']]);
    expect(found(inPart(undefined, ofWeb))).toEqual([
      ['A', 'B', 'C', 'D'],
      ['A', 'B', 'C', 'D'],
    ]);
  });

  test('differ by what is missing first, then by version, variables and size', () => {
    expect(findDrift(staging, production)).toEqual({
      differences: [
        { kind: 'missing service', service: 'new', what: 'job', first: 'there' },
        { kind: 'version', service: 'api', what: 'deployed commit', first: 'aaa', second: 'bbb' },
        { kind: 'version', service: 'web', what: 'tag', first: 'v2', second: 'v1' },
        { kind: 'missing variable', what: 'D', first: 'set' },
        { kind: 'variable', service: 'api', what: 'B', first: '1', second: '2' },
        { kind: 'size', service: 'web', what: 'memory (MB)', first: '512', second: '1024' },
      ],
      pairs: 2,
      same: 0,
      unknown: ['C'],
      secrets: 0,
    });
  });

  test('lack no secret where not all of their secrets could be read', () => {
    const one: ComparedEnvironment = {
      name: 'one',
      services: [],
      hasSecrets: true,
      variables: [
        { key: 'BOTH', isSecret: true },
        { key: 'ONE', isSecret: true },
        { key: 'MIXED', isSecret: true },
      ],
    };
    const other: ComparedEnvironment = {
      name: 'other',
      services: [],
      hasSecrets: true,
      variables: [
        { key: 'BOTH', isSecret: true },
        { key: 'MIXED', value: 'plain' },
      ],
    };
    expect(findDrift(one, other)).toMatchObject({
      differences: [
        { kind: 'missing secret', what: 'ONE', first: 'set' },
        { kind: 'variable', what: 'MIXED', first: 'a secret', second: 'plain' },
      ],
      unknown: [],
      // BOTH: whether its values are the same is never compared.
      secrets: 1,
    });
    expect(findDrift(one, { ...other, hasSecrets: false }).differences).toEqual([
      { kind: 'variable', what: 'MIXED', first: 'a secret', second: 'plain' },
    ]);
    // What one has as a variable may be a secret of the other.
    const unseen = 'not among its variables; its secrets could not all be read';
    expect(findDrift({ ...one, hasSecrets: false, variables: [] }, other).differences).toEqual([
      { kind: 'variable not seen', what: 'MIXED', first: unseen, second: 'set' },
    ]);
    expect(findDrift(other, { ...one, hasSecrets: false, variables: [] }).differences).toEqual([
      { kind: 'variable not seen', what: 'MIXED', first: 'set', second: unseen },
    ]);
  });

  test('that are the same do not differ, whatever their services are made of', () => {
    const service = fc.record({
      name: fc.string({ minLength: 1, maxLength: 5 }),
      service_type: fc.constantFrom('CONTAINER', 'JOB'),
      ports: fc.anything({ maxDepth: 3 }),
      source: fc.anything({ maxDepth: 3 }),
      memory: fc.anything(),
    });
    fc.assert(
      fc.property(fc.uniqueArray(service, { selector: ({ name }) => name.toLowerCase(), maxLength: 5 }), (services) => {
        const one = { name: 'one', services };
        const { differences, pairs, same } = findDrift(one, { name: 'other', services: services.toReversed() });
        expect({ differences, pairs, same }).toEqual({
          differences: [],
          pairs: services.length,
          same: services.length,
        });
      }),
    );
  });

  test('differ the same way from either side', () => {
    const there = findDrift(staging, production).differences;
    const back = findDrift(production, staging).differences;
    const turned = back.map(({ first, second, ...rest }) => ({ ...rest, first: second, second: first }));
    const key = ({ kind, what, first, second }: (typeof there)[number]) => [kind, what, first, second].join();
    expect(turned.map(key).toSorted()).toEqual(there.map(key).toSorted());
  });
});

const service = (name: string, state: string, more = {}) => ({
  id: name,
  name,
  kind: 'container',
  status: { state, ...more },
});

const away = condition('WAITING_FOR_NODE', { node: 'node-2', since: '2026-11-20T10:20:00Z' });
const crowded = condition('INSTANCES_CROWDED', {
  instances: 2,
  nodes: ['node-1'],
  values: [],
  free: ['node-2'],
  isMoving: false,
});
const hasBackup = condition('DATA_ON_NODE', {
  backup: { name: 'nightly', at: '2026-11-20T03:00:00.000Z', node: 'node-1' },
  isBackedUpHere: true,
});
const missing = (running: number, isKnown = true) => condition('INSTANCES_MISSING', { running, wanted: 2, isKnown });

/** What a platform answers of these conditions. */
const told = (conditions: readonly Condition[]) => ({ warnings: conditions.map(({ message }) => message), conditions });

const warned = (name: string, state: string, ...conditions: readonly Condition[]) =>
  service(name, state, { running: told(conditions) });

/** Why a service is told to be out of date that runs with these warnings. */
const reasonWith = (...all: readonly Condition[]) =>
  overviewOf([service('old', 'DEPLOYED', { service_deployment_status: 'OUT_OF_DATE', running: told(all) })])
    .services[0]!.reason;

describe('an overview', () => {
  test('begins with what needs someone, and says why', () => {
    const { services, counts } = overviewOf([
      service('fine', 'DEPLOYED', { service_deployment_status: 'UP_TO_DATE' }),
      service('old', 'RUNNING', { service_deployment_status: 'OUT_OF_DATE' }),
      service('broken', 'DEPLOYMENT_ERROR', {
        last_deployment_date: at(1),
        steps: { details: [{ step_name: 'DEPLOYMENT', status: 'ERROR' }] },
      }),
      service('newly-broken', 'BUILD_ERROR', { last_deployment_date: at(2) }),
      service('strange', 'SOMETHING_NEW'),
      service('fresh', 'READY'),
      service('gone', 'STOPPED'),
      { id: 'x', name: 'mute', kind: 'job' },
      service('going', 'DEPLOYING', { status_details: { action: 'DEPLOY' } }),
      service('down', 'UNAVAILABLE'),
      service('given-up', 'CANCELED'),
    ]);
    expect(services.map(({ name, condition: standing }) => `${name}: ${standing}`)).toEqual([
      'newly-broken: failed',
      'broken: failed',
      'down: unavailable',
      'given-up: canceled',
      'going: moving',
      'strange: moving',
      'mute: unknown',
      'old: out of date',
      'gone: stopped',
      'fresh: never deployed',
      'fine: healthy',
    ]);
    expect(services[1]?.reason).toBe('its deployment failed at DEPLOYMENT');
    expect(counts).toMatchObject({ failed: 2, moving: 2, healthy: 1 });
    expect(standings).toEqual(expect.arrayContaining(Object.keys(counts)));
  });

  test('tells why, rather than how many instances are known to run', () => {
    const unknown = condition('NODE_UNREACHABLE', {
      node: 'node-2',
      since: '2026-11-23T05:00:00Z',
      instances: ['web-1-abc'],
    });
    const services = [
      warned('some', 'DEPLOYED', missing(1, false), unknown),
      warned('none', 'UNAVAILABLE', missing(0, false), unknown),
    ];
    expect(Object.fromEntries(overviewOf(services).services.map(({ name, reason }) => [name, reason]))).toEqual({
      none: unknown.message,
      some: `it runs, but: Only 1 of 2 instances are known to run. ${unknown.message}`,
    });
  });

  test('says why something is out of date by what was changed, not by another warning', () => {
    expect(reasonWith(crowded)).toMatch(
      /^its configuration or a variable changed since it was deployed; besides: All 2 instances/,
    );
    expect(reasonWith(crowded, condition('CHANGED_EXTERNALLY', { change: { of: 'scale', from: 2, to: 1 } }))).toMatch(
      /^Somebody scaled it/,
    );
  });
});

/** The backup that is told of a database that nothing runs of, for which these warnings are given. */
const backups = (...all: readonly Condition[]) =>
  overviewOf([{ ...warned('db', 'UNAVAILABLE', missing(0), ...all), kind: 'database' }]).services[0]!.backup;

/** What is told of a database of which a platform says only these sentences. */
const texts = (...warnings: readonly string[]) =>
  overviewOf([{ ...service('db', 'UNAVAILABLE', { running: { warnings } }), kind: 'database' }]).services[0]!;

describe('what the platform says of what runs', () => {
  test('is told in an overview: a reason rather than that nothing runs, also of what runs', () => {
    const { services } = overviewOf([
      warned('fine', 'DEPLOYED'),
      warned('crowded', 'DEPLOYED', crowded),
      warned('half', 'DEPLOYED', missing(1), away),
      warned('away', 'UNAVAILABLE', missing(0), away),
      warned('down', 'UNAVAILABLE', missing(0)),
    ]);
    expect(Object.fromEntries(services.map(({ name, reason }) => [name, reason]))).toEqual({
      away: away.message,
      down: 'No instance of it runs.',
      crowded: `it runs, but: ${crowded.message}`,
      half: `it runs, but: Only 1 of 2 instances run. ${away.message}`,
      fine: 'it runs',
    });
    expect(services.at(-1)!.name).toBe('fine');
  });

  test('takes little room in a big environment, and what is down is told first', () => {
    const running = Array.from({ length: 200 }, (_, index) =>
      warned(`s${index}`, 'DEPLOYED', condition('OTHER', { told: `${'long '.repeat(100)}${index}` })),
    );
    const { services } = overviewOf([...running, warned('away', 'UNAVAILABLE', away)]);
    expect(services[0]!.reason).toBe(away.message);
    expect(services.filter(({ reason }) => reason.includes('long'))).toHaveLength(9);
    expect(Math.max(...services.map(({ reason }) => reason.length))).toBeLessThan(220);
    expect(services.at(-1)!.reason).toBe('it runs, but: see the warnings of its own status');
  });

  test('of a database whose node is lost includes its backup; of one for which there is no room it does not', () => {
    expect(backups(away, hasBackup)).toBe('"nightly" of 2026-11-20T03:00:00.000Z on node-1');
    expect(backups(away, condition('DATA_ON_NODE', { isBackedUpHere: true }))).toBe('none');
    expect(
      backups(condition('INSUFFICIENT_RESOURCES', { what: 'an instance', said: 'no suitable node' }), hasBackup),
    ).toBeUndefined();
    expect(backups(away)).toBeUndefined();
  });

  test('of another platform, which tells only sentences, is shown and not interpreted', () => {
    expect(texts('No instance of it runs.', away.message, hasBackup.message)).toMatchObject({
      reason: 'No instance of it runs.',
    });
    expect(texts(away.message, hasBackup.message)).not.toHaveProperty('backup');
  });

  test('is left out where it is of no form that is known', () => {
    for (const conditions of ['text', null, [null, 3, ''], [{ reason: 'NEW' }, { details: 'none' }]])
      expect(overviewOf([service('odd', 'DEPLOYED', { running: { conditions } })]).services[0]!.reason).toBe('it runs');
    for (const warnings of ['text', null, [null, 3, '']])
      expect(overviewOf([service('odd', 'DEPLOYED', { running: { warnings } })]).services[0]!.reason).toBe('it runs');
  });
});

const commit = (id: string) => ({ commit: { git_commit_id: id, message: `${id} title\nbody`, author_name: 'Ada' } });

describe('changes', () => {
  const older = deployment({ id: 'one', minute: 10, status: 'DEPLOYED', details: commit('aaaaaaa1') });
  const newer = deployment({ id: 'two', minute: 40, status: 'BUILD_ERROR', details: commit('bbbbbbb2') });
  const surroundings = {
    variables: [
      { key: 'A', created_at: at(1), updated_at: at(20), scope: 'PROJECT' },
      { key: 'B', updated_at: at(50) },
    ],
    configuredAt: at(5),
  };

  test('between two deployments are the commit and what was changed in between', () => {
    expect(changesBetween(older, newer, surroundings)).toEqual([
      { kind: 'commit', text: 'commit aaaaaaa → bbbbbbb ("bbbbbbb2 title" by Ada)' },
      { kind: 'variable', variable: 'A', text: 'variable A changed (project)', at: at(20) },
    ]);
    expect(changesBetween(older, older)).toEqual([]);
  });

  test('since a time are deployments and what was changed around them, newest first', () => {
    expect(changesSince([newer, older], at(15), surroundings).map(({ text }) => text)).toEqual([
      'variable B changed',
      'deploy ended as BUILD_ERROR, commit bbbbbbb, by ci',
      'variable A changed (project)',
    ]);
  });
});
