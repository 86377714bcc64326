import {
  between,
  colored,
  digest,
  disclaimer,
  type PhaseContext,
  type PhaseResult,
  slug,
  took,
} from './phase-context.ts';
import { branchOf } from './commits.ts';
import type { CommitFacts } from './simulation-context.ts';

/** Simulates a git clone of the service's repository. */
export function simulateClone({ task, random, seconds, commit }: PhaseContext): PhaseResult {
  const { service } = task;
  const repository = service.kind === 'application' ? service.spec.git_repository : { url: '', branch: '' };
  const objects = between(random, 180, 4200);
  return {
    seconds,
    lines: [
      disclaimer,
      `Cloning repository ${repository.url} to /build/source`,
      `remote: Enumerating objects: ${objects}, done.`,
      `remote: Counting objects: 100% (${objects}/${objects}), done.`,
      `Receiving objects: 100% (${objects}/${objects}), ${(objects / 410).toFixed(2)} MiB | 18.42 MiB/s, done.`,
      `Resolving deltas: 100% (${Math.floor(objects / 3)}/${Math.floor(objects / 3)}), done.`,
      `HEAD is now at ${commit?.git_commit_id.slice(0, 7) ?? 'unknown'} ${commit?.message ?? ''}`.trimEnd(),
      `Checked out ${repository.branch}, commit ${commit?.git_commit_id ?? 'unknown'}`,
    ],
  };
}

/** Simulates an image build, in the format of BuildKit. */
export function simulateBuild({ task, random, seconds, version }: PhaseContext): PhaseResult {
  const { service } = task;
  const dockerfile = service.kind === 'application' ? service.spec.dockerfile_path : 'Dockerfile';
  const image = `registry.internal/${slug(service.name)}:${version}`;
  const packages = between(random, 212, 780);
  return {
    seconds,
    lines: [
      `Building ${image} from ${dockerfile}`,
      '#1 [internal] load build definition from Dockerfile',
      '#1 transferring dockerfile: 812B done',
      `#1 DONE ${took(random, 0, 0.2)}`,
      '#2 [internal] load metadata for docker.io/library/node:22-alpine',
      `#2 DONE ${took(random, 0.4, 1.4)}`,
      '#3 [internal] load .dockerignore',
      '#3 transferring context: 96B done',
      `#4 [1/6] FROM docker.io/library/node:22-alpine@sha256:${digest('node:22-alpine', 64)}`,
      '#4 CACHED',
      '#5 [2/6] WORKDIR /app',
      '#5 CACHED',
      '#6 [3/6] COPY package.json package-lock.json ./',
      `#6 DONE ${took(random, 0, 0.2)}`,
      '#7 [4/6] RUN npm ci --omit=dev',
      `#7 2.114 ${colored.yellow('npm warn deprecated')} inflight@1.0.6: This module is not supported, and leaks memory.`,
      `#7 ${took(random, 4, 9).slice(0, -1)}12 added ${packages} packages, and audited ${packages + 1} packages in ${between(random, 4, 9)}s`,
      `#7 9.802 ${between(random, 20, 120)} packages are looking for funding`,
      '#7 9.803   run `npm fund` for details',
      '#7 9.811 found 0 vulnerabilities',
      `#7 DONE ${took(random, 5, 11)}`,
      '#8 [5/6] COPY . .',
      `#8 DONE ${took(random, 0.1, 0.5)}`,
      '#9 [6/6] RUN npm run build',
      `#9 0.611 > ${slug(service.name)}@1.${between(random, 0, 20)}.${between(random, 0, 9)} build`,
      '#9 0.611 > tsc -p tsconfig.build.json',
      '#9 0.611',
      `#9 4.902 ${colored.cyan('info')} compiled ${between(random, 60, 400)} files`,
      `#9 DONE ${took(random, 3, 7)}`,
      '#10 exporting to image',
      '#10 exporting layers done',
      `#10 writing image sha256:${digest(`${image}/image`, 64)} done`,
      `#10 naming to ${image} done`,
      `#11 pushing manifest for ${image}`,
      `#11 DONE ${took(random, 1, 3)}`,
      colored.green(`Build of ${image} succeeded`),
    ],
  };
}

/** Simulates copying a container's image to the cluster's registry. */
export function simulateMirroring({ task, random, seconds }: PhaseContext): PhaseResult {
  const { service } = task;
  const image = service.kind === 'container' ? `${service.spec.image_name}:${service.spec.tag}` : service.name;
  const layers = ['a', 'b', 'c', 'd'].map((layer) => digest(`${image}/${layer}`, 12));
  return {
    seconds,
    lines: [
      disclaimer,
      `Mirroring image ${image} to the cluster's registry`,
      ...layers.map((layer) => `${layer}: Copying ${between(random, 2, 84)}.${between(random, 0, 9)}MB`),
      `Digest: sha256:${digest(image, 64)}`,
      colored.green(`Image ${image} is ready to be deployed`),
    ],
  };
}

/** Simulates a clone that can't check out the requested commit. */
export function simulateUnknownCommit({ task, random }: PhaseContext, commit: string): PhaseResult {
  const failure = `The repository has no commit ${commit}`;
  return {
    seconds: 1 + random.number(),
    lines: [
      disclaimer,
      `Cloning repository ${branchOf(task.service)?.url} to /build/source`,
      `fatal: reference is not a tree: ${commit}`,
      failure,
    ],
    failure,
  };
}

/** Matches a RUN step in the log of a successful build. */
const stepLine = /^#(?<number>\d+) \[(?<place>\d+\/\d+)\] RUN /;

/** Simulates a build that succeeds up to the failing step. */
export function simulateBuildFailure(context: PhaseContext, { buildFailure: build }: CommitFacts): PhaseResult {
  const good = simulateBuild(context).lines;
  const { step, exitCode, output } = build!;
  const at = good.findIndex((line) => stepLine.test(line) && line.endsWith(step));
  const { number, place } = stepLine.exec(good[at] ?? '')?.groups ?? { number: '9', place: '6/6' };
  const failure = `process "/bin/sh -c ${step}" did not complete successfully: exit code: ${exitCode}`;
  const began = between(context.random, 1, 4);
  const stepOutput = output.map((line, index) => `${(began + index * 0.118).toFixed(3)} ${line}`.trimEnd());
  const dockerfileLine = 6 + Number(number);
  return {
    seconds: context.seconds,
    lines: [
      ...good.slice(0, Math.max(0, at)),
      `#${number} [${place}] RUN ${step}`,
      ...stepOutput.map((line) => `#${number} ${line}`),
      `#${number} ${colored.red(`ERROR: ${failure}`)}`,
      `------\n > [${place}] RUN ${step}:\n${stepOutput.slice(-6).join('\n')}\n------`,
      `Dockerfile:${dockerfileLine}\n--------------------\n  ${dockerfileLine - 1} |     \n  ${dockerfileLine} | >>> RUN ${step}\n  ${dockerfileLine + 1} |     \n--------------------`,
      colored.red(`ERROR: failed to solve: ${failure}`),
      'Build failed.',
    ],
    failure,
  };
}
