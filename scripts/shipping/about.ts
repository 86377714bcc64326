import manifest from '../../package.json' with { type: 'json' };
import { repositoryUrl } from '../../src/cli/config/index.ts';
import { serverName } from '../../src/cli/init/assistants.ts';

/** The program's metadata, for every manifest. */
export const about = {
  name: manifest.name,
  title: 'Infrastructure (infra-mcp)',
  version: manifest.version,
  /** At most 100 characters, the limit of the MCP registry. */
  summary: 'Run cloud infrastructure: projects, environments, services, deployments, logs, clusters.',
  description: manifest.description,
  author: manifest.author,
  license: manifest.license,
  repository: repositoryUrl,
  homepage: manifest.homepage,
  keywords: manifest.keywords,
  /** Name of the server in configurations of assistants. */
  server: serverName,
} as const;
