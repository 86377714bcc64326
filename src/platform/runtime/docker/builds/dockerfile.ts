/** What has to be known of a Dockerfile before it is built. */
export interface DockerfileFacts {
  /** The names that it takes as build arguments. */
  readonly arguments: readonly string[];
  /** The hosts of the registries that its base images come from, with their ports. */
  readonly registries: readonly string[];
}

/** The registry that names without a host mean, as credentials name it. */
export const publicRegistryAddress = 'https://index.docker.io/v1/';

const registryOf = (image: string): string => {
  const [first = '', ...rest] = image.split('/');
  return rest.length > 0 && (/[.:]/.test(first) || first === 'localhost') ? first : publicRegistryAddress;
};

/** Reads a Dockerfile, as far as that goes without carrying it out: base images whose names are arguments stay unknown. */
export function readDockerfile(text: string): DockerfileFacts {
  const lines = text.replaceAll(/\\\r?\n/g, ' ').split(/\r?\n/).map((line) => line.trim());
  const declared = lines.flatMap((line) => /^ARG\s+(?<names>.+)$/i.exec(line)?.groups?.['names']?.match(/(?<=^|\s)[A-Za-z_]\w*(?==|\s|$)/g) ?? []);
  const images = lines.flatMap((line) => [/^FROM\s+(?:--\S+\s+)*(?<image>\S+)/i.exec(line)?.groups?.['image'] ?? [], /^COPY\s.*--from=(?<image>\S+)/i.exec(line)?.groups?.['image'] ?? []].flat());
  return { arguments: [...new Set(declared)], registries: [...new Set(images.map(registryOf))] };
}
