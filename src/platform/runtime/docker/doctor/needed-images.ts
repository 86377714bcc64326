import { agentImage } from '../agent/settings.ts';
import { hostOfImage, inspectDockerDistribution, inspectDockerImage, isDockerError } from '../api/index.ts';
import { type DoctorFinding, findingBuilder } from '../../../common/index.ts';
import type { ExaminedEngine } from './examined-engine.ts';

/** How long a registry may take to answer, in milliseconds. */
const registryTimeout = 15_000;

type Needing = Pick<ExaminedEngine, 'docker' | 'credentialsFor'>;

/** Whether an image is on the engine, or can be had. @returns what is so, and whether it can't be had */
export async function findImage(
  { docker, credentialsFor }: Needing,
  image: string,
): Promise<{ readonly says: string; readonly isMissing: boolean }> {
  try {
    await inspectDockerImage(docker, image);
    return { says: `${image} is there`, isMissing: false };
  } catch (error) {
    if (!isDockerError(error, 'not found')) throw error;
  }
  try {
    await inspectDockerDistribution(docker, image, credentialsFor(hostOfImage(image)), {
      timeoutMilliseconds: registryTimeout,
    });
    return { says: `${image} is pulled when it is needed; its registry has it`, isMissing: false };
  } catch (error) {
    if (!isDockerError(error)) throw error;
    return { says: `${image} is not there, and can't be had: ${error.reason}`, isMissing: true };
  }
}

/** What to do about an image that can't be had. */
export const imageAdvice =
  'let the engine reach its registry, load the image with docker load, or name another one in the clusters file.';

/**
 * Checks one image. Without it, what was asked for in the clusters file doesn't work.
 * @param who needs it, as a sentence without its end
 */
async function requiredImageFinding(
  examined: ExaminedEngine,
  check: string,
  image: string,
  who: string,
): Promise<DoctorFinding> {
  const { says, isMissing } = await findImage(examined, image);
  return isMissing ? findingBuilder(check).bad(says, `${who}: ${imageAdvice}`) : findingBuilder(check).good(says);
}

/** The check of the image of the proxy, which every cluster has. */
export const proxyImageCheck = 'proxy image';

async function proxyImageFinding(examined: ExaminedEngine): Promise<DoctorFinding> {
  const { says, isMissing } = await findImage(examined, examined.proxy.image);
  // Not every cluster gets public ports.
  return isMissing
    ? findingBuilder(proxyImageCheck).note(says, `Services with public ports need it: ${imageAdvice}`)
    : findingBuilder(proxyImageCheck).good(says);
}

/**
 * Checks whether the images that the platform itself starts are there, or can be had: those of the proxy, of agents and
 * for Terraform, as far as the cluster has these.
 */
export const imageFindings = (examined: ExaminedEngine): Promise<DoctorFinding[]> =>
  Promise.all([
    proxyImageFinding(examined),
    ...(examined.agent === undefined
      ? []
      : [
          requiredImageFinding(
            examined,
            'agent image',
            agentImage(examined.agent),
            'Every node needs it for its agent',
          ),
        ]),
    ...(examined.terraform === undefined
      ? []
      : [requiredImageFinding(examined, 'Terraform image', examined.terraform.image, 'Terraform services need it')]),
  ]);
