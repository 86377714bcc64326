import type { Measurement } from './measurement.ts';
import { callsOfTools } from './measurements/calls.ts';
import { clients } from './measurements/clients.ts';
import { engine } from './measurements/engine.ts';
import { growth } from './measurements/growth.ts';
import { heap } from './measurements/heap.ts';
import { listOfTools } from './measurements/list.ts';
import { memory } from './measurements/memory.ts';
import { platformRequests } from './measurements/platform.ts';
import { start } from './measurements/start.ts';

/** Everything that is measured, in the order of the report. */
export const measurements: readonly Measurement[] = [start, memory, listOfTools, callsOfTools, clients, heap, platformRequests, growth, engine];
