import manifest from '../../../package.json' with { type: 'json' };
import { type Finding, finder } from './finding.ts';

const node = finder('node');

/** Whether this Node is one that the program is made for. @param version such as 22.19.0 */
export function nodeFinding(version: string = process.versions.node): Finding {
  const least = manifest.engines.node.replace('>=', '');
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [leastMajor = 0, leastMinor = 0] = least.split('.').map(Number);
  const isEnough = major > leastMajor || (major === leastMajor && minor >= leastMinor);
  if (isEnough) return node.good(`${version}; ${least} or newer is needed`);
  return node.bad(`${version}; ${least} or newer is needed`, `Install Node ${least} or newer, and start infra-mcp with it.`);
}
