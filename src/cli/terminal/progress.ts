/** How long a task runs before progress is shown, in milliseconds. */
const patience = 700;

/** Whether stderr is a terminal where a line can be erased again. */
const canErase = (): boolean =>
  process.stderr.isTTY && process.env['TERM'] !== 'dumb' && process.env['CI'] === undefined;

/**
 * Runs a task. If it takes long, shows a spinner on stderr meanwhile, if stderr is a terminal, and erases it
 * afterwards.
 * @param text the initial text of the spinner.
 * @param task receives a function that changes the text.
 */
export async function withProgress<Value>(
  text: string,
  task: (update: (text: string) => void) => Promise<Value>,
): Promise<Value> {
  if (!canErase()) return task(() => undefined);
  const { default: spin } = await import('yocto-spinner');
  const spinner = spin();
  let latest = text;
  const timer = setTimeout(() => spinner.start(latest), patience);
  try {
    return await task((next) => {
      latest = next;
      if (spinner.isSpinning) spinner.text = next;
    });
  } finally {
    clearTimeout(timer);
    spinner.stop();
  }
}
