import { type DockerClient, listDockerNodes } from '../api/index.ts';
import { isLabelledForProxy } from '../labels.ts';
import { answeringEngines, type NodeEngines } from '../nodes/node-engines.ts';
import { byNodeName, nodeName } from '../nodes/node-facts.ts';

/** A machine on which the proxy runs. */
export interface ProxyPlace {
  readonly docker: DockerClient;
  /** The name of its node, or its address. */
  readonly name: string;
}

/** The machines on which the proxy should run, as far as they are reachable. */
export interface ProxyPlaces {
  readonly places: readonly ProxyPlace[];
  /** The other engines that respond: the proxy should not run there. */
  readonly others: readonly DockerClient[];
  /** Why the proxy can't be managed on machines on which it should run, as sentences. */
  readonly problems: readonly string[];
}

/**
 * Finds the machines of the proxy: the nodes that are labelled for it; if there are none, the machines of the first
 * engine, if it responds, and of the engine in use.
 */
export async function findProxyPlaces(
  docker: DockerClient,
  engines: NodeEngines,
  signal: AbortSignal,
): Promise<ProxyPlaces> {
  const labelled = (await listDockerNodes(docker, {}, { signal }))
    .filter(({ Spec }) => isLabelledForProxy(Spec.Labels))
    .toSorted(byNodeName);
  const answering = await answeringEngines(docker, signal);
  const but = (places: readonly ProxyPlace[]): readonly DockerClient[] =>
    answering.filter((engine) => !places.some((place) => place.docker === engine));
  if (labelled.length === 0) {
    const inUse = await docker.engine();
    const places = docker.engines
      .filter((engine, index) => engine === inUse || (index === 0 && answering.includes(engine)))
      .map((engine) => ({ docker: engine, name: engine.address }));
    return { places, others: but(places), problems: [] };
  }
  const found = await Promise.all(labelled.map(async (node) => ({ node, engine: await engines.of(node.ID, signal) })));
  const places = found.flatMap(({ node, engine }) =>
    engine !== undefined && answering.includes(engine) ? [{ docker: engine, name: nodeName(node) }] : [],
  );
  const missing = found.filter(({ engine }) => engine === undefined || !answering.includes(engine));
  return {
    places,
    others: but(places),
    problems: missing.map(({ node, engine }) =>
      engine === undefined
        ? `The node ${nodeName(node)} is labelled for the proxy, and none of the addresses under "engine" in the clusters file belongs to its engine at present.`
        : `The proxy on the node ${nodeName(node)} can't be managed: the engine at ${engine.address} doesn't answer.`,
    ),
  };
}
