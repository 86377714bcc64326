import { statfsSync } from 'node:fs';
import { dockerDiskUsage, type DockerInfo } from '../api/index.ts';
import { type DoctorFinding, findingBuilder } from '../../../common/index.ts';
import { dockerCommand, type ExaminedEngine, sizeText } from './examined-engine.ts';

const disk = findingBuilder('disk of the engine');

/** The free space below which builds and pulls may soon fail, in bytes. */
const minFreeBytes = 2e9;

/** The time limit for the engine to sum up its disk usage, in milliseconds. */
const usageTimeout = 20_000;

/** The free bytes in a folder of the engine; undefined if the engine's host isn't this machine. */
function freeBytes({ address }: ExaminedEngine, folder: string): number | undefined {
  if (address.kind !== 'unix') return undefined;
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    // An engine in a virtual machine has its socket here, and its folders there.
    return undefined;
  }
}

async function usageText({ docker }: ExaminedEngine): Promise<string> {
  try {
    const { images, containers, volumes, buildCache } = await dockerDiskUsage(docker, {
      timeoutMilliseconds: usageTimeout,
    });
    return `images use ${sizeText(images)}, containers ${sizeText(containers)}, volumes ${sizeText(volumes)}, build cache ${sizeText(buildCache)}`;
  } catch {
    return 'the engine did not report its disk usage';
  }
}

/** Checks the disk of an engine. */
export async function diskFinding(
  examined: ExaminedEngine,
  { DockerRootDir: folder }: DockerInfo,
): Promise<DoctorFinding> {
  const [free, usage] = [freeBytes(examined, folder), await usageText(examined)];
  if (free === undefined)
    return disk.info(`${usage}; the free space can't be determined from here`, `Check on its host: df -h ${folder}`);
  const has = `${sizeText(free)} free in ${folder}; ${usage}`;
  return free >= minFreeBytes
    ? disk.good(has)
    : disk.bad(
        has,
        `Free some space, for example of images that nothing uses: ${dockerCommand(examined)} image prune --all`,
      );
}
