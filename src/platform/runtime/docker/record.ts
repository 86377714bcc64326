import * as z from 'zod';
import type { PlannedChanges } from '../index.ts';
import type { DockerServiceSpec } from './api/index.ts';

/**
 * The runtime's record of a deployment. It contains no secret: secret variables are files, identified by their names.
 */
const Recorded = z.object({
  /** The image with its digest, or its id on the engine. */
  image: z.string(),
  /** The node that has the image, if no registry does. */
  nodeId: z.string().optional(),
  /** The image's default command. */
  entrypoint: z.array(z.string()),
  command: z.array(z.string()),
  /** The major version of a database's data, if no other one can read it. */
  dataVersion: z.string().optional(),
  /** The changes that Terraform would make with it. */
  plan: z.custom<PlannedChanges>((value) => typeof value === 'object' && value !== null).optional(),
  /** A digest, keyed with the platform's key, of the variables with which that plan was created. */
  planVariables: z.string().optional(),
  /** The location of a database's data since it was restored from a backup; absent if it was never restored. */
  data: z.object({ volume: z.string(), nodeId: z.string() }).optional(),
  /** The spec of the service as it was rolled out. */
  spec: z.custom<DockerServiceSpec>((value) => typeof value === 'object' && value !== null).optional(),
});

export type DockerRecord = z.output<typeof Recorded>;

/** Reads a record; undefined if there is none, or if another runtime wrote it. */
export function readRecord(text: string | undefined): DockerRecord | undefined {
  if (text === undefined) return undefined;
  try {
    return Recorded.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

export const writeRecord = (record: DockerRecord): string => JSON.stringify(record);
