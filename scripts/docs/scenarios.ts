import { allScenarios, scenarios, type Scenario } from '../../src/platform/testing/index.ts';
import { code } from './markdown.ts';

const section = ({ name, story, symptoms, fix, environments, services }: Scenario): string => {
  const locations = environments
    .map(({ path, mode, cluster }) => `${code(path)} (${mode}, cluster ${cluster})`)
    .join(' and ');
  const contents = services.map((service) => `the ${service.kind} ${code(service.name)}`).join(', ');
  return [`## ${name}`, story, `- Where: ${locations}, with ${contents}.\n- Symptoms: ${symptoms}\n- Fix: ${fix}`].join(
    '\n\n',
  );
};

/** docs/scenarios.md: the failures that the embedded platform can start with. */
export const scenariosPage = (): string => `# Scenarios

For testers of agents: failures to try an assistant on. ${code('infra-mcp platform --scenario <name>')} applies one to the seeded organization of the embedded platform. To select several, separate them with
commas or repeat the flag; ${code(allScenarios)} selects every one. ${code('stdio')} and ${code('http')} take the option too. A scenario adds environments of its own and changes nothing that
is already there. It is applied to a data directory once, whether the directory is new or not.

No scenario is scripted. The simulated runtime knows a set of facts: which tags a registry has and who may pull them, what each commit and version of a program needs, listens on and
answers, who holds the lock of a Terraform state, how long a chart takes to install. Each deployment runs against these facts, with the configuration, variables and neighbours it has when
it begins. So the right fix makes it succeed, any other change leaves it failing, and it can be broken again. No API response names a scenario. Each service was deployed successfully
before its failure, so the assistant can find what has changed since.

${scenarios.map(section).join('\n\n')}
`;
