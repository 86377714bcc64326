/**
 * Thrown by a runtime whose cluster is unreachable: it is unknown whether anything was carried out. The task is retried
 * until its deadline, because such outages are often short.
 */
export class RuntimeUnreachable extends Error {
  override readonly name = 'RuntimeUnreachable';
}
