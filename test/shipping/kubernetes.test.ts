import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import manifest from '../../package.json' with { type: 'json' };
import { defaultLimits } from '../../src/transport/http/limits.ts';
import { container, containerEnv, objectOf, objects, pod, podMetadata, type KubernetesObject } from './kubernetes.ts';
import { expectTaken, unknownTo } from './kubernetes-models.ts';
import { image, readText } from './repository-files.ts';

describe('the objects for Kubernetes', () => {
  test('are what a server for a team needs', () => {
    expect(objects.map(({ kind }) => kind)).toEqual([
      'ConfigMap',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'Service',
      'ServiceAccount',
      'StatefulSet',
    ]);
  });

  test.each(objects.map((one) => [one.kind, one] as const))('hold values that Kubernetes takes: %s', async (_, one) => {
    await expectTaken(one);
  });

  test('have no member that Kubernetes does not know', async () => {
    expect(await unknownTo(objects)).toBe('');
    const mistyped = { ...objectOf('Service'), spek: {} };
    expect(await unknownTo([mistyped])).toContain('spek');
  });

  test('have the version and the port of the program', () => {
    expect(container.image).toMatch(new RegExp(`:${manifest.version.replaceAll('.', '\\.')}$`));
    expect(container.ports).toEqual([{ name: 'http', containerPort: image.port }]);
    expect(objectOf('Service').spec.ports).toEqual([{ name: 'http', port: 80, targetPort: 'http' }]);
    for (const probe of [container.startupProbe, container.livenessProbe, container.readinessProbe])
      expect(probe.httpGet.port).toBe('http');
  });

  test('mean the same pods', () => {
    const own = { 'app.kubernetes.io/name': 'infra-mcp', 'app.kubernetes.io/instance': 'team' };
    expect(podMetadata.labels).toMatchObject(own);
    const selectors = [
      objectOf('Service').spec.selector,
      objectOf('StatefulSet').spec.selector.matchLabels,
      objectOf('PodDisruptionBudget').spec.selector.matchLabels,
      objectOf('NetworkPolicy').spec.podSelector.matchLabels,
    ];
    for (const selector of selectors) expect(selector).toEqual(own);
    expect(objectOf('StatefulSet').spec.serviceName).toBe(objectOf('Service').metadata.name);
    expect(objectOf('Service').metadata.name).toBe('team-infra-mcp');
  });

  test('let the container do nothing that the program does not need', () => {
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    const [user, group] = image.user.split(':').map(Number);
    expect(pod.securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: user,
      runAsGroup: group,
      fsGroup: group,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(Object.keys(container.resources.limits)).toEqual(['cpu', 'memory']);
  });

  test('let calls finish that run when it has to end', () => {
    const drain = (defaultLimits.drainTime + defaultLimits.shutdownDelay) / 1000;
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(container.lifecycle.preStop.sleep.seconds + drain);
  });

  test('mount every file that an option names, and where data is written', () => {
    const mounts = container.volumeMounts;
    const files = Object.entries(containerEnv).filter(([name]) => name.endsWith('_FILE'));
    expect(files.length).toBeGreaterThan(0);
    for (const [, path] of files)
      expect(mounts).toContainEqual(expect.objectContaining({ mountPath: dirname(path), readOnly: true }));
    expect(mounts.filter(({ readOnly }) => !readOnly).map(({ mountPath }) => mountPath)).toEqual([
      image.env['INFRA_DATA_DIR'],
      '/tmp',
    ]);
    const volumes = [
      ...pod.volumes.map(({ name }) => name),
      ...objectOf('StatefulSet').spec.volumeClaimTemplates.map(({ metadata }) => metadata.name),
    ];
    expect(mounts.map(({ name }) => name).toSorted()).toEqual(volumes.toSorted());
  });

  test('are written for kubectl as well, the same but for their name', () => {
    const plain = parseAllDocuments(readText('deploy/kubernetes/infra-mcp.yaml')).map(
      (document) => document.toJS({}) as KubernetesObject,
    );
    const renamed = JSON.parse(
      JSON.stringify(objects)
        .replaceAll(/"team(?:-infra-mcp)?"/g, '"infra-mcp"')
        .replaceAll('"Helm"', '"kubectl"'),
    ) as unknown;
    expect(plain).toEqual(renamed);
  });
});
