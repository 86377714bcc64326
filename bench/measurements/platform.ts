import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent } from 'undici';
import type { OperationName } from '../../src/contract/index.ts';
import { relativeTo, type Figure } from '../figure.ts';
import { load } from '../load.ts';
import type { BenchContext, Measurement } from '../measurement.ts';
import { type PlatformProcess, startPlatformProcess } from '../server-processes.ts';
import { connectDirect, type DirectClient } from '../clients/direct-client.ts';

const requests = 2000;
/** Number of concurrent requests. */
const concurrency = 16;

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

async function rate(
  direct: DirectClient,
  { ids }: PlatformProcess,
  { name, operation, input }: Kind,
  times: number,
): Promise<Figure> {
  let number = 0;
  const { perSecond } = await load(times, concurrency, () => direct.call(operation, input(ids, (number += 1))));
  return { name, value: perSecond, unit: 'per s' };
}

async function measure({ program: build, repetitions: times }: BenchContext): Promise<Figure[]> {
  const program = await build();
  const platform = await startPlatformProcess(program, await program.directory('platform'));
  const direct = connectDirect(platform.url, platform.token, concurrency);
  const reference = await bareHttp(times(requests));
  const figures = [reference];
  for (const kind of kinds) figures.push(relativeTo(reference, await rate(direct, platform, kind, times(requests))));
  await direct.close();
  await platform.close();
  return figures;
}

export const platformRequests: Measurement = {
  name: 'platform',
  about: `Requests per second to the platform by kind of endpoint, ${concurrency} concurrent. Changes are durable before the response.`,
  measure,
};
