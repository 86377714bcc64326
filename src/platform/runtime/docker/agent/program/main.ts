/** The agent, as it runs on nodes. Arguments: the id of its platform, and its port. */
import { readFileSync } from 'node:fs';
import { agentFiles } from './files.ts';
import { createAgentServer } from './serve.ts';

const [platformId = '', port = ''] = process.argv.slice(2);
const read = (path: string): string => readFileSync(path, 'utf8');
createAgentServer({
  platformId,
  socketPath: agentFiles.socket,
  ca: read(agentFiles.authority),
  cert: read(agentFiles.certificate),
  key: read(agentFiles.certificate),
}).listen(Number(port));
process.on('SIGTERM', () => process.exit());
