import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished } from 'vitest';
import type { KubernetesObject } from './kubernetes.ts';
import { root } from './repository-files.ts';

const run = promisify(execFile);

const gateway = '@kubernetes-models/gateway-api';
const prometheus = '@kubernetes-models/prometheus-operator';
/** What the project of Kubernetes models has for each API version that we use. */
const models: Readonly<Record<string, { readonly from: string; readonly load: () => Promise<object> }>> = {
  v1: { from: 'kubernetes-models', load: () => import('kubernetes-models/v1') },
  'apps/v1': { from: 'kubernetes-models', load: () => import('kubernetes-models/apps/v1') },
  'networking.k8s.io/v1': { from: 'kubernetes-models', load: () => import('kubernetes-models/networking.k8s.io/v1') },
  'policy/v1': { from: 'kubernetes-models', load: () => import('kubernetes-models/policy/v1') },
  'gateway.networking.k8s.io/v1': {
    from: gateway,
    load: () => import('@kubernetes-models/gateway-api/gateway.networking.k8s.io/v1'),
  },
  'monitoring.coreos.com/v1': {
    from: prometheus,
    load: () => import('@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1'),
  },
};
type Model = new (data: object) => { validate(): void };

/** Expects that an object holds values that Kubernetes takes. */
export async function expectTaken(one: KubernetesObject): Promise<void> {
  const ofVersion = (await models[one.apiVersion]!.load()) as Record<string, Model>;
  expect(() => new ofVersion[one.kind]!(one).validate()).not.toThrow();
}

/**
 * What the TypeScript compiler says when objects are written down as what Kubernetes knows, all members by their names.
 */
export async function unknownTo(given: readonly KubernetesObject[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'infra-mcp-kubernetes-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
  const lines = given.map(
    (one, index) =>
      `export const object${index}: import('${models[one.apiVersion]!.from}/${one.apiVersion}').I${one.kind} = ${JSON.stringify(one)};`,
  );
  await writeFile(join(folder, 'objects.mts'), lines.join('\n'));
  const compiler = [
    join(root, 'node_modules/typescript/bin/tsc'),
    '--ignoreConfig',
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--module',
    'nodenext',
    'objects.mts',
  ];
  return run(process.execPath, compiler, { cwd: folder }).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  );
}
