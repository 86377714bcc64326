/** Problems as data: a closed set of reasons, and the only place that defines their sentences. */

export {
  Condition,
  condition,
  conditionChain,
  dataOf,
  readCondition,
  reasonNames,
  saidIn,
  storedCondition,
  type DataOf,
  type ReadableCondition,
  type Reason,
} from './conditions.ts';
export { levelOfReason } from './levels.ts';
export { backupText } from './backups.ts';
export { isOwnExit, isTerraformFailure, killed } from './failures.ts';
export { boundText, lackingText, unaskedText } from './placement.ts';
export { asSubject, bytesText } from './reason.ts';
export { onMachines } from './routes.ts';
export { outsideChangeText, removedText, type OutsideChange } from './services.ts';
