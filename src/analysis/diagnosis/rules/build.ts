import { sign } from '../condition-sign.ts';
import { outputOfFailedCommand, withoutStepPrefix } from '../build-output.ts';
import { prefixedValue, quote } from '../evidence.ts';
import { showConfiguration, showDeploymentLog } from '../inspections.ts';
import { deployAgain, deployLastGoodCommit, useOtherBranch, useOtherDockerfile } from '../fixes.ts';
import { buildSteps, cloneSteps, type CauseRule } from './rule.ts';
import type { Facts } from '../situation.ts';

const fixes = [showDeploymentLog, deployLastGoodCommit, showConfiguration];

const location = (facts: Facts): string =>
  facts['file'] ? ` in ${quote(facts['file'])}${facts['line'] ? `, line ${facts['line']}` : ''}` : '';

/** Causes of failed image builds. */
export const buildRules: readonly CauseRule[] = [
  {
    code: 'docker_build_failed',
    layer: 'symptom',
    steps: cloneSteps,
    signs: [
      { pattern: /process "(?<command>(?:[^"\\]|\\.)+)" did not complete successfully: exit code: (?<exit>\d{1,3})/ },
      { pattern: /The command '(?<command>[^']+)' returned a non-zero code: (?<exit>\d{1,3})/ },
      { pattern: /^\s*> \[(?<stage>[^\]]+)\] (?<instruction>.+?):?$/, indirect: true },
      { pattern: /failed to (?:solve|build): failed to read dockerfile: .*(?<nofile>no such file or directory)/ },
      {
        pattern:
          /failed to solve: (?:.*: )?(?:failed to compute cache key: )?(?:failed to calculate checksum of ref .*: )?"(?<missing>[^"]+)": not found/,
      },
      {
        pattern:
          /(?:COPY|ADD) failed: (?:file not found in build context or excluded by \.dockerignore: stat |stat )(?<missing>[^\s:]+)/,
      },
      { pattern: /[Dd]ockerfile parse error (?:on )?line (?<line>\d{1,5}): (?<parse>.+)/ },
      {
        pattern:
          /error building image: error building stage: failed to execute command: .*exit status (?<exit>\d{1,3})/,
      },
      { pattern: /^#\d+ ERROR: /, indirect: true },
      { pattern: /failed to solve: /, indirect: true },
    ],
    conditions: [
      sign('DOCKERFILE_NOT_FOUND', () => ({ nofile: 'is not in the repository' })),
      sign('FOLDER_NOT_FOUND', ({ path }) => ({ nofolder: path })),
    ],
    alsoQuotes: outputOfFailedCommand,
    sentence: (facts, situation) => {
      const {
        configuration: { dockerfile },
      } = situation;
      if (facts['nofile'])
        return `The Dockerfile${prefixedValue(' ', dockerfile)} isn't in the repository, at this commit and branch.`;
      if (facts['nofolder'])
        return `The repository has no folder ${quote(facts['nofolder'])}, at this commit and branch.`;
      if (facts['missing'])
        return `The Dockerfile copies ${quote(facts['missing'])}, which isn't in the repository (or is excluded by .dockerignore).`;
      if (facts['parse']) return `The Dockerfile can't be read, line ${facts['line']}: ${quote(facts['parse'])}.`;
      const where = facts['stage'] ? ` at step [${facts['stage']}]` : '';
      const what = facts['command'] ?? facts['instruction'];
      const said = outputOfFailedCommand(situation).map(({ shown }) => quote(withoutStepPrefix(shown).trim()));
      const output = said.length === 0 ? '' : ` The last that it said: ${said.join(', ')}.`;
      return `The image's build fails${where}${what ? `: ${quote(what)}` : ''}${facts['exit'] ? ` ended with exit code ${facts['exit']}` : ''}.${output}`;
    },
    remedies: [[useOtherDockerfile, deployAgain], ...fixes],
  },
  {
    code: 'dependency_install_failed',
    layer: 'cause',
    steps: buildSteps,
    supersedes: ['docker_build_failed', 'tls_failed', 'dns_failed'],
    signs: [
      { pattern: /^npm (?:ERR!|error) code (?<problem>E[A-Z0-9]{2,})\b/ },
      { pattern: /^npm (?:ERR!|error) 404\s+'(?<package>[^']+)' is not in this registry/ },
      { pattern: /^npm (?:ERR!|error) notarget No matching version found for (?<package>\S+?)\.?$/ },
      { pattern: /`npm ci` can only install packages when your package\.json and (?<lockfile>package-lock\.json)/ },
      { pattern: /^npm (?:ERR!|error) (?:Missing|Invalid): (?<package>[^\s]+)(?: from lock file|'s? )/ },
      { pattern: /^ERROR: No matching distribution found for (?<package>\S+)/ },
      { pattern: /^ERROR: Could not find a version that satisfies the requirement (?<package>\S+)/ },
      {
        pattern:
          /^ERROR: (?:ResolutionImpossible|Could not install packages|Failed building wheel for (?<package>\S+))/,
      },
      { pattern: /^ERROR: Could not build wheels for (?<package>[\w.,-]+)/ },
      {
        pattern:
          /^go: (?<package>[\w./@+-]+): (?:invalid version|reading |git |unrecognized import path|unknown revision|module .* not found)/,
      },
      { pattern: /missing go\.sum entry for (?:module providing package|go\.mod file).*/ },
      { pattern: /Could not resolve dependencies for project (?<project>[\w.:-]+)/ },
      { pattern: /Could not resolve all (?:files|dependencies|artifacts) for configuration/ },
      {
        pattern: /^error (?:An unexpected error occurred: "|Couldn't find package |Your lockfile needs to be updated)/,
      },
      { pattern: /ERR_PNPM_(?<problem>[A-Z_]{3,})/ },
      { pattern: /^E: Unable to locate package (?<package>\S+)/ },
      { pattern: /Could not find gem '(?<package>[^']+)'/ },
      { pattern: /error: failed to select a version for (?:the requirement )?`(?<package>[^`]+)`/ },
    ],
    sentence: (facts) => {
      const what = facts['package'] ? ` ${quote(facts['package'])}` : '';
      if (facts['lockfile'])
        return `The dependencies can't be installed: package.json and package-lock.json don't fit each other${facts['package'] ? `: ${quote(facts['package'])} isn't in the lock file` : ''}.`;
      return `The dependencies can't be installed during the build${what ? `:${what} can't be had` : ''}${facts['problem'] ? ` (${facts['problem']})` : ''}.`;
    },
    remedies: [showDeploymentLog, deployLastGoodCommit, deployAgain],
  },
  {
    code: 'compile_failed',
    layer: 'cause',
    steps: buildSteps,
    supersedes: ['docker_build_failed'],
    signs: [
      {
        pattern:
          /(?<file>[\w@./-]+\.(?:tsx?|mts|cts|vue))[(:](?<line>\d{1,6})[,:]\d{1,5}\)?:? ?-? ?(?::? ?)error TS\d{3,5}: (?<message>.+)/,
      },
      { pattern: /^(?:\.\/)?(?<file>[\w./-]+\.go):(?<line>\d{1,6}):\d{1,5}: (?<message>.+)/ },
      { pattern: /\[ERROR\] COMPILATION ERROR/ },
      { pattern: /\[ERROR\] (?<file>[\w./-]+\.(?:java|kt|scala)):\[(?<line>\d{1,6}),\d{1,5}\] (?<message>.+)/ },
      { pattern: /(?<file>[\w./-]+\.(?:java|kt)):(?<line>\d{1,6}): error: (?<message>.+)/ },
      { pattern: /^error\[E\d{4}\]: (?<message>.+)/ },
      { pattern: /(?<file>[\w./-]+\.(?:c|cc|cpp|h)):(?<line>\d{1,6}):\d{1,5}: (?:fatal )?error: (?<message>.+)/ },
      { pattern: /^Module not found: (?:Error: )?(?<message>Can't resolve .+)/ },
      { pattern: /^error during build:/ },
      { pattern: /\[vite\]: Rollup failed to resolve import / },
      { pattern: /^SyntaxError: (?<message>.+)/ },
      { pattern: /^Failed to compile\.?$/ },
      { pattern: /make: \*\*\* \[.+\] Error \d/, indirect: true },
    ],
    sentence: (facts) => `The code doesn't compile${location(facts)}${prefixedValue(': ', facts['message'])}.`,
    remedies: fixes,
  },
  {
    code: 'tests_failed',
    layer: 'cause',
    steps: buildSteps,
    supersedes: ['docker_build_failed'],
    signs: [
      { pattern: /Tests run: \d+, Failures: (?<failures>[1-9]\d{0,5}), / },
      { pattern: /\[ERROR\] There are test failures/ },
      { pattern: /={3,} .*\b(?<failures>\d{1,5}) failed\b.* in [\d.]+s/ },
      { pattern: /^Tests:\s+(?<failures>[1-9]\d{0,5}) failed/ },
      { pattern: /^--- FAIL: (?<test>[\w/]+)/ },
      { pattern: /^test result: FAILED/ },
    ],
    sentence: (facts) =>
      `The tests that the build runs fail${facts['failures'] ? ` (${facts['failures']})` : prefixedValue(': ', facts['test'])}.`,
    remedies: fixes,
  },
  {
    code: 'git_clone_denied',
    layer: 'cause',
    steps: cloneSteps,
    signs: [
      { pattern: /fatal: Authentication failed for '(?<repository>[^'\s]+)'/ },
      { pattern: /fatal: could not read (?:Username|Password) for '(?<repository>[^'\s]+)'/ },
      {
        pattern:
          /remote: (?:Invalid username or (?:password|token)|HTTP Basic: Access denied|Repository not found|The project you were looking for could not be found|Write access to repository not granted|Permission to \S+ denied)/,
      },
      { pattern: /Permission denied \(publickey/ },
      {
        pattern:
          /fatal: unable to access '(?<repository>[^'\s]+)': The requested URL returned error: (?<status>401|403)/,
      },
      { pattern: /fatal: repository '(?<repository>[^'\s]+)' not found/ },
      { pattern: /Host key verification failed/ },
    ],
    conditions: [
      sign('GIT_CREDENTIALS_MISSING'),
      sign('GIT_ACCESS_DENIED'),
      sign('REPOSITORY_NOT_FOUND'),
      sign('GIT_HOST_UNKNOWN'),
      sign('GIT_HOST_CHANGED'),
      sign('GIT_KEY_UNUSABLE'),
    ],
    sentence: (facts, { configuration: { repository } }) =>
      `The repository${prefixedValue(' ', facts['repository'] ?? repository)} can't be cloned: the git token is missing, expired or without rights to it, or it doesn't exist.`,
    remedies: [showConfiguration, deployAgain],
  },
  {
    code: 'git_branch_not_found',
    layer: 'cause',
    steps: cloneSteps,
    signs: [
      { pattern: /fatal: Remote branch (?<branch>\S+) not found in upstream/ },
      { pattern: /Could not find remote branch (?<branch>\S+) to clone/ },
      { pattern: /couldn't find remote ref (?:refs\/heads\/)?(?<branch>\S+)/ },
      { pattern: /error: pathspec '(?<branch>[^'\s]+)' did not match any file\(s\) known to git/ },
      { pattern: /fatal: reference is not a tree: (?<commit>[0-9a-f]{7,})/ },
      { pattern: /upload-pack: not our ref (?<commit>[0-9a-f]{7,})/ },
    ],
    conditions: [
      sign('COMMIT_NOT_IN_HISTORY', ({ commit, branch }) => ({ commit, outside: branch })),
      sign('HISTORY_TOO_LARGE', ({ commit, branch }) => ({ commit, unsearched: branch })),
      sign('COMMIT_NOT_AMONG_NEWEST', ({ commit }) => ({ commit })),
      sign('COMMIT_NOT_FOUND', ({ commit }) => ({ commit })),
      sign('BRANCH_NOT_FOUND', ({ branch }) => ({ branch })),
    ],
    sentence: (facts, { configuration: { branch } }) => {
      if (facts['outside'])
        return `The commit ${facts['commit']} isn't in the history of the branch ${quote(facts['outside'])}, and others are not taken: a fork or a pull request may have it, or the branch was rewritten.`;
      if (facts['unsearched'])
        return `The commit ${facts['commit']} wasn't found: the history of the branch ${quote(facts['unsearched'])} is too large to be searched.`;
      if (facts['commit']) return `The commit ${facts['commit']} isn't in the repository.`;
      return `The branch${prefixedValue(' ', facts['branch'] ?? branch)} isn't in the repository.`;
    },
    remedies: [[useOtherBranch, deployAgain], showConfiguration, deployLastGoodCommit],
  },
  {
    code: 'git_unreachable',
    layer: 'cause',
    steps: cloneSteps,
    supersedes: ['dns_failed', 'tls_failed'],
    signs: [
      {
        pattern:
          /fatal: unable to access '(?<repository>[^'\s]+)': (?:Could not resolve host|Failed to connect to|Couldn't connect|Operation timed out|server certificate verification failed|SSL|The requested URL returned error: 5\d\d)/,
      },
      { pattern: /ssh: (?:Could not resolve hostname|connect to host \S+ port \d+: )/ },
      { pattern: /fatal: (?:early EOF|the remote end hung up unexpectedly|fetch-pack: invalid index-pack output)/ },
      { pattern: /error: RPC failed; (?:curl|HTTP) \d+/ },
    ],
    conditions: [
      sign('GIT_UNREACHABLE'),
      sign('GIT_SERVER_FAILED'),
      sign('GIT_CONNECTION_BROKEN'),
      sign('GIT_HOST_NOT_ALLOWED', ({ host }) => ({ refused: host })),
    ],
    sentence: (facts, { configuration: { repository } }) =>
      facts['refused']
        ? `The platform fetches nothing from the git server ${quote(facts['refused'])}: it is private, or asked over plain http, and not allowed. Whoever runs the platform can allow a private server in its clusters file.`
        : `The git server of ${quote(facts['repository'] ?? repository ?? 'the repository')} can't be reached from where the image is built.`,
    remedies: [deployAgain, showConfiguration],
  },
];
