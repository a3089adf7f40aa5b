/** One line a request, and nothing secret in any line. */
import { pino, type Logger } from "pino";

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

/** A logger that names its process and hides secrets wherever they stand up to two levels deep. */
export const createLogger = (name: string, level: string): Logger =>
  pino({
    name,
    level,
    base: { service: name },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: secret.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]), censor: "[hidden]" },
  });
