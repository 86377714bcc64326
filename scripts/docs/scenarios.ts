import { allScenarios, scenarios } from '../../src/platform/testing/scenarios/scenarios.ts';
import type { Scenario } from '../../src/platform/testing/scenarios/scenario.ts';
import { code } from './markdown.ts';

const section = ({ name, story, symptoms: seen, fix, environments, services }: Scenario): string => {
  const places = environments.map(({ path, mode, cluster }) => `${code(path)} (${mode}, cluster ${cluster})`).join(' and ');
  const parts = services.map((service) => `the ${service.kind} ${code(service.name)}`).join(', ');
  return [`## ${name}`, story, `- Where: ${places}, with ${parts}.\n- Seen: ${seen}\n- Fix: ${fix}`].join('\n\n');
};

/** docs/scenarios.md: the failures that the embedded platform can start with. */
export const scenariosPage = (): string => `# Scenarios

Failures to try an assistant on. ${code('infra-mcp platform --scenario <name>')} puts one onto the seeded organization of the embedded platform; several with commas or by repeating the
flag, ${code(allScenarios)} for every one. ${code('stdio')} and ${code('http')} take the option too. A scenario brings environments of its own and changes nothing of what is there; it is put
onto a data directory once, also onto one that exists already.

None is a script. The simulated runtime knows a little world: which tags a registry has and whom it lets pull, what each commit and version of a program needs, listens on and answers,
who holds the lock of a state, how long a chart takes. A deployment meets that world with the configuration, variables and neighbours it has when it begins: after a fix it goes well,
after anything else it fails again, and it can be broken again. Nothing that the API answers names a scenario. Each was deployed well before, so what changed since can be found.

${scenarios.map(section).join('\n\n')}
`;
