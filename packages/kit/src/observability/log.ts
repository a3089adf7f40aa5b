/** Structured logs as JSON lines: the log of the process, with secrets redacted, and one line per request. */
import { destination, pino, stdTimeFunctions, type Logger } from "pino";

export type { Logger } from "pino";

const SECRET_KEYS = [
  "password",
  "newPassword",
  "currentPassword",
  "token",
  "accessToken",
  "refreshToken",
  "clientSecret",
  "authorization",
  "cookie",
  "inviteLink",
  "shortInviteLink",
];
const FLUSH_MS = 250;

/** Buffered output, flushed every 250 ms: a killed process loses at most the lines since the last flush. */
const out = destination({ fd: 1, sync: false, minLength: 8_192 });
setInterval(() => out.flush(), FLUSH_MS).unref();
process.on("exit", () => {
  try {
    out.flushSync();
  } catch {
    // Nothing was written yet.
  }
});

/** Creates the logger of a process. It redacts the values of secret keys at the top level and in the two levels of objects below. */
export const createLogger = (name: string, level: string): Logger =>
  pino(
    {
      level,
      base: { service: name },
      timestamp: stdTimeFunctions.isoTime,
      redact: { paths: SECRET_KEYS.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]), censor: "[hidden]" },
    },
    out,
  );

/** Log line of a request. It names the operation, never the path or query, which may contain tokens. */
export interface RequestLine {
  operation: string;
  status: number;
  ms: number;
  organizationId: string | undefined;
  userId: string | null | undefined;
  requestId: string | null;
}

/** Creates the request logger. Its members are fixed and contain no secret, so it needs no redaction. */
export function requestLog(name: string, level: string): (line: RequestLine) => void {
  const lines = pino({ level, base: { service: name }, timestamp: stdTimeFunctions.isoTime }, out);
  return (line) => lines.info(line, "request");
}

/** Returns the milliseconds since a time of `performance.now()`, with one decimal. */
export const elapsedMs = (startedAt: number): number => Math.round((performance.now() - startedAt) * 10) / 10;
