/** An object of the engine's answers. */
export type EngineJson = Record<string, unknown>;

/** The members of an answer that leave the node. True keeps a member as it is. */
export interface Kept {
  readonly [member: string]: true | Kept;
}

/** An answer of the engine with these members alone; of a list, each of its entries. */
export function keepMembers(value: unknown, kept: Kept): unknown {
  if (Array.isArray(value)) return value.map((each) => keepMembers(each, kept));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(kept).filter(([name]) => Object.hasOwn(value, name));
  return Object.fromEntries(members.map(([name, each]) => [name, each === true ? (value as EngineJson)[name] : keepMembers((value as EngineJson)[name], each)]));
}
