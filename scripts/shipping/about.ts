import manifest from '../../package.json' with { type: 'json' };

/** What every manifest says of the program. */
export const about = {
  name: manifest.name,
  title: 'Infrastructure (infra-mcp)',
  version: manifest.version,
  /** At most 100 characters: the registry of MCP servers takes no more. */
  summary: 'Run cloud infrastructure: projects, environments, services, deployments, logs, clusters.',
  description: manifest.description,
  author: manifest.author,
  license: manifest.license,
  /** How assistants name the server. */
  server: 'infra',
} as const;

/** How an assistant starts the published program. */
export const published = { command: 'npx', args: ['-y', `${manifest.name}@${manifest.version}`] };
