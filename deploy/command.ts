/** Prints progress of a command to standard output. */
export const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** Returns a text as one word of a shell command, in quotes where it needs them. */
export const shellQuote = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

/** Runs a command. Prints the message of an error to standard error and sets the exit code 1. */
export async function runCommand(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}
