import { expect, test } from 'vitest';
import { condition, type Condition } from '../../src/contract/index.ts';

const since = '2026-11-20T10:20:00Z';
const exited = condition('EXITED', { code: 3 });
const missing = ['its network', 'its node'];
const git = { repository: 'https://git.example/shop.git', host: 'git.example' };
const notReady = condition('PROBE_FAILED', { probe: 'readiness', how: 'not passed', why: 'port 8080: status 404' });
const notAlive = condition('PROBE_FAILED', { probe: 'liveness', how: 'failed', why: 'exit code 1' });

/** Conditions, and what people read of them. Tests of what makes them look at their data. */
const told: readonly (readonly [Condition, string])[] = [
  [condition('EXITED', { code: 127 }), 'a program was not found (exit code 127)'],
  [
    condition('TERRAFORM_STOPPED', { code: 81 }),
    'Terraform could not initialize its working directory: the log has its own words. Nothing was changed',
  ],
  [
    condition('TERRAFORM_STOPPED', { code: 82 }),
    'Terraform could not make the plan: the log has its own words. Nothing was changed',
  ],
  [
    condition('TERRAFORM_STOPPED', { code: 83 }),
    'Terraform failed while it applied the plan. What it had done until then is in the state, and the next ' +
      'plan goes on from there',
  ],
  [
    condition('TERRAFORM_STOPPED', { code: 84 }),
    'the state of Terraform is locked: the log says by whom, since when, and the ID of the lock. Nothing was ' +
      'changed. Wait for that run to end. If it was killed, whoever runs its backend releases the lock ' +
      '(terraform force-unlock and the ID); that is never done here',
  ],
  [
    condition('TERRAFORM_STOPPED', { code: 87 }),
    'the state that is kept here belongs to another folder of the repository ("root_path"). Nothing was ' +
      'changed. Set "root_path" back; to start again in the other folder, create another service',
  ],
  [
    condition('TERRAFORM_STOPPED', { code: 89 }),
    'the plan is older than the state: something else has changed it since. Nothing was changed. Make a new plan',
  ],
  [
    condition('PULL_FAILED', { node: 'node-3', said: 'No such image: web:1', registry: 'registry.example' }),
    'its image could not be pulled on the node node-3: No such image: web:1. The registry registry.example ' +
      'has it, so the node does not reach the registry, or has no space left on its disk',
  ],
  [
    condition('RUN_ATTEMPT_FAILED', { nth: 1, most: 3, cause: exited }),
    'Attempt 1 of 3 failed: it ended with exit code 3',
  ],
  [
    condition('RUN_FAILED', { what: 'the job', attempts: 3, cause: exited }),
    'The job failed in all of its 3 attempts: it ended with exit code 3.',
  ],
  [
    condition('RUN_FAILED', { what: 'the job', attempts: 1, cause: exited }),
    'The job failed: it ended with exit code 3.',
  ],
  [
    condition('RUN_LOST', { what: 'the job', cause: condition('LOST_WITH_NODE', { node: 'node-2', since }) }),
    'The job failed: it was lost with the node node-2, which went down at 2026-11-20T10:20:00Z or earlier. ' +
      "Whether it goes on there can't be seen, so it is not tried again: it could run twice at once.",
  ],
  [
    condition('RUN_UNHEALTHY', { what: 'the job', cause: notAlive }),
    'The engine ended the job. The liveness probe failed: exit code 1.',
  ],
  [
    condition('TIME_LIMIT_EXCEEDED', { what: 'the job', seconds: 2, member: 'max_duration_seconds' }),
    'The job was stopped: it exceeded its time limit of 2 seconds (max_duration_seconds).',
  ],
  [
    condition('NOT_READY_IN_TIME', { cause: notReady }),
    'An instance of the new version did not get ready in time. The readiness probe has not passed: port ' +
      '8080: status 404.',
  ],
  [
    condition('INSTANCES_FAILED', { instances: 1, cause: condition('ENDED_BY_ENGINE', { cause: notAlive }) }),
    'An instance of the new version failed: the engine ended it. The liveness probe failed: exit code 1.',
  ],
  [
    condition('INSTANCES_FAILED', { instances: 2, cause: exited }),
    '2 instances of the new version failed: it ended with exit code 3.',
  ],
  [
    condition('NOT_ROLLED_BACK', { missing, cause: condition('INSTANCES_FAILED', { instances: 1, cause: exited }) }),
    "An instance of the new version failed: it ended with exit code 3. The version before can't be started " +
      "again: the cluster doesn't have its network, its node any more, as after it was created again. Nothing of the " +
      'service runs until a deployment succeeds.',
  ],
  [
    condition('PARTS_MISSING', { service: 'shop', missing }),
    "The cluster doesn't have what shop was deployed with any more (its network, its node), as after it was " +
      'created again. Deploy it again.',
  ],
  [
    condition('IMAGE_NOT_FOUND', { image: 'registry.example/web:2', registry: 'registry.example' }),
    'The image registry.example/web:2 does not exist: the registry registry.example knows no such name or tag.',
  ],
  [
    condition('PULL_DENIED', { image: 'registry.example/web:2', registry: 'registry.example' }),
    'The registry registry.example denied access to registry.example/web:2: it does not exist, or these ' +
      'credentials may not pull it.',
  ],
  [
    condition('BASE_IMAGE_DENIED', { image: 'registry.example/base:1' }),
    "The base image registry.example/base:1 can't be pulled: it does not exist, or its registry denies access.",
  ],
  [
    condition('BUILD_OVERDUE', { seconds: 3 }),
    'The build did not end within 3 seconds, which is its limit ("build_minutes" in the clusters file).',
  ],
  [
    condition('GIT_ACCESS_DENIED', { ...git, by: 'key', of: 'key' }),
    "The git server git.example denied access: it doesn't take the key. Whoever runs the platform configures " +
      'the key for git.example, under "git" in the clusters file.',
  ],
  [
    condition('GIT_KEY_UNUSABLE', { host: 'git.example', fault: 'readable' }),
    "The key for git.example is not used, because others on the platform's machine may read its file: let " +
      "the platform's user alone read it (chmod 600).",
  ],
  [
    condition('GIT_KEY_UNUSABLE', { host: 'git.example', fault: 'unusable' }),
    `The key for git.example can't be used: the "key_file" that the clusters file names is missing, has a ` +
      'passphrase, or is no private key.',
  ],
  [
    condition('GIT_HOST_UNKNOWN', { host: 'git.example' }),
    'The git server git.example is not known: its key is not in a "known_hosts_file" that the clusters file ' +
      'names for it, under "git".',
  ],
  [
    condition('GIT_HOST_CHANGED', { host: 'git.example' }),
    'The git server git.example shows another key than the one in its "known_hosts_file": it was set up ' +
      'again, or something else answers in its place.',
  ],
  [
    condition('CPU_MISMATCH', { architecture: 'x86_64', nodes: ['fast (aarch64)'] }),
    'The nodes that the placement rules ask for have another kind of CPU than the engine of the platform ' +
      '(x86_64): fast (aarch64). All nodes need the same kind. It has no storage yet. Nothing was changed.',
  ],
  [
    condition('NO_NODE', {}),
    'The cluster has no node. It has no storage yet: any node that fits would do. Nothing was changed.',
  ],
  [
    condition('IMAGE_ON_ONE_NODE', { nodes: ['node-2'] }),
    'The cluster has other nodes that take instances (node-2), and only the one that builds the image would ' +
      'have it. Whoever runs the platform gives them a registry, with "registry" or "build_registry" in the ' +
      'clusters file. Nothing was fetched or built.',
  ],
  [
    condition('NODE_DOWN', { node: 'node-2', since, waiting: [] }),
    'The node node-2 has been down since 2026-11-20T10:20:00Z or earlier. Its instances are started on other ' +
      'nodes, as far as these have room.',
  ],
  [
    condition('NODE_DRAINED', { node: 'node-1', waiting: ['files'] }),
    'The node node-1 is drained: its instances run on other nodes, as far as these have room. What can run ' +
      'only there waits for it: files.',
  ],
  [
    condition('CLUSTER_UNREACHABLE', { since, said: 'GET /services: nothing listens' }),
    "Its cluster can't be looked at since 2026-11-20T10:20:00Z: GET /services: nothing listens. What runs is " +
      'not known.',
  ],
  [
    condition('REMOVED_EXTERNALLY', {}),
    'Its service is not on the engine any more: somebody removed it, or created the cluster again. Deploy it again.',
  ],
  [
    condition('CHANGED_EXTERNALLY', { change: { of: 'variables', names: ['COLOUR', 'SIZE'] } }),
    'Somebody changed its variables on the engine: COLOUR, SIZE. Deploy it again to undo that.',
  ],
  [
    condition('CHANGED_EXTERNALLY', { change: { of: 'command' } }),
    'Somebody changed the command of its instances on the engine. Deploy it again to undo that.',
  ],
  [
    condition('INSTANCES_CROWDED', { instances: 2, nodes: ['node-2'], values: [], free: ['node-3'], isMoving: false }),
    'All 2 instances run on node-2, although node-3 would take some. The next deployment spreads them.',
  ],
  [
    condition('CRASHED', { times: 2, at: since, cause: exited }),
    'Instances have 2 times ended unexpectedly since the deployment. The last time, at 2026-11-20T10:20:00Z: ' +
      'it ended with exit code 3.',
  ],
  [
    condition('INSTANCE_FAILED', { instance: 'web-1-abc', cause: exited, nth: 2 }),
    'Instance web-1-abc failed: it ended with exit code 3. It is started again (failure 2 since the deployment).',
  ],
  [
    condition('DATA_ON_NODE', { backup: { name: 'before', at: since, node: 'node-1' }, isBackedUpHere: true }),
    'Its data is on its node only. If that node does not come back: its newest complete backup is "before" ' +
      'of 2026-11-20T10:20:00Z on node-1, and restore_database brings it back on another node, without what ' +
      'was written since.',
  ],
  [
    condition('PROMETHEUS_MISSING', { metrics: ['infra_node_ready', 'infra_service_restarts'] }),
    'It is not evaluated: that needs a Prometheus, and the clusters file of the platform names none. Without ' +
      'one, a condition can be one of these metrics, with labels such as {service="web"} or without, compared by ' +
      'operator and threshold: infra_node_ready, infra_service_restarts.',
  ],
  [
    condition('CLUSTER_NOT_MEASURED', {}),
    'Its cluster is not measured at present, so nobody knows whether its condition holds.',
  ],
  [
    condition('METRIC_WITHOUT_VALUE', { metric: 'infra_node_ready', gaps: [], more: 0 }),
    'There is no value of infra_node_ready for what it watches at present.',
  ],
  [
    condition('RULE_PARTLY_EVALUATED', {
      gaps: [{ of: 'shop/web', reasons: ['It is away.', 'So is that.'] }],
      more: 2,
    }),
    'It is evaluated by a part of what it watches. shop/web: It is away. So is that. And 2 more.',
  ],
  [
    condition('RECEIVER_WITHOUT_ADDRESS', { receiver: 'operators' }),
    'The receiver operators is not told: the platform has no address for it. Give it one with webhook_url.',
  ],
  [condition('RECEIVER_BY_MAIL', { receiver: 'team' }), 'The receiver team is not told: the platform sends no e-mail.'],
  [
    condition('RECEIVER_NOT_REACHED', { receiver: 'operators', why: 'it answered with HTTP 503' }),
    'The receiver operators could not be told: it answered with HTTP 503.',
  ],
];

test.each(told.map(([{ reason, message }, sentence]) => [reason, message, sentence]))('%s', (_, message, sentence) => {
  expect(message).toBe(sentence);
});
