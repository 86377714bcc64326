import { recordsIn, type JsonRecord, type NextCall } from '../../src/server/tool/index.ts';

type Step = Omit<NextCall, 'isForThoseWithIt'>;

/**
 * Proposes what makes a first entry, where a list has none at all. A caller without the tool isn't told of it: an empty
 * list is nothing that is wrong.
 */
export const whereEmpty =
  (steps: (args: JsonRecord) => readonly Step[]) =>
  (view: JsonRecord, args: JsonRecord): readonly NextCall[] =>
    recordsIn(view['results']).length === 0 && Number(args['page'] ?? 1) === 1
      ? steps(args).map((step) => ({ ...step, isForThoseWithIt: true }))
      : [];

/** What makes a first project. */
export const firstProject: Step = {
  tool: 'create_project',
  arguments: {},
  needs: 'its name',
  why: 'there is none yet',
};

/** What makes a first environment of a project. */
export const firstEnvironment = (project: unknown): Step => ({
  tool: 'create_environment',
  arguments: { project },
  needs: 'its name and mode',
  why: 'the project has none yet',
});

/** What makes a first service of an environment, of the kinds that most begin with. */
export const firstServices = (environment: unknown): readonly Step[] => [
  {
    tool: 'create_application',
    arguments: { environment },
    needs: 'its name and git repository',
    why: 'nothing is in this environment yet',
  },
  { tool: 'create_container', arguments: { environment }, needs: 'its name and image', why: 'the same, from an image' },
  {
    tool: 'create_database',
    arguments: { environment },
    needs: 'its name, type and version',
    why: 'a database for what comes',
  },
];
