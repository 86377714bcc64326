import manifest from '../../package.json' with { type: 'json' };

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
  /** Name of the server in configurations of assistants. */
  server: 'infra',
} as const;

/** The command that starts the published package. */
export const published = { command: 'npx', args: ['-y', `${manifest.name}@${manifest.version}`] };
