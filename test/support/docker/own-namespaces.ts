/** The variable by which tests know that they run in namespaces of the docker suite. Its value is the directory for temporary files. It must not look like an option of infra-mcp. */
export const inOwnNamespaces = 'TEST_DOCKER_DIRECTORY';

/** The directory of the docker suite. @throws Error outside the suite: engines would collide with others on this machine */
export function suiteDirectory(): string {
  const directory = process.env[inOwnNamespaces];
  if (directory === undefined) throw new Error('Engines for tests run in namespaces of their own. Start the tests with: npm run test:docker -- <paths>');
  return directory;
}
