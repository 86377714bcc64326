import type * as z from 'zod';
import type { HelmRequest } from '../../../contract/resources/helm.ts';
import type { ServiceSpecs } from '../../store/service-spec.ts';

type Request = z.output<typeof HelmRequest>;
type Spec = ServiceSpecs['helm'];

/** The source as answers shape it, from either shape that requests come in. */
const storeSource = ({ git_repository, helm_repository, git, repository }: Request['source']): Spec['source'] => {
  const fromGit = git_repository ?? git?.git_repository;
  if (fromGit) return { git: { git_repository: fromGit } };
  if (repository) return { repository };
  const { repository: id, ...chart } = helm_repository!;
  return { repository: { ...chart, repository: { id } } };
};

const samePort = (one: { internal_port: number; name?: string | undefined }, other: { internal_port: number; name?: string | undefined }): boolean =>
  one.internal_port === other.internal_port && one.name === other.name;

/**
 * A helm request as it is kept. Ports have no ids in requests: one with the number and name of a present one keeps its id.
 * @param newId makes an id.
 */
export function storeHelm({ source, ports = [], ...rest }: Omit<Request, 'name'>, previous: Pick<Spec, 'ports'>, newId: () => string): Spec {
  return {
    ...rest,
    source: storeSource(source),
    auto_preview: rest.auto_preview ?? false,
    icon_uri: rest.icon_uri ?? 'app://infra-mcp/helm',
    ports: ports.map((port) => ({
      ...port,
      id: previous.ports.find((known) => samePort(known, port))?.id ?? newId(),
      port_type: 'HELM',
      protocol: port.protocol ?? 'HTTP',
      is_default: port.is_default ?? false,
    })),
  };
}
