/** A Markdown file with front matter. */
export interface MarkdownFile {
  readonly front: unknown;
  readonly body: string;
}

const frontMatterPattern = /^---\n(?<front>[\s\S]*?)\n---\n+(?<body>[\s\S]*)$/;

/**
 * Splits a Markdown file into its front matter, parsed as YAML, and its body.
 * @param name names the file in errors.
 * @throws Error if there is no front matter, or it is not valid YAML.
 */
export async function parseFrontMatter(name: string, text: string): Promise<MarkdownFile> {
  const { front, body } = frontMatterPattern.exec(text.replaceAll('\r\n', '\n'))?.groups ?? {};
  if (front === undefined || body === undefined) throw new Error(`${name} does not begin with front matter between two lines of dashes.`);
  // The default export: the bundler keeps no named exports of a CommonJS package.
  const { parse } = (await import('yaml')).default;
  try {
    return { front: parse(front) as unknown, body: body.trim() };
  } catch (error) {
    throw new Error(`The front matter of ${name} is no YAML: ${(error as Error).message}`, { cause: error });
  }
}
