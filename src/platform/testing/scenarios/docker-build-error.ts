import { application } from '../../seed/index.ts';
import type { Scenario } from './scenario.ts';

const environment = 'shop/returns';
const service = `${environment}/returns-portal`;
const program = { language: 'node', listens: { port: 8080 }, answers: { '/health': 200 } } as const;

/** A commit whose image can't be built. */
export const dockerBuildError: Scenario = {
  name: 'docker-build-error',
  story:
    'The newest commit of returns-portal adds a dependency to package.json without the lock file: npm ci refuses to install.',
  symptoms:
    'BUILD_ERROR; the step RUN npm ci of the Docker build fails with exit code 1; earlier commits were built well.',
  fix: 'Deploy the last good commit (commit from the history). The newest one fails whenever it is built.',
  environments: [{ path: environment, mode: 'DEVELOPMENT', cluster: 'main' }],
  services: [application(environment, 'returns-portal', true)],
  history: [
    { daysAgo: 14.2, by: 'Cleo Marchetti', deploy: [service] },
    { daysAgo: 3.6, by: 'Bo Lindqvist', deploy: [service] },
    { daysAgo: 0.31, by: 'Cleo Marchetti', deploy: [service] },
    { daysAgo: 0.29, by: 'Cleo Marchetti', deploy: [service] },
  ],
  facts: {
    repositories: {
      'https://git.acme.example/acme/returns-portal.git': {
        commits: [
          {
            id: '90c2d41f6b7ae3850d19f4c2e7b3a6058fd1c72e',
            daysAgo: 15,
            author: 'Nora Lindqvist',
            message: 'Show the label before asking for a reason',
            program,
          },
          {
            id: 'b7e35f08a1d942c6f3508e7d2c19ab640f5d83e7',
            daysAgo: 3.9,
            author: 'Lucas Silva',
            message: 'Let customers return parts of an order',
            program,
          },
          {
            id: 'e2a6108dc57f4b93a06e1d58b7f4c92305ad61fb',
            daysAgo: 0.35,
            author: 'Lucas Silva',
            message: 'Print labels as PDF',
            program,
            buildFailure: {
              step: 'npm ci --omit=dev',
              exitCode: 1,
              output: [
                'npm warn config production Use `--omit=dev` instead.',
                'npm error code EUSAGE',
                'npm error',
                'npm error `npm ci` can only install packages when your package.json and package-lock.json or npm-shrinkwrap.json are in sync. Please update your lock file with `npm install` before continuing.',
                'npm error',
                'npm error Missing: pdfkit@0.17.1 from lock file',
                'npm error Missing: fontkit@2.0.4 from lock file',
                'npm error Missing: linebreak@1.1.0 from lock file',
                'npm error',
                'npm error Clean install a project',
                'npm notice New minor version of npm available! 11.2.0 -> 11.6.0',
                'npm error A complete log of this run can be found in: /root/.npm/_logs/debug-0.log',
              ],
            },
          },
        ],
      },
    },
  },
};
