/** Whether a service is deployed whenever its source changes. */
export const deploysByItself = ({
  auto_deploy: isWanted,
}: {
  readonly auto_deploy?: boolean | null | undefined;
}): boolean => isWanted === true;

/** Why such a service is refused, and what to do instead. */
export const autoDeployRefusal =
  'Nothing watches repositories and registries on this cluster: set "auto_deploy" to false, and deploy the service when there is a new commit or tag.';
