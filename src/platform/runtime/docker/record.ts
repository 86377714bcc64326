import * as z from 'zod';
import type { PlannedChanges } from '../index.ts';
import type { DockerServiceSpec } from './api/index.ts';

/**
 * What the runtime records of a deployment. It holds no secret: variables that are secret are files, known by their
 * names.
 */
const Recorded = z.object({
  /** The image with its digest, or its id on the engine. */
  image: z.string(),
  /** The node that has the image, if no registry does. */
  nodeId: z.string().optional(),
  /** What the image starts by default. */
  entrypoint: z.array(z.string()),
  command: z.array(z.string()),
  /** The major version of a database's data, if no other one can read it. */
  dataVersion: z.string().optional(),
  /** What Terraform would do with it. */
  plan: z.custom<PlannedChanges>((value) => typeof value === 'object' && value !== null).optional(),
  /** A digest of the variables with which that plan was made, which the platform's key makes. */
  planVariables: z.string().optional(),
  /** Where the data of a database is since it was brought back from a backup; absent where it always was. */
  data: z.object({ volume: z.string(), nodeId: z.string() }).optional(),
  /** The service as it was rolled out. */
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
