/** Settings of a cluster's agents. */
export interface AgentOfCluster {
  /** The full reference (registry/name:tag) of an image with Node.js 22 or newer. */
  readonly image?: string | undefined;
}

const defaultImage = 'docker.io/library/node:24-alpine';

/** The image that agents run in. @param agent undefined for a cluster that no longer has any */
export const agentImage = (agent: AgentOfCluster | undefined): string => agent?.image ?? defaultImage;
