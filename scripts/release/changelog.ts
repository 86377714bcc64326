/**
 * The section of a version in a changelog, without its heading: what a release tells.
 * @throws Error if there is none.
 */
export function releaseNotes(changelog: string, version: string): string {
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((text) =>
    new RegExp(`^\\[?${version.replaceAll('.', '\\.')}\\]? - \\d{4}-\\d\\d-\\d\\d$`, 'm').test(text.split('\n', 1)[0]!),
  );
  if (section === undefined)
    throw new Error(
      `CHANGELOG.md has no section "## ${version} - <date>". Give the section "Unreleased" this heading.`,
    );
  return `${section.slice(section.indexOf('\n')).trim()}\n`;
}
