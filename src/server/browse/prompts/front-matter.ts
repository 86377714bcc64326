/** A text with data about itself before it. */
export interface MarkdownFile {
  readonly front: unknown;
  readonly body: string;
}

const frontMatterPattern = /^---\n(?<front>[\s\S]*?)\n---\n+(?<body>[\s\S]*)$/;

/**
 * A Markdown text and the YAML between the dashes that it begins with.
 * @throws Error that names the text when there is none, or it is no YAML.
 */
export async function parseFrontMatter(name: string, text: string): Promise<MarkdownFile> {
  const { front, body } = frontMatterPattern.exec(text.replaceAll('\r\n', '\n'))?.groups ?? {};
  if (front === undefined || body === undefined) throw new Error(`${name} does not begin with front matter between two lines of dashes.`);
  // The default export: of a CommonJS package a bundler keeps no other.
  const { parse } = (await import('yaml')).default;
  try {
    return { front: parse(front) as unknown, body: body.trim() };
  } catch (error) {
    throw new Error(`The front matter of ${name} is no YAML: ${(error as Error).message}`, { cause: error });
  }
}
