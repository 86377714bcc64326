import { readYaml } from './repository-files.ts';

/** What the tests read of deploy/compose.yaml. */
export interface Compose {
  readonly name: string;
  readonly services: {
    readonly 'infra-mcp': {
      readonly build: { readonly context: string; readonly dockerfile: string };
      readonly environment: Record<string, string>;
      readonly volumes: readonly string[];
      readonly ports: readonly string[];
      readonly stop_grace_period: string;
      readonly read_only: boolean;
    };
  };
  readonly volumes: Record<string, unknown>;
}

export const compose = readYaml('deploy/compose.yaml') as Compose;
export const service = compose.services['infra-mcp'];
