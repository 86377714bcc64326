import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent } from 'undici';
import type { OperationName } from '../../src/contract/index.ts';
import { createApplications, deployAll } from '../applications.ts';
import { relativeTo, type Figure } from '../figure.ts';
import { load } from '../load.ts';
import type { BenchContext, Measurement } from '../measurement.ts';
import { cpuTime, withProbe } from '../probe.ts';
import { type PlatformProcess, startPlatformProcess } from '../server-processes.ts';
import { connectDirect, type DirectClient } from '../clients/direct-client.ts';

const requests = 2000;
/** Number of concurrent requests. */
const concurrency = 16;
/** Deployments that are carried out, and in how many environments. */
const [deployments, environments] = [1000, 64];

interface Kind {
  readonly name: string;
  readonly operation: OperationName;
  /** The input of one request, by its number. */
  readonly input: (ids: PlatformProcess['ids'], number: number) => Readonly<Record<string, unknown>>;
}

/** One operation for each kind of endpoint. */
const kinds: readonly Kind[] = [
  { name: 'get one item', operation: 'get_environment', input: ({ environment_id }) => ({ environment_id }) },
  {
    name: 'first page of a list',
    operation: 'list_projects',
    input: ({ organization_id }) => ({ organization_id, page: 1, page_size: 20 }),
  },
  { name: 'status', operation: 'get_environment_status', input: ({ environment_id }) => ({ environment_id }) },
  { name: 'log', operation: 'get_application_logs', input: ({ application_id }) => ({ application_id }) },
  {
    name: 'create',
    operation: 'create_project',
    input: ({ organization_id }, number) => ({ organization_id, name: `bench ${number}` }),
  },
  {
    name: 'change',
    operation: 'update_environment_variable',
    input: ({ environment_id, environment_variable_id }, number) => ({
      environment_id,
      environment_variable_id,
      key: 'LOG_LEVEL',
      value: `bench ${number}`,
    }),
  },
  { name: 'start a deployment', operation: 'deploy_application', input: ({ application_id }) => ({ application_id }) },
];

/** Requests per second to a bare Node HTTP server: the cost of HTTP itself. */
async function bareHttp(times: number): Promise<Figure> {
  const server = createServer((_, response) => response.setHeader('content-type', 'application/json').end('{}'));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const agent = new Agent({ connections: concurrency, pipelining: 1 });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { perSecond } = await load(times, concurrency, async () =>
    (await agent.request({ origin, path: '/', method: 'GET' })).body.text(),
  );
  await agent.close();
  server.close();
  return { name: 'bare HTTP in one process', value: perSecond, unit: 'per s' };
}

/** How much is done per second, and per second of CPU time of the platform, whatever else the machine does. */
interface Rates {
  readonly perSecond: number;
  readonly perCpuSecond: number;
}

async function ratesOf(
  { child }: PlatformProcess,
  times: number,
  run: () => Promise<{ readonly perSecond: number }>,
): Promise<Rates> {
  const before = await cpuTime(child);
  const { perSecond } = await run();
  return { perSecond, perCpuSecond: (times / ((await cpuTime(child)) - before)) * 1000 };
}

/** The rates of one kind of request, after some that only warm up. */
async function requestRates(
  direct: DirectClient,
  platform: PlatformProcess,
  { operation, input }: Kind,
  times: number,
): Promise<Rates> {
  let number = 0;
  const call = () => direct.call(operation, input(platform.ids, (number += 1)));
  await load(Math.ceil(times / 4), concurrency, call);
  return ratesOf(platform, times, () => load(times, concurrency, call));
}

/** The rates of deployments from their orders to their ends, with all that carries them out. */
async function deploymentRates(direct: DirectClient, platform: PlatformProcess, times: number): Promise<Rates> {
  const applications = await createApplications(direct, platform.ids, environments);
  await deployAll([direct], applications, Math.ceil(times / 4), concurrency);
  return ratesOf(platform, times, () => deployAll([direct], applications, times, concurrency));
}

const byCpuTime = (name: string, { perCpuSecond }: Rates): Figure => ({
  name: `${name}, by CPU time`,
  value: perCpuSecond,
  unit: 'per s',
});

async function measure({ program: build, repetitions: times }: BenchContext): Promise<Figure[]> {
  const program = await build();
  const platform = await startPlatformProcess(withProbe(program), await program.directory('platform'));
  const direct = connectDirect(platform.url, platform.token, concurrency);
  const reference = await bareHttp(times(requests));
  const deployed = await deploymentRates(direct, platform, times(deployments));
  const rates: [string, Rates][] = [];
  for (const kind of kinds) rates.push([kind.name, await requestRates(direct, platform, kind, times(requests))]);
  await direct.close();
  await platform.close();
  const [lookUp, ...others] = [...rates, ['deployment until its end', deployed] as const].map(([name, one]) =>
    byCpuTime(name, one),
  );
  return [
    reference,
    ...rates.map(([name, { perSecond }]) => relativeTo(reference, { name, value: perSecond, unit: 'per s' })),
    lookUp!,
    ...others.map((figure) => relativeTo(lookUp!, figure)),
  ];
}

export const platformRequests: Measurement = {
  name: 'platform',
  about: `Requests to the platform by kind of endpoint, ${concurrency} concurrent: per second, and per second of CPU time of its process, beside the look-up of one item. Changes are durable before the response.`,
  measure,
};
