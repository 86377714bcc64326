import { expect, test } from 'vitest';
import { connectedForAll } from '../support/connected-platform.ts';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { agree, textOf, userAnswering } from '../support/mcp-clients.ts';
import { startRecordingProxy } from '../support/recording-proxy.ts';
import { rowsOf, type Json, type TestPlatform } from '../support/test-platform.ts';

let platform: TestPlatform;
let connectors: Connectors;

connectedForAll((connected) => ({ platform, connectors } = connected));

async function calling(tool: string, args: Json) {
  const result = await (await connectors.modern(userAnswering(agree))).call(tool, args);
  expect(result.isError === true ? textOf(result) : '').toBe('');
  return { text: textOf(result), answer: (result.structuredContent ?? {}) as Json };
}

const nightly = 'shop/staging/nightly-export';
const schedule = '"30 2 * * *" (Europe/Paris)';

test('a cron job: made, planned and deployed, each answer says when it runs and whether it also runs now', async () => {
  const made = await calling('create_job', {
    environment: 'shop/staging',
    name: 'nightly-export',
    source: { image: { image_name: 'acme/report', tag: '3.2.0', registry_id: platform.seed['registry_id'] } },
    schedule: { cronjob: { scheduled_at: '30 2 * * *', timezone: 'Europe/Paris' } },
    cpu: 100,
    memory: 128,
    max_nb_restart: 1,
    max_duration_seconds: 2_400,
  });
  expect(made.text).toContain('Not deployed yet: until it is, nothing runs, by the clock or otherwise.');
  expect(made.text).toContain(
    'deploy_service deploys it: that sets its schedule. Some platforms also run it once at each deployment.',
  );
  const before = await calling('list_job_deployments', { job: nightly });
  expect(before.answer).toMatchObject({ schedule, schedule_off: 'never_deployed' });
  expect(before.text).not.toContain(`Scheduled at ${schedule}.`);
  const plan = await calling('deploy_service', { service: nightly, dry_run: true });
  expect(plan.text).toContain(`Schedules the job at ${schedule} (some platforms also run it once at each deployment).`);
  const deployed = await calling('deploy_service', { service: nightly, wait: true });
  expect(deployed.answer['job']).toMatch(
    /^scheduled at "30 2 \* \* \*" \(Europe\/Paris\); this deployment also ran it once, and that run ended well; next run due at .*T0[01]:30:00\.000Z$/,
  );
  expect(deployed.text).toContain(
    `Job: scheduled at ${schedule}; this deployment also ran it once, and that run ended well`,
  );
  const next = /^Next: search_logs (?<args>\{.*?\})/m.exec(deployed.text)!.groups!['args']!;
  expect((await calling('search_logs', JSON.parse(next) as Json)).text).toContain('exit code 0');
  const runs = await calling('list_job_deployments', { job: nightly });
  expect(runs.answer['schedule']).toBe(schedule);
  expect(runs.text).toContain(`Scheduled at ${schedule}.`);
  const due = String(runs.answer['next_run']);
  expect(due).toMatch(/^\d{4}-\d\d-\d\dT0[01]:30:00\.000Z$/);
  expect(runs.text).toContain(`Next run: ${due}`);
  expect((await calling('get_service', { service: nightly })).answer).toMatchObject({ next_run: due });
  const again = await calling('deploy_service', { service: nightly, dry_run: true });
  expect(again.text).toMatch(
    /^Schedules the job at .*; its deployment at \S+Z also ran it once, so this one probably/m,
  );
  const several = { services: [{ service: nightly }, { service: 'shop/staging/search' }] };
  expect((await calling('deploy_service', { ...several, dry_run: true })).text).toMatch(
    /^Deploys job nightly-export .*; its deployment at \S+Z also ran it once/m,
  );
  const both = await calling('deploy_service', { ...several, wait: true });
  expect(both.answer['jobs']).toEqual([
    expect.stringMatching(
      /^nightly-export: scheduled at .*; this deployment also ran it once, and that run ended well/,
    ),
  ]);
  expect(both.text).toMatch(/^Job nightly-export: scheduled at .*also ran it once/m);
  await calling('stop_services', { services: [nightly], wait: true });
  const stopped = await calling('list_job_deployments', { job: nightly });
  expect(stopped.answer).toMatchObject({ schedule, schedule_off: 'stopped' });
  expect(stopped.text).toContain(`Scheduled at ${schedule}, but it is stopped`);
  expect((await calling('get_service', { service: nightly })).answer['next_run']).toMatch(/^none: it is stopped/);
});

test('the deployment of a whole environment says which cron jobs it ran', async () => {
  const environment = 'shop/production';
  const made = {
    environment,
    name: 'weekly-export',
    source: { image: { image_name: 'acme/report', tag: '3.2.0', registry_id: platform.seed['registry_id'] } },
    schedule: { cronjob: { scheduled_at: '0 4 * * 1', timezone: 'Etc/UTC' } },
    cpu: 100,
    memory: 128,
  };
  await calling('create_job', made);
  const accepted = await calling('deploy_service', { environment });
  expect(accepted.text).toMatch(/weekly-export: .*schedules the job at "0 4 \* \* 1" \(Etc\/UTC\)/);
  const { answer } = await calling('wait_for_deployment', { environment });
  expect(answer).toMatchObject({
    outcome: 'succeeded',
    jobs: [expect.stringMatching(/^weekly-export: scheduled at .*; this deployment also ran it once/)],
  });
  await calling('delete_service', { service: `${environment}/weekly-export`, wait: true });
});

test.each([
  [{ on_stop: {} }, 'Runs the job now unless the platform runs it only when its environment is stopped.'],
  [
    { on_stop: {}, on_delete: {} },
    'Runs the job now unless the platform runs it only when its environment is stopped or deleted.',
  ],
  [{ on_start: {}, on_delete: {} }, 'Runs the job now.'],
  [{ cronjob: {} }, 'Runs the job now or, if it is a cron job, may only schedule it.'],
  [undefined, 'Runs the job now or, if it is a cron job, may only schedule it.'],
])('a plan says no more than the schedule tells: %j', async (told, line) => {
  const proxy = await startRecordingProxy(platform.url, {
    alter: (method, path, body) =>
      method === 'GET' && /^\/job\/[^/]+$/.test(path) ? { ...(body as Json), schedule: told } : body,
  });
  const behind = connectorsTo(proxy.url, platform.tokens.admin);
  const plan = textOf(
    await (await behind.modern()).call('deploy_service', { service: platform.seed['job_id'], dry_run: true }),
  );
  expect(plan.split('\n')).toContain(line);
  await behind.close();
  await proxy.close();
});

test('a job that can not be read may be a cron job', async () => {
  const proxy = await startRecordingProxy(platform.url, { mode: 'unknown' });
  const behind = connectorsTo(proxy.url, platform.tokens.admin);
  const plan = textOf(
    await (
      await behind.modern()
    ).call('deploy_service', { service: `infra://service/job/${platform.seed['job_id']}`, dry_run: true }),
  );
  expect(plan.split('\n')).toContain('Runs the job now or, if it is a cron job, may only schedule it.');
  await behind.close();
  await proxy.close();
});

test('a job without a clock only runs', async () => {
  await calling('create_job', {
    environment: 'shop/staging',
    name: 'warm-up',
    source: { image: { image_name: 'acme/report', tag: '3.2.0', registry_id: platform.seed['registry_id'] } },
    schedule: { on_start: { entrypoint: 'warm', arguments: [] } },
    cpu: 100,
    memory: 128,
    max_nb_restart: 1,
    max_duration_seconds: 600,
  });
  const plan = await calling('deploy_service', { service: 'shop/staging/warm-up', dry_run: true });
  expect(plan.text).toContain('Runs the job now.');
  expect(plan.text).not.toContain('chedule');
  const before = await calling('list_job_deployments', { job: 'shop/staging/warm-up' });
  const next_run = 'at no set time, but when its environment is started';
  expect(before.answer).toMatchObject({ deployed: 'never', next_run });
  expect(before.text).toMatch(/^0 history entries, page 1/m);
  expect(before.text).toContain(`\nIt was never deployed.\nNext run: ${next_run}.`);
  expect(before.text).not.toContain('chedule');
  expect((await calling('get_service', { service: 'shop/staging/warm-up' })).answer).toMatchObject({ next_run });
  expect((await calling('deploy_service', { service: 'shop/staging/warm-up', wait: true })).text).not.toContain('Job:');
});

const report = 'shop/staging/nightly-report';
const late =
  /^a run was due at \d{4}-\d\d-\d\dT03:00:00\.000Z, and its history has none since, nor any by its schedule before/;
const firing = ['report-late (SUPPRESSED: nobody is told)'];

test.each([
  ['get_service', { service: report }],
  ['list_job_deployments', { job: report }],
  ['diagnose_deployment', { service: report }],
])('%s tells which run of a job is overdue, and the alert that fires about it', async (tool, args) => {
  const { text, answer } = await calling(tool, args);
  expect(answer).toMatchObject({ late: expect.stringMatching(late) as string, alerts: firing });
  expect(text.match(/^Overdue: a run was due at .*$/gm)).toHaveLength(1);
  expect(text.match(/^An alert fires: report-late .*$/gm)).toHaveLength(1);
});

test('a history tells that none of its entries is a run by its schedule', async () => {
  const { answer, text } = await calling('list_job_deployments', { job: report });
  expect((answer['results'] as Json[]).map(({ kind }) => kind)).not.toContain('by schedule');
  expect(answer).toMatchObject({ no_run_by_schedule: 'on record' });
  expect(text).toContain('No run by its schedule is on record.');
  const { answer: full } = await calling('list_job_deployments', { job: report, page_size: 1 });
  expect(full).toMatchObject({ no_run_by_schedule: 'among these' });
});

test('an environment with an overdue job is not healthy, and not one of which only no deployment failed', async () => {
  const { answer } = await calling('get_environment_overview', { environment: 'shop/staging' });
  const row = (answer['results'] as Json[]).find(({ name }) => name === 'nightly-report');
  expect(row).toMatchObject({ condition: 'overdue' });
  expect(row!['reason']).toMatch(/^a run was due at .*, and an alert fires: report-late/);
  const { answer: status } = await calling('get_environment_status', { environment: 'shop/staging' });
  const job = (status['jobs'] as Json[]).find(({ name }) => name === 'nightly-report');
  expect(job!['warning']).toMatch(late);
  const { answer: diagnosis } = await calling('diagnose_deployment', { environment: 'shop/staging' });
  expect(diagnosis).toMatchObject({ outcome: 'nothing failed', alerts: expect.arrayContaining(firing) as string[] });
  expect(diagnosis['late']).toMatch(/^nightly-report \(job\): a run was due at /);
});

test('an overview of everything counts an overdue job, and where its history can not be read says so', async () => {
  const { answer } = await calling('get_organization_overview', {});
  expect(answer['services']).toMatchObject({ overdue: 1 });
  const row = (answer['results'] as Json[]).find(({ environment }) => environment === 'shop/staging');
  expect(row!['what']).toMatch(/overdue: nightly-report since \d{4}-\d\d-\d\dT03:00Z/);
  const proxy = await startRecordingProxy(platform.url, {
    beforeRequest: async (_, { url }, response) => {
      if (/^\/job\/[^/]+\/deploymentHistory/.test(url!)) response.writeHead(500).end();
    },
  });
  const behind = connectorsTo(proxy.url, platform.tokens.admin);
  const unread = await (await behind.modern()).call('get_organization_overview', {});
  expect((unread.structuredContent as Json)['services']).not.toHaveProperty('overdue');
  expect(textOf(unread)).toContain('Not known: whether 1 cron job ran when due');
  await behind.close();
  await proxy.close();
});

/** A deployment of now that ended so, and by whom. */
const ofNow =
  (status: string, by: Json = {}) =>
  (row: Json) => ({
    ...row,
    status,
    auditing_data: { ...(row['auditing_data'] as Json), created_at: new Date().toISOString(), ...by },
  });

const byClock = { origin: 'SERVICE_INTERNAL', triggered_by: 'schedule' };

/** The runs of the job with another one, which its newest becomes. */
async function altered(change: (row: Json) => Json) {
  const proxy = await startRecordingProxy(platform.url, {
    alter: (method, path, body) => {
      if (method !== 'GET' || !/^\/job\/[^/]+\/deploymentHistory/.test(path)) return body;
      const { results, ...rest } = body as { results: Json[] };
      const [newest] = results;
      return { ...rest, results: newest ? [change(newest), ...results] : results };
    },
  });
  const behind = connectorsTo(proxy.url, platform.tokens.admin);
  const result = await (await behind.modern()).call('list_job_deployments', { job: report });
  await behind.close();
  await proxy.close();
  return result.structuredContent as Json;
}

test('a job that ran by its schedule since it was due is not overdue, and one whose run failed is told as such', async () => {
  const ran = await altered(ofNow('DEPLOYED', byClock));
  expect(ran).not.toHaveProperty('late');
  expect((ran['results'] as Json[])[0]).toMatchObject({ kind: 'by schedule' });
  expect((await altered(ofNow('DEPLOYMENT_ERROR', byClock)))['late']).toContain('and the run since then failed');
});

test('where it is not told what began a run, it is not told whether the job is overdue', async () => {
  const untold = await altered(ofNow('DEPLOYED', { origin: null }));
  expect(untold).not.toHaveProperty('late');
  expect(untold['late_not_told']).toContain('was by its schedule is not told');
  expect((untold['results'] as Json[])[0]).toMatchObject({ kind: 'not told' });
});

test('a variable that makes an overdue job out of date hides neither that, nor the alert', async () => {
  const variable = { environment: 'shop/staging', key: 'REPORT_DAY', value: 'monday' };
  const created = await calling('create_environment_variable', variable);
  for (const [tool, args] of [
    ['get_service', { service: report }],
    ['list_job_deployments', { job: report }],
    ['diagnose_deployment', { service: report }],
  ] as const)
    expect((await calling(tool, args)).answer, tool).toMatchObject({
      late: expect.stringMatching(late) as string,
      alerts: firing,
    });
  const { answer } = await calling('get_environment_overview', { environment: 'shop/staging' });
  expect((answer['results'] as Json[]).find(({ name }) => name === 'nightly-report')).toMatchObject({
    condition: 'overdue',
    reason: expect.stringContaining('and is out of date') as string,
  });
  const { answer: everything } = await calling('get_organization_overview', {});
  const row = (everything['results'] as Json[]).find(({ environment }) => environment === 'shop/staging');
  expect(row!['what']).toMatch(/overdue: nightly-report since [^;]*;.*out of date: .*nightly-report/);
  expect(created.answer).not.toHaveProperty('late');
  await calling('delete_environment_variable', { environment: 'shop/staging', key: 'REPORT_DAY' });
});

test('a run that somebody asks for hides no dead schedule, and a history tells it from one by the clock', async () => {
  await calling('deploy_service', { service: report, wait: true });
  const stillLate =
    /^a run was due at .*, and its history has none by its schedule, .* on request at .*, which ended well$/;
  for (const [tool, args] of [
    ['get_service', { service: report }],
    ['list_job_deployments', { job: report }],
    ['diagnose_deployment', { service: report }],
  ] as const) {
    const { text, answer } = await calling(tool, args);
    expect(answer).toMatchObject({ late: expect.stringMatching(stillLate) as string, alerts: firing });
    if (tool === 'diagnose_deployment')
      expect(text).toMatch(/Overdue: [^]*\nWhy a run did not begin is not known: [^]*: succeeded\n/);
  }
  const { answer: runs } = await calling('list_job_deployments', { job: report });
  expect((runs['results'] as Json[])[0]).toMatchObject({ kind: 'run or deployment on request' });
  const { answer: overview } = await calling('get_environment_overview', { environment: 'shop/staging' });
  expect((overview['results'] as Json[]).find(({ name }) => name === 'nightly-report')).toMatchObject({
    condition: 'overdue',
  });
  expect((await calling('get_organization_overview', {})).answer['services']).toMatchObject({ overdue: 1 });
});

test('another schedule that is deployed hides neither the run that was missed before, nor the alert', async () => {
  const changed = await calling('update_job', {
    job: report,
    schedule: { cronjob: { scheduled_at: '30 4 1 1 *', timezone: 'Etc/UTC' } },
  });
  const newYear = /\d{4}-01-01T04:30:00\.000Z/;
  expect(changed.text).toMatch(
    /^By the new schedule its next run is due at \d{4}-01-01T04:30:00\.000Z, if it is deployed by then; until it is deployed, it runs as before, next at .*T03:00:00\.000Z\.$/m,
  );
  const waiting = await calling('list_job_deployments', { job: report });
  expect(waiting.answer).toMatchObject({
    alerts: firing,
    late: expect.stringMatching(/^a run was due at \S+T03:00:00\.000Z, and its history has none/) as string,
  });
  expect(waiting.answer['next_run']).toMatch(/^\S+T03:00:00\.000Z by the schedule that is deployed; .*-01-01T04:30/);
  await calling('deploy_service', { service: report, wait: true });
  const before =
    /^a run was due at \S+T03:00:00\.000Z by the schedule that was in force until the deployment at \S+Z, and/;
  for (const [tool, args] of [
    ['get_service', { service: report }],
    ['list_job_deployments', { job: report }],
    ['diagnose_deployment', { service: report }],
  ] as const) {
    const { answer } = await calling(tool, args);
    expect(answer, tool).toMatchObject({ late: expect.stringMatching(before) as string, alerts: firing });
    if (tool !== 'diagnose_deployment') expect(answer['next_run'], tool).toMatch(newYear);
  }
  const { answer: runs } = await calling('list_job_deployments', { job: report });
  expect((runs['results'] as Json[])[0]).toMatchObject({ kind: 'deployment' });
  expect((await calling('get_organization_overview', {})).answer['services']).toMatchObject({ overdue: 1 });
});

test('where the history tells no schedules, a run by the one before may have been missed, and the alert is named', async () => {
  const proxy = await startRecordingProxy(platform.url, {
    alter: (method, path, body) =>
      method === 'GET' && /^\/job\/[^/]+\/deploymentHistory/.test(path)
        ? { ...(body as Json), results: rowsOf(body as Json).map((row) => ({ ...row, details: {} })) }
        : body,
  });
  const behind = connectorsTo(proxy.url, platform.tokens.admin);
  const result = await (await behind.modern()).call('list_job_deployments', { job: report });
  expect(result.structuredContent).not.toHaveProperty('late');
  expect(result.structuredContent).toMatchObject({
    alerts: firing,
    late_not_told: expect.stringContaining('whether a run was missed by the one before is not known') as string,
  });
  await behind.close();
  await proxy.close();
});
