import { fitsFilter, operations } from '../../src/contract/index.ts';
import {
  notKnown,
  reading,
  readUses,
  rowsIn,
  show,
  textOf,
  type JsonRecord,
  type Preview,
} from '../../src/server/tool/index.ts';

/** The words of a list, for a sentence; empty for an empty list. */
export const wordsOf = (value: unknown): string =>
  Array.isArray(value) && value.length > 0 ? value.map(show).join(', ') : '';

/** The limits that the filters of a webhook set, each as a part of a sentence. */
export function limitsOf({ project_names_filter: names, environment_types_filter: types }: JsonRecord): string[] {
  const [projects, modes] = [wordsOf(names), wordsOf(types)];
  return [
    ...(projects === '' ? [] : [`of the projects ${projects}`]),
    ...(modes === '' ? [] : [`of environments in ${modes}`]),
  ];
}

/** What is said of a webhook that is off. */
export const offLine = 'It is off: nothing is sent to it until it is turned on (enabled: true).';

/** The entries of a webhook's filter that no project fits. */
export const unknownProjects: Preview = reading(
  readUses('whether the projects of the filter exist is not known', operations.list_projects),
  async ({ organization_id: organization, project_names_filter: filter }, { reader }) => {
    const patterns = Array.isArray(filter) ? filter.map(String) : [];
    if (patterns.length === 0) return [];
    const list = await reader.attempt(operations.list_projects, { organization_id: String(organization) });
    if (!list) return [notKnown('whether there are projects that the filter names')];
    const names = rowsIn(list).flatMap((row) => textOf(row, 'name') ?? []);
    const unknown = patterns.filter((pattern) => !names.some((name) => fitsFilter(pattern, name)));
    return unknown.length === 0
      ? []
      : [`No project that is shown here has this name of the filter: ${wordsOf(unknown)}. Check how it is written.`];
  },
);
