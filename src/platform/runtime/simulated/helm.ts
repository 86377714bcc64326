import { colored, digest, disclaimer, type Scene, type Script, slug } from './script.ts';

/** helm upgrade --install of the service's chart. */
export function helmScript({ task, seconds, version }: Scene): Script {
  const { service } = task;
  if (service.kind !== 'helm') return { seconds, lines: [] };
  const release = slug(service.name);
  const chart = service.spec.source.repository?.chart_name ?? service.spec.source.git?.git_repository.url ?? service.name;
  const values = service.spec.values_override.file?.raw?.values.map((file) => ` -f ${file.name}`).join('') ?? '';
  const command = `helm upgrade ${release} ${chart} --install --version ${version}${values} --timeout ${service.spec.timeout_sec}s --wait`;
  const lines = [
    disclaimer,
    [command, ...service.spec.arguments].join(' '),
    `history.go:56: [debug] getting history for release ${release}`,
    'upgrade.go:164: [debug] preparing upgrade for release',
    `client.go:393: [debug] checking ${3 + release.length % 4} resources for changes`,
    `wait.go:48: [debug] beginning wait for resources with timeout of ${service.spec.timeout_sec}s`,
    `ready.go:304: [debug] Deployment is not ready: ${digest(service.environmentId, 8)}/${release}. 0 out of 1 expected pods are ready`,
  ];
  if (service.spec.timeout_sec < seconds) {
    const failure = `helm was stopped after the service's timeout_sec of ${service.spec.timeout_sec} seconds`;
    return {
      seconds: service.spec.timeout_sec,
      lines: [...lines, colored.red('Error: UPGRADE FAILED: context deadline exceeded'), failure],
      failure,
    };
  }
  return {
    seconds,
    lines: [...lines, `Release "${release}" has been upgraded. Happy Helming!`, `NAME: ${release}`, 'STATUS: deployed', colored.green('Deployment succeeded')],
  };
}
