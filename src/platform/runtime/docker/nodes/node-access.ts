import { createAgents } from '../agent/agents.ts';
import { createAgentAuthority } from '../agent/authority.ts';
import { agentImage, type AgentOfCluster } from '../agent/settings.ts';
import type { NodeReach } from '../docker-context.ts';
import type { DockerClient, DockerRegistryCredentials } from '../api/index.ts';
import { createNodeEngines } from './node-engines.ts';

/** Access to the engines of a cluster's nodes. */
export interface NodeAccess extends NodeReach {
  /** Deploys the agents that the configuration wants: on every node that accepts instances, or nowhere. */
  readonly sync: (signal: AbortSignal) => Promise<void>;
  /** Closes the connections to agents. */
  readonly close: () => Promise<void>;
}

/** The inputs for access to the agents of a cluster. */
interface NodeAccessParts {
  readonly docker: DockerClient;
  readonly platformId: string;
  /** Returns the cluster's secret for a purpose. @returns 32 bytes in base64url */
  readonly secretFor: (purpose: string) => string;
  /** The agents that the configuration wants; undefined for none. */
  readonly agent: AgentOfCluster | undefined;
  readonly credentialsFor: (host: string) => DockerRegistryCredentials | undefined;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Creates the access to the engines of nodes. Sends no request yet. */
export function openNodeAccess({ docker, secretFor, agent, ...parts }: NodeAccessParts): NodeAccess {
  const agents = createAgents(
    {
      docker,
      ...parts,
      authority: createAgentAuthority(Buffer.from(secretFor('agents'), 'base64url')),
      image: agentImage(agent),
    },
    agent !== undefined,
  );
  return {
    docker,
    nodeEngines: createNodeEngines({ docker, agents }),
    whyNoAgent: agents.whyNone,
    sync: agents.sync,
    close: agents.close,
  };
}

/**
 * Reaches only the nodes whose engines the client has addresses for.
 * @param why the others can't be reached, as a part of a sentence
 */
export const withoutAgents = (docker: DockerClient, why: string): NodeAccess => ({
  docker,
  nodeEngines: createNodeEngines({ docker }),
  whyNoAgent: async () => why,
  sync: async () => undefined,
  close: async () => undefined,
});
