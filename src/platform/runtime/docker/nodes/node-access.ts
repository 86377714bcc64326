import { createAgents } from '../agent/agents.ts';
import { createAgentAuthority } from '../agent/authority.ts';
import { agentImage, type AgentOfCluster } from '../agent/settings.ts';
import type { NodeReach } from '../docker-context.ts';
import type { DockerClient, DockerRegistryCredentials } from '../api/index.ts';
import { createNodeEngines } from './node-engines.ts';

/** What reaches the engines of a cluster's nodes. */
export interface NodeAccess extends NodeReach {
  /** Brings the agents to what the configuration wants: on every node that takes instances, or nowhere. */
  readonly sync: (signal: AbortSignal) => Promise<void>;
  /** Closes the connections to agents. */
  readonly close: () => Promise<void>;
}

/** What the agents of a cluster are reached with. */
interface NodeAccessParts {
  readonly docker: DockerClient;
  readonly platformId: string;
  /** Secrets of the cluster, by what they are for. @returns 32 bytes in base64url */
  readonly secretFor: (purpose: string) => string;
  /** The agents that the configuration wants; undefined for none. */
  readonly agent: AgentOfCluster | undefined;
  readonly credentialsFor: (host: string) => DockerRegistryCredentials | undefined;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Creates what reaches the engines of nodes. Nothing is asked yet. */
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
 * Reaches the nodes of those engines alone that the client has addresses of.
 * @param why the others can't be reached, as a part of a sentence
 */
export const withoutAgents = (docker: DockerClient, why: string): NodeAccess => ({
  docker,
  nodeEngines: createNodeEngines({ docker }),
  whyNoAgent: async () => why,
  sync: async () => undefined,
  close: async () => undefined,
});
