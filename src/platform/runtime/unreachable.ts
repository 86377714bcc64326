/**
 * Thrown by a runtime that could not reach what services run on: it is not known whether anything was carried out. The
 * task is tried again until its deadline, because what can't be reached is often back in a moment.
 */
export class RuntimeUnreachable extends Error {
  override readonly name = 'RuntimeUnreachable';
}
