/** Start and end of a process. */
import { flushCompileCache } from "node:module";
import { ConfigurationError } from "../config.ts";
import { collectWhenIdle } from "./garbage-collection.ts";

/** Exit code EX_CONFIG of sysexits.h: restarting the process cannot help. */
const EX_CONFIG = 78;
const SHUTDOWN_MS = 15_000;

/** Returns a function that ends the process with the message of a configuration error. */
export const exitMisconfigured =
  (name: string) =>
  (error: ConfigurationError): never => {
    process.stderr.write(`freehold-${name} cannot start: ${error.message}\n`);
    process.exit(EX_CONFIG);
  };

/** Longest time in which a process whose launcher has died ends its work. */
const ORPHAN_END_MS = 20_000;

/**
 * Runs a process until SIGTERM, SIGINT or the end of its launcher, and stops it cleanly. A configuration error ends it with
 * one message and exit code 78.
 */
export async function runProcess(name: string, start: () => Promise<{ stop(): Promise<void> }>): Promise<void> {
  process.title = `freehold-${name}`;
  let running: { stop(): Promise<void> };
  try {
    running = await start();
  } catch (error) {
    if (error instanceof ConfigurationError) return exitMisconfigured(name)(error);
    process.stderr.write(`freehold-${name} failed to start: ${String((error as Error).stack ?? error)}\n`);
    process.exit(1);
  }
  // Writing the cache blocks for seconds the first time, so it happens before the process is ready.
  flushCompileCache();
  process.send?.("ready");
  collectWhenIdle();
  let isEnding = false;
  const end = (exit: (code: number) => void) => {
    if (isEnding) return;
    isEnding = true;
    setTimeout(() => exit(1), SHUTDOWN_MS).unref();
    running.stop().then(
      () => exit(0),
      () => exit(1),
    );
  };
  const endNormally = () => end((code) => process.exit(code));
  process.on("SIGTERM", endNormally);
  process.on("SIGINT", endNormally);
  // An exit can wait for V8's threads for ever, and the end of the work for a database that ended with the launcher. Nobody else would kill the process.
  const kill = () => process.kill(process.pid, "SIGKILL");
  if (process.send)
    process.on("disconnect", () => {
      setTimeout(kill, ORPHAN_END_MS);
      end(kill);
    });
}
