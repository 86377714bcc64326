import { readYaml } from './repository-files.ts';

/** What the tests read of a server. */
export interface ComposedServer {
  readonly build: { readonly context: string; readonly dockerfile: string };
  readonly environment: Record<string, string>;
  readonly volumes: readonly string[];
  readonly ports?: readonly string[];
  readonly stop_grace_period: string;
  readonly read_only: boolean;
}

/** What the tests read of a compose file. */
export interface Compose<Services> {
  readonly name: string;
  readonly services: Services;
  readonly secrets?: Record<string, { readonly file: string }>;
  readonly volumes: Record<string, unknown>;
}

export const compose = readYaml('deploy/compose.yaml') as Compose<{ readonly 'infra-mcp': ComposedServer }>;
export const service = compose.services['infra-mcp'];

export const composeWithDatabase = readYaml('deploy/compose.database.yaml') as Compose<{
  readonly 'infra-mcp-1': ComposedServer;
  readonly 'infra-mcp-2': ComposedServer;
  readonly proxy: { readonly volumes: readonly string[]; readonly ports: readonly string[] };
  readonly postgres: {
    readonly image: string;
    readonly environment: Record<string, string>;
    readonly secrets: readonly string[];
  };
}>;
