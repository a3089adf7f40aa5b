/** One line a request, and nothing secret in any line. */
import { destination, pino, stdTimeFunctions, type Logger } from "pino";

export type { Logger } from "pino";

const secret = [
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

/** Lines are written together, a few times a second: a process that is killed may lose the last of them, never the others. */
const out = destination({ fd: 1, sync: false, minLength: 8_192 });
setInterval(() => out.flush(), FLUSH_MS).unref();
process.on("exit", () => {
  try {
    out.flushSync();
  } catch {
    // Nothing was written yet.
  }
});

/** A logger that names its process and hides secrets wherever they stand up to two levels deep. */
export const createLogger = (name: string, level: string): Logger =>
  pino(
    {
      level,
      base: { service: name },
      timestamp: stdTimeFunctions.isoTime,
      redact: { paths: secret.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]), censor: "[hidden]" },
    },
    out,
  );

/** What a request's line says: the operation by name, never its path or query, where tokens travel. */
export interface RequestLine {
  operation: string;
  status: number;
  ms: number;
  organizationId: string | undefined;
  userId: string | null | undefined;
  requestId: string | null;
}

/** Writes a line for each request. Its members are fixed and hold no secret, so none is searched for. */
export function requestLog(name: string, level: string): (line: RequestLine) => void {
  const lines = pino({ level, base: { service: name }, timestamp: stdTimeFunctions.isoTime }, out);
  return (line) => lines.info(line, "request");
}

export const millisecondsSince = (started: number): number => Math.round((performance.now() - started) * 10) / 10;
