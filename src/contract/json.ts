/** A JSON object. */
export type JsonRecord = Record<string, unknown>;

/** Whether a value is a JSON object: neither an array nor null. */
export const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The JSON objects in an array; none if the value isn't an array. */
export const recordsIn = (value: unknown): JsonRecord[] => (Array.isArray(value) ? value.filter(isRecord) : []);

/** Parses JSON. Returns undefined, which no JSON text represents, if the text isn't valid JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
