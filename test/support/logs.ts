/** Log lines of the processes of the system under test. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { running } from "./running.ts";

interface LogLine {
  level: number;
  msg: string;
  operation?: string;
  status?: number;
  requestId?: string;
}

/** Levels of pino. */
export const logLevels = { info: 30, error: 50 } as const;

/** Returns the log lines of a process that contain a text, without the line that it is writing. */
export const findLogLines = (processName: string, text: string): LogLine[] =>
  readFileSync(join(running().dataDir, "logs", `${processName}.log`), "utf8")
    .split("\n")
    .slice(0, -1)
    .filter((line) => line.startsWith("{") && line.includes(text))
    .map((line) => JSON.parse(line) as LogLine);
