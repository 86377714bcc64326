import type { EngineOptions, OperatorAccess } from '../../platform/runtime/index.ts';
import { engineProvider } from '../../platform/runtime-providers.ts';

/** Works with the cluster of the options, and closes the connections. */
export async function withAccess<Value>(
  { engine, engineTlsDir }: EngineOptions,
  work: (access: OperatorAccess) => Promise<Value>,
): Promise<Value> {
  const provider = await engineProvider();
  const access = provider.openAccess({ engine, engineTlsDir });
  try {
    return await work(access);
  } finally {
    await access.close();
  }
}

/** A part of a runtime that a command requires. @throws Error if the runtime doesn't have it */
export function required<Part>(part: Part | undefined, what: string): Part {
  if (part === undefined) throw new Error(`The runtime of this cluster has no ${what}.`);
  return part;
}
