/** Thrown by a runtime that knows what is wrong on its cluster. The message is in words for whoever runs the platform. */
export class RuntimeProblem extends Error {
  override readonly name = 'RuntimeProblem';
}

/** Thrown by a runtime that can't carry a task out as it is asked for. Nothing was changed, and nothing is wrong with the runtime. The message is in words for whoever deploys. */
export class TaskRefused extends Error {
  override readonly name = 'TaskRefused';
}
