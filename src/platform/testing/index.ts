/** Test control, fault rules and scenarios. */

export { openControl } from './control/control.ts';
export { loadFaults } from './control/faults/load.ts';
export { rulesInMemory, rulesInRecords } from './control/faults/keepers.ts';
export { createFaultRegistry, type FaultRegistry } from './control/faults/registry.ts';
export { addRequestFaults } from './control/faults/request-faults.ts';
export type { FaultRule } from './control/faults/rule.ts';
export { stepFaults } from './control/faults/step-faults.ts';
export { controlPrefix } from './control/server.ts';
export { createStepping, readSteppedTime, saveSteppedTime } from './control/stepping.ts';
export { applyScenario } from './scenarios/apply-scenario.ts';
export { simulationContextOf } from './scenarios/platform-state.ts';
export type { Scenario } from './scenarios/scenario.ts';
export { allScenarios, scenarios, scenariosNamed } from './scenarios/scenarios.ts';
