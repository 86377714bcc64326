import { setTimeout as pause } from 'node:timers/promises';
import type { Assistant, ToolAnswer } from './assistant.ts';
import type { DemoMachine } from './docker-machine.ts';
import { ensure, type Row, succeeded } from './steps.ts';

const environment = 'shop/demo';
const database = `${environment}/visits`;
const application = `${environment}/web`;
const repository = 'web';

/** Longest that a deployment is waited for, in milliseconds: the first one pulls images. */
const longestDeployment = 300_000;
const loadInterval = 100;

/** A page that counts its visits in the database. What its neighbours need to reach that are variables. */
const page = (version: string): string => `#!/bin/sh
value() { env | sed -n "s/^DATABASE_[0-9A-F]*_$1=//p"; }
count=$(printf 'AUTH %s\\r\\nINCR visits\\r\\nQUIT\\r\\n' "$(value PASSWORD)" | nc "$(value HOST)" "$(value PORT)" | tr -d '\\r' | sed -n 's/^://p')
printf 'Content-Type: text/plain\\r\\n\\r\\nversion ${version}, visit %s\\n' "$count"
`;

const dockerfile = (base: string): string =>
  `FROM ${base}\nCOPY cgi-bin /www/cgi-bin\nCOPY start.sh /start.sh\nCMD ["/bin/sh", "/start.sh"]\n`;
const serve = 'echo "listening on 8080"\nexec httpd -f -p 8080 -h /www\n';
const broken = 'echo "cannot read /etc/shop.conf: no such file"\nexit 3\n';

/** Deploys, shows the states, and waits for the end. */
async function deploy(assistant: Assistant, tool: string, target: Row, name: string): Promise<ToolAnswer> {
  const { output: show } = assistant;
  const deadline = Date.now() + longestDeployment;
  for (
    let answer = await show.whileWaiting(`deploying ${name}`, () => assistant.call(tool, { ...target, wait: true }));
    ;
  ) {
    if (answer.failed || /\b(?:DEPLOYED|RUNNING|\w+_ERROR)\b/.test(answer.text)) return answer;
    ensure(Date.now() < deadline, `${name} is still not deployed: ${answer.text}`);
    answer = await show.whileWaiting(`deploying ${name}`, () =>
      assistant.call('wait_for_deployment', { service: `${environment}/${name}` }),
    );
  }
}

/**
 * Asks for a page again and again while something goes on.
 * @returns how many answers came, and how many weren't the page
 */
async function underLoad(
  machine: DemoMachine,
  address: string,
  meanwhile: () => Promise<void>,
): Promise<{ readonly asked: number; readonly failed: number }> {
  const load = { goesOn: true };
  const ask = async () => {
    let [asked, failed] = [0, 0];
    while (load.goesOn) {
      const { status, text } = await machine.fetch(address);
      asked += 1;
      if (status !== 200 || !text.includes('visit ')) failed += 1;
      await pause(loadInterval);
    }
    return { asked, failed };
  };
  const counted = ask();
  try {
    await meanwhile();
  } finally {
    load.goesOn = false;
  }
  return counted;
}

/** The first public address in an answer. */
function addressIn({ data }: ToolAnswer): string {
  const found = /https?:\/\/[\w.-]+\.localhost(?::\d+)?/.exec(JSON.stringify(data))?.[0];
  ensure(found !== undefined, `the answer has no public address: ${JSON.stringify(data)}`);
  return `${found}/cgi-bin/visits`;
}

const deployed = (answer: ToolAnswer, name: string): ToolAnswer => {
  ensure(!answer.failed && /\b(?:DEPLOYED|RUNNING)\b/.test(answer.text), `${name} was not deployed: ${answer.text}`);
  return answer;
};

/**
 * Builds a small repository, runs it with its database behind the proxy, breaks it, and mends it. Checks each step.
 * @throws UnexpectedStep that describes the first unexpected result
 */
export async function runDockerStory(assistant: Assistant, machine: DemoMachine): Promise<void> {
  const { output: show } = assistant;
  const commit = (message: string, files: Readonly<Record<string, string>>): string =>
    machine.git.commit(repository, message, files);
  commit('count visits', { Dockerfile: dockerfile(machine.base), 'start.sh': serve, 'cgi-bin/visits': page('1') });

  show.emit({ event: 'chapter', title: '"Run the repository web with a Redis, at an address"' });
  succeeded(await assistant.call('create_project', { name: 'shop' }));
  succeeded(
    await assistant.call('create_environment', { project: 'shop', name: 'demo', mode: 'STAGING', cluster: 'local' }),
  );
  succeeded(
    await assistant.call('create_database', {
      environment,
      name: 'visits',
      type: 'REDIS',
      version: '7',
      mode: 'CONTAINER',
    }),
  );
  succeeded(
    await assistant.call('create_application', {
      environment,
      name: 'web',
      git_repository: { url: machine.git.url(repository), branch: 'main' },
      cpu: 200,
      memory: 64,
      min_running_instances: 2,
      max_running_instances: 2,
      ports: [{ name: 'web', internal_port: 8080, external_port: 443, protocol: 'HTTP', publicly_accessible: true }],
    }),
  );
  deployed(await deploy(assistant, 'deploy_database', { database }, 'visits'), 'visits');
  deployed(await deploy(assistant, 'deploy_application', { application }, 'web'), 'web');
  const address = addressIn(succeeded(await assistant.call('get_service', { service: application })));
  const first = await machine.fetch(address);
  show.emit({ event: 'text', text: `GET ${address}\n${first.text}` });
  ensure(first.text === 'version 1, visit 1\n', `the page is not what it should be: ${first.status} ${first.text}`);
  show.emit({ event: 'good', text: 'built from git, running with its database behind the proxy' });

  show.emit({ event: 'chapter', title: 'A broken commit is deployed, while the page is asked for ten times a second' });
  const { asked, failed: unanswered } = await underLoad(machine, address, async () => {
    commit('read settings', { 'start.sh': broken });
    const failed = await deploy(assistant, 'deploy_application', { application }, 'web');
    ensure(/_ERROR/.test(failed.text), `the broken commit was deployed: ${failed.text}`);
    const { text } = succeeded(await assistant.call('diagnose_deployment', { service: application }));
    show.emit({
      event: 'text',
      text: text
        .split('\n')
        .filter((line) => !line.startsWith('<'))
        .join('\n')
        .split('\nTimeline:')[0]!,
    });
    ensure(text.includes('cannot read /etc/shop.conf'), `the diagnosis does not have the cause: ${text}`);

    show.emit({ event: 'chapter', title: 'The fix is deployed' });
    commit('need no settings', { 'start.sh': serve, 'cgi-bin/visits': page('2') });
    deployed(await deploy(assistant, 'deploy_application', { application }, 'web'), 'web');
  });
  const last = await machine.fetch(address);
  show.emit({ event: 'text', text: `GET ${address}\n${last.text}` });
  ensure(last.text.startsWith('version 2, '), `the page is not the new one: ${last.status} ${last.text}`);
  ensure(unanswered === 0, `${unanswered} of ${asked} requests were not answered`);
  show.emit({ event: 'good', text: `${asked} requests during both deployments, all answered` });

  show.emit({ event: 'chapter', title: '"Delete all of it"' });
  succeeded(
    await show.whileWaiting('deleting', () => assistant.call('delete_environment', { environment, wait: true })),
  );
}
