import type { Measurement } from '../measurement.ts';
import { deploy } from './deploy.ts';
import { services } from './services.ts';

/** All measurements on a Docker engine, in the order of the report. */
export const dockerMeasurements: readonly Measurement[] = [deploy, services];
