import type { Measurement } from '../measurement.ts';
import { growth } from './growth.ts';
import { platforms } from './platforms.ts';
import { servers } from './servers.ts';

/** All measurements that compare the two databases, in the order of the report. */
export const databaseMeasurements: readonly Measurement[] = [platforms, growth, servers];
