/** The paths of the files in an agent's container. */
export const agentFiles = {
  program: '/.infra/agent.mjs',
  /** The certificate of the authority. */
  authority: '/.infra/authority.pem',
  /** The agent's certificate with its key. */
  certificate: '/run/secrets/agent.pem',
  /** The socket of the node's engine. */
  socket: '/var/run/docker.sock',
} as const;
