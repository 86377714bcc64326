import type { Measurement } from '../measurement.ts';
import { deploy } from './deploy.ts';
import { nodes } from './nodes.ts';
import { services } from './services.ts';

/** All measurements on a Docker engine, in the order of the report. */
export const dockerMeasurements: readonly Measurement[] = [deploy, services];

/** Those on several hosts, each with an engine. */
export const hostMeasurements: readonly Measurement[] = [nodes];
