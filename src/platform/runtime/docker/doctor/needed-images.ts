import { agentImage } from '../agent/settings.ts';
import { hostOfImage, inspectDockerDistribution, inspectDockerImage, isDockerError } from '../api/index.ts';
import { type DoctorFinding, findingBuilder } from '../../../common/index.ts';
import type { ExaminedEngine } from './examined-engine.ts';

/** The time limit for a registry's answer, in milliseconds. */
const registryTimeout = 15_000;

type Needing = Pick<ExaminedEngine, 'docker' | 'credentialsFor'>;

/**
 * Checks whether an image is on the engine or can be pulled.
 * @returns the result as text, and whether it is available in neither way
 */
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
    return { says: `${image} is missing, and can't be pulled: ${error.reason}`, isMissing: true };
  }
}

/** The advice for an image that can't be pulled. */
export const imageAdvice =
  'let the engine reach its registry, load the image with docker load, or name another one in the clusters file.';

/**
 * Checks one image that a setting in the clusters file requires.
 * @param who the part of the advice that says who needs it
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

/** The name of the check of the proxy's image, which every cluster has. */
export const proxyImageCheck = 'proxy image';

async function proxyImageFinding(examined: ExaminedEngine): Promise<DoctorFinding> {
  const { says, isMissing } = await findImage(examined, examined.proxy.image);
  // Not every cluster has public ports.
  return isMissing
    ? findingBuilder(proxyImageCheck).note(says, `Services with public ports need it: ${imageAdvice}`)
    : findingBuilder(proxyImageCheck).good(says);
}

/**
 * Checks whether the images that the platform itself starts are there or can be pulled: those of the proxy, of agents
 * and for Terraform, if the cluster has these.
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
