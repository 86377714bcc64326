import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { described, listed } from '../../src/server/guard/index.ts';
import type { JsonSchema } from '../../src/server/json/index.ts';
import type { Tool } from '../../src/server/tool/index.ts';
import { tools } from '../../tools/index.ts';
import { issuesOfCall } from '../support/argument-issues.ts';
import { valuesOf } from '../support/schema-values.ts';
import { runs } from '../support/runs.ts';

const controls = ['dry_run'];

/** Rules across arguments, which a flat schema can't say. */
const acrossMembers = /exactly one of|at least one|" and "|" or "/;

const membersOf = (tool: Tool): readonly [string, JsonSchema][] =>
  Object.entries(described(tool).inputSchema.properties ?? {}).filter(([name]) => !controls.includes(name));

/** Issues with one argument, whatever else may be wrong with the call. */
const issuesWith = (tool: Tool, name: string, value: unknown): readonly string[] =>
  issuesOfCall(tool, { [name]: value }).filter(
    (issue) => ['"', '.', '['].some((end) => issue.startsWith(`"${name}${end}`)) && !acrossMembers.test(issue),
  );

const members = tools.flatMap((tool) =>
  membersOf(tool).map(([name, schema]) => ({ tool, at: `${tool.name}.${name}`, name, schema })),
);

describe('no tool refuses what it advertises:', () => {
  test.each(members)('$at', ({ tool, name, schema }) => {
    fc.assert(
      fc.property(valuesOf(schema), (value) => {
        expect(issuesWith(tool, name, value)).toEqual([]);
      }),
      { numRuns: runs(40) },
    );
  });

  test.each(tools)('$name with all that it requires', (tool) => {
    const { required = [] } = listed(tool).inputSchema;
    const shape = Object.fromEntries(
      membersOf(tool)
        .filter(([name]) => required.includes(name))
        .map(([name, schema]) => [name, valuesOf(schema)]),
    );
    fc.assert(
      fc.property(fc.record(shape), (args) => {
        expect(issuesOfCall(tool, args).filter((issue) => !acrossMembers.test(issue))).toEqual([]);
      }),
      { numRuns: runs(20) },
    );
  });

  test.each(members.filter(({ schema }) => ['integer', 'number', 'boolean'].includes(String(schema.type))))(
    '$at as text',
    ({ tool, name, schema }) => {
      fc.assert(
        fc.property(valuesOf(schema), (value) => {
          expect(issuesWith(tool, name, String(value))).toEqual([]);
        }),
        { numRuns: runs(20) },
      );
    },
  );

  test.each(members.filter(({ tool, name }) => !listed(tool).inputSchema.required?.includes(name)))(
    '$at as null',
    ({ tool, name }) => {
      expect(issuesWith(tool, name, null)).toEqual([]);
    },
  );
});

test('the check finds what is refused', () => {
  const [deploy, clone] = ['deploy_application', 'clone_environment'].map((name) =>
    tools.find((tool) => tool.name === name)!,
  ) as [Tool, Tool];
  expect(issuesWith(deploy, 'commit', 'newest')).not.toEqual([]);
  expect(issuesWith(clone, 'mode', 'TEST')).not.toEqual([]);
});
