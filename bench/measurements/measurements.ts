import type { Measurement } from '../measurement.ts';
import { callsOfTools } from './calls.ts';
import { clients } from './clients.ts';
import { engine } from './engine.ts';
import { heap } from './heap.ts';
import { listOfTools } from './list.ts';
import { masking } from './masking.ts';
import { memory } from './memory.ts';
import { platformRequests } from './platform.ts';
import { start } from './start.ts';
import { variables } from './variables.ts';

/** All measurements, in the order of the report. */
export const measurements: readonly Measurement[] = [
  start,
  memory,
  listOfTools,
  callsOfTools,
  clients,
  heap,
  platformRequests,
  engine,
  variables,
  masking,
];
