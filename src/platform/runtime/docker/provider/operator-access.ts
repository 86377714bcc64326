import type { EngineOptions, OperatorAccess } from '../../index.ts';
import { dumpDatabase, isDump, restoreDump } from '../databases/database-dump.ts';
import { createDockerClient } from '../api/index.ts';
import { drainNode, planDrain } from '../nodes/drain-node.ts';
import { configOf } from './cluster-settings.ts';
import { readAddresses } from './engine-addresses.ts';

/** Opens the engine that the options name. @throws Error if its address can't be used */
export function openAccess(options: EngineOptions): OperatorAccess {
  const { tls } = configOf(options);
  const [address] = readAddresses({ engines: [options.engine], tls }, { file: undefined });
  const docker = createDockerClient(address!);
  return {
    planDrain: async (wanted) => {
      const plan = await planDrain(docker, wanted);
      const {
        node: { name },
        moving,
        staying,
        others,
      } = plan;
      return {
        node: name,
        moving,
        staying,
        others,
        commands: { list: `docker node ps ${name}`, activate: `docker node update --availability active ${name}` },
        carryOut: (update) => drainNode(docker, plan, update),
      };
    },
    dumps: {
      create: (database) => dumpDatabase(docker, database),
      isDump,
      restore: (database, dump) => restoreDump(docker, database, dump),
    },
    close: () => docker.close(),
  };
}
