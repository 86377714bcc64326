import { withoutNull, type JsonSchema } from '../../src/server/json/index.ts';
import { argumentSchema, toolArgumentSchema, type Tool } from '../../src/server/tool/index.ts';
import { tools } from '../../tools/index.ts';
import { issuesOfCall } from './argument-issues.ts';

type Args = Readonly<Record<string, unknown>>;

/** Where a text stands in the arguments of a tool, by the tool's schema. */
export interface TextPlace {
  readonly tool: string;
  /**
   * Such as `healthchecks.readiness_probe.type.exec.command[]`; `*` stands for a member that the schema doesn't name.
   */
  readonly path: string;
  /** Whether any character is taken. */
  readonly isFree: boolean;
  /** Whether questions hide it. */
  readonly isSecret: boolean;
  /** The argument that has it. */
  readonly member: string;
  /** The arguments with this text there. */
  readonly argsWith: (text: string) => Args;
}

interface Leaf {
  readonly path: string;
  readonly schema: JsonSchema;
  readonly build: (text: string) => unknown;
}

/** The smallest value that a schema takes, as far as the schema tells. */
function smallest(node: JsonSchema): unknown {
  const schema = withoutNull(node);
  if (schema.default !== undefined) return schema.default;
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf) return smallest(schema.anyOf[0]!);
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(
        (schema.required ?? []).map((name) => [
          name,
          name === 'scheduled_at' ? '0 3 * * *' : smallest(schema.properties![name]!),
        ]),
      );
    case 'array':
      return schema.minItems ? [smallest(schema.items!)] : [];
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return Math.max(schema.minimum ?? 1, 1);
    default:
      return schema.format === 'uuid'
        ? '00000000-0000-4000-8000-000000000001'
        : schema.pattern?.startsWith(String.raw`^\/`)
          ? '/a'
          : 'https://a.example/a';
  }
}

/** All texts in values of a schema, names of members included. */
function leavesIn(node: JsonSchema, path: string): Leaf[] {
  const schema = withoutNull(node);
  if (schema.anyOf) return schema.anyOf.flatMap((option) => leavesIn(option, path));
  if (schema.reference !== undefined || schema.enum || ['boolean', 'integer', 'number'].includes(String(schema.type)))
    return [];
  if (schema.type === 'array')
    return leavesIn(schema.items ?? {}, `${path}[]`).map(({ build, ...leaf }) => ({
      ...leaf,
      build: (text) => [build(text)],
    }));
  if (schema.type !== 'object') return [{ path, schema, build: (text) => text }];
  const required = smallest({ ...schema, default: undefined }) as Args;
  const named = Object.entries(schema.properties ?? {}).flatMap(([name, member]) =>
    leavesIn(member, `${path}.${name}`).map(({ build, ...leaf }): Leaf => ({
      ...leaf,
      build: (text) => ({ ...required, [name]: build(text) }),
    })),
  );
  if (typeof schema.additionalProperties !== 'object') return named;
  const others = schema.additionalProperties;
  return [
    ...named,
    ...leavesIn(others, `${path}.*`).map(({ build, ...leaf }): Leaf => ({
      ...leaf,
      build: (text) => ({ ...required, OTHER: build(text) }),
    })),
    { path: `${path}{}`, schema: {}, build: (text) => ({ ...required, [text]: smallest(others) }) },
  ];
}

const isRecord = (value: unknown): value is Args =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const merged = (base: unknown, value: unknown): unknown =>
  isRecord(base) && isRecord(value)
    ? {
        ...base,
        ...Object.fromEntries(Object.entries(value).map(([name, member]) => [name, merged(base[name], member)])),
      }
    : value;

/** All places for texts in the arguments of a tool. @param args valid ones, to which the text is added. */
export function textPlaces(tool: Tool, args: Args): TextPlace[] {
  // Updates merge what they are given, so their own schemas don't say what a new item needs.
  const { properties: sent } = argumentSchema(tool.operation);
  return Object.entries(toolArgumentSchema(tool).properties ?? {}).flatMap(([member, schema]) =>
    leavesIn(sent?.[member] ?? schema, member).map(({ path, schema: leaf, build }): TextPlace => ({
      tool: tool.name,
      member,
      path,
      isFree: leaf.freeText === true,
      isSecret: leaf.secret === true,
      argsWith: (text) => {
        const within = { ...args, [member]: merged(args[member], build(text)) };
        return issuesOfCall(tool, within).length === 0 ? within : { ...args, [member]: build(text) };
      },
    })),
  );
}

// What some places want around a text.
const around = [
  (text: string) => text,
  (text: string) => `/${text}`,
  (text: string) => `https://a.example/${text}`,
  (text: string) => `oci://a.example/${text}`,
  (text: string) => `PLAIN=${text}`,
  (text: string) => `${text}@a.example`,
];

/**
 * The first form of the first of these texts that a place takes; undefined if it takes none, such as one for a time.
 */
export function takenBy(place: TextPlace, texts: readonly string[]): string | undefined {
  const tool = tools.find(({ name }) => name === place.tool)!;
  return texts
    .flatMap((text) => around.map((form) => form(text)))
    .find((text) => issuesOfCall(tool, place.argsWith(text)).length === 0);
}
