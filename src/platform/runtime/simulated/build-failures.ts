import { branchOf } from './commits.ts';
import { buildScript } from './build.ts';
import { between, colored, disclaimer, type Scene, type Script } from './script.ts';
import type { CommitFacts } from './world.ts';

/** A clone that can't check out the commit that was asked for. */
export function unknownCommit({ task, random }: Scene, commit: string): Script {
  const failure = `The repository has no commit ${commit}`;
  return {
    seconds: 1 + random.number(),
    lines: [disclaimer, `Cloning repository ${branchOf(task.service)?.url} to /build/source`, `fatal: reference is not a tree: ${commit}`, failure],
    failure,
  };
}

/** Where the step that fails stands among those of the Dockerfile, in what a good build prints. */
const stepLine = /^#(?<number>\d+) \[(?<place>\d+\/\d+)\] RUN /;

/** A build that goes as always up to the step that fails. */
export function failingBuild(scene: Scene, { build }: CommitFacts): Script {
  const good = buildScript(scene).lines;
  const { step, exitCode, output } = build!;
  const at = good.findIndex((line) => stepLine.test(line) && line.endsWith(step));
  const { number, place } = stepLine.exec(good[at] ?? '')?.groups ?? { number: '9', place: '6/6' };
  const failure = `process "/bin/sh -c ${step}" did not complete successfully: exit code: ${exitCode}`;
  const began = between(scene.random, 1, 4);
  const said = output.map((line, index) => `${(began + index * 0.118).toFixed(3)} ${line}`.trimEnd());
  const dockerfileLine = 6 + Number(number);
  return {
    seconds: scene.seconds,
    lines: [
      ...good.slice(0, Math.max(0, at)),
      `#${number} [${place}] RUN ${step}`,
      ...said.map((line) => `#${number} ${line}`),
      `#${number} ${colored.red(`ERROR: ${failure}`)}`,
      `------\n > [${place}] RUN ${step}:\n${said.slice(-6).join('\n')}\n------`,
      `Dockerfile:${dockerfileLine}\n--------------------\n  ${dockerfileLine - 1} |     \n  ${dockerfileLine} | >>> RUN ${step}\n  ${dockerfileLine + 1} |     \n--------------------`,
      colored.red(`ERROR: failed to solve: ${failure}`),
      'Build failed. The previous version, if there was one, keeps running.',
    ],
    failure,
  };
}
