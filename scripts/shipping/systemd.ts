import { readConfig } from '../../src/cli/config/index.ts';
import { unitSettings } from '../../src/cli/systemd/print-unit.ts';
import { unitName, unitText } from '../../src/cli/systemd/unit-text.ts';

/** Where packages of Node put programs that are installed for everybody. */
const installed = { command: '/usr/bin/node', args: ['/usr/lib/node_modules/infra-mcp/bin/infra-mcp.mjs'] };

const flags = { runtime: 'docker' };

export const unitPath = `deploy/systemd/${unitName}.service`;

/** The unit of a platform that runs services on the Docker engine of its machine. */
export const systemdUnit = (): string =>
  unitText(unitSettings(readConfig('platform', flags, {}).config, flags, {}, installed));
