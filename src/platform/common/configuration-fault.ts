import { ImageTag, type ServiceKind } from '../../contract/index.ts';
import type { ServiceSpecs } from './service-spec.ts';
import { isBranchName, sourcePath } from './source-paths.ts';

/** A member of a service's configuration that no deployment can use. */
export interface ConfigurationFault {
  /** The path of the member in requests, such as `source.docker.dockerfile_path`. */
  readonly field: string;
  /** Why, as the end of a sentence that starts with the member. */
  readonly why: string;
}

/** The members of a configuration that say what to build. */
export interface BuildSource {
  readonly git_repository: {
    readonly url: string;
    readonly branch?: string | undefined;
    readonly root_path?: string | undefined;
    readonly git_token_id?: string | null | undefined;
  };
  readonly dockerfile_path?: string | null | undefined;
  readonly dockerfile_raw?: string | null | undefined;
  readonly docker_target_build_stage?: string | null | undefined;
}

/** Why a text can't be used; undefined if it can. */
type Rule = (text: string) => string | undefined;

/** A text of a configuration with its rule. Absent texts have no fault. */
type Checked = readonly [field: string, text: string | null | undefined, rule: Rule];

const rule =
  (isRight: (text: string) => boolean, why: (text: string) => string): Rule =>
  (text) =>
    isRight(text) ? undefined : why(text);

const isBelow = (path: string): boolean => (sourcePath(path) ?? '') !== '';

/** A text that is passed to a program as an argument: no option, and no path to another place. */
const isPlainArgument = (text: string): boolean => !/^-|[\s\p{Cc}]/u.test(text) && isBelow(text);

const isMountPoint = (path: string): boolean =>
  isBelow(path) && !/[\p{Cc}]/u.test(path) && path.split('/').every((part) => part !== '.');

const branch = rule(isBranchName, (name) => `"${name}" can't be the name of a branch`);
const folder = rule(
  (path) => sourcePath(path) !== undefined,
  (path) => `must be a folder of the repository, and ${path} leads out of it`,
);
const dockerfile = rule(isBelow, (path) => `must be a file below "root_path", which ${path} isn't`);
const stage = rule(
  (name) => name === '' || /^[a-z\d][\w.-]*$/i.test(name),
  (name) => `"${name}" can't be the name of a stage of a Dockerfile`,
);
const imageTag = rule(
  (tag) => ImageTag.safeParse(tag).success,
  (tag) => `"${tag}" can't be the tag of an image`,
);
const chartName = rule(isPlainArgument, (name) => `"${name}" can't be the name of a chart`);
const chartVersion = rule(isPlainArgument, (version) => `"${version}" can't be the version of a chart`);
const valuesFile = rule(isBelow, (path) => `must be files of the repository, and ${path} isn't one`);
const valuesName = rule(isBelow, (name) => `"${name}" can't be the name of a file`);
const variableFile = rule(isBelow, (path) => `must be files below "root_path", which ${path} isn't`);
const mountPoint = rule(
  isMountPoint,
  (path) => `must be an absolute path below / without "." and "..", which ${path} isn't`,
);

/** Why nothing can be mounted at a path; undefined if it can. */
export const mountPointFault = mountPoint;

/** Why no image can have a tag; undefined if one can. */
export const imageTagFault = imageTag;

/** Why no chart can have a version; undefined if one can. */
export const chartVersionFault = chartVersion;

type Repository = Pick<BuildSource['git_repository'], 'branch' | 'root_path'>;

const ofRepository = (at: string, repository: Repository | undefined): readonly Checked[] => [
  [`${at}branch`, repository?.branch, branch],
  [`${at}root_path`, repository?.root_path, folder],
];

const ofBuild = (at: string, source: BuildSource | undefined): readonly Checked[] => [
  ...ofRepository(`${at}git_repository.`, source?.git_repository),
  [`${at}dockerfile_path`, source?.dockerfile_path, dockerfile],
  [`${at}docker_target_build_stage`, source?.docker_target_build_stage, stage],
];

const ofStorage = ({ storage }: Pick<ServiceSpecs['container'], 'storage'>): readonly Checked[] =>
  storage.map(({ mount_point: path }, index): Checked => [`storage.${index}.mount_point`, path, mountPoint]);

/** The texts of each kind's configuration that programs read as paths, names or arguments. */
const checkedOf: { readonly [Kind in ServiceKind]: (spec: ServiceSpecs[Kind]) => readonly Checked[] } = {
  application: (spec) => [...ofBuild('', spec), ...ofStorage(spec)],
  container: (spec) => [['tag', spec.tag, imageTag], ...ofStorage(spec)],
  database: () => [],
  helm: ({ source: { git, repository }, values_override: { file } }) => [
    ...ofRepository('source.git_repository.', git?.git_repository),
    ['source.helm_repository.chart_name', repository?.chart_name, chartName],
    ['source.helm_repository.chart_version', repository?.chart_version, chartVersion],
    ...ofRepository('values_override.file.git.git_repository.', file?.git?.git_repository),
    ...(file?.git?.paths ?? []).map((path): Checked => ['values_override.file.git.paths', path, valuesFile]),
    ...(file?.raw?.values ?? []).map(({ name }, index): Checked => [
      `values_override.file.raw.values.${index}.name`,
      name,
      valuesName,
    ]),
  ],
  job: ({ source: { docker, image } }) => [
    ...ofBuild('source.docker.', docker),
    ['source.image.tag', image?.tag, imageTag],
  ],
  terraform: ({ terraform_files_source: { git }, terraform_variables_source: { tf_var_file_paths: paths } }) => [
    ...ofBuild('terraform_files_source.git.', git),
    ...paths.map((path): Checked => ['terraform_variables_source.tf_var_file_paths', path, variableFile]),
  ],
};

const firstFault = (checked: readonly Checked[]): ConfigurationFault | undefined =>
  checked
    .flatMap(([field, text, ruleOf]) => {
      const why = typeof text === 'string' ? ruleOf(text) : undefined;
      return why === undefined ? [] : [{ field, why }];
    })
    .at(0);

/** The first fault of a source that services are built from. @param at the path before its members, with a dot */
export const buildSourceFault = (source: BuildSource, at = ''): ConfigurationFault | undefined =>
  firstFault(ofBuild(at, source));

/** The first member of a service's configuration that no deployment can use, on any cluster. */
export const configurationFault = <Kind extends ServiceKind>(
  kind: Kind,
  spec: ServiceSpecs[Kind],
): ConfigurationFault | undefined => firstFault(checkedOf[kind](spec));
