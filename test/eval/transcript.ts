import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createRedaction } from '../../src/server/redaction/index.ts';
import { toolArgumentSchema } from '../../src/server/tool/index.ts';
import { tools } from '../../tools/index.ts';
import { platformToken } from '../slow/tasks/on-platform.ts';
import type { TaskOutcome } from './do-task.ts';

/**
 * Writes what a model did, with every secret masked: the keys of the evaluation, and what the calls handed over as one.
 */
export function transcriptWriter(
  folder: string,
  { model, apiKey }: { readonly model: string; readonly apiKey?: string },
): (place: number, outcome: TaskOutcome) => Promise<void> {
  const redaction = createRedaction({ configured: () => [platformToken, ...(apiKey === undefined ? [] : [apiKey])] });
  return async (place, outcome) => {
    const redactor = redaction.forCall({ principal: `task ${place}` });
    for (const { tool: name, arguments: args } of outcome.calls) {
      const tool = tools.find((one) => one.name === name);
      if (tool) redactor.mention(args, toolArgumentSchema(tool));
    }
    const name = `${String(place).padStart(2, '0')}-${outcome.want.replaceAll(/\W+/g, '-')}.json`;
    await writeFile(join(folder, name), `${JSON.stringify(redactor.value({ model, ...outcome }), undefined, 2)}\n`);
  };
}
