/** Normalization of request heads. */
import type { IncomingMessage } from "node:http";

/** Scheme and authority of a request target in absolute form (RFC 9112, section 3.2.2), which every server accepts. */
const ORIGIN = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i;
const NEGOTIATION = ["accept", "accept-encoding", "accept-language"] as const;
/** Maximum length of a negotiation header. Parsing a longer one costs more than the request; browsers send about 200 characters. */
const MAX_NEGOTIATION_CHARACTERS = 1_024;

/** Shortens an absolute target to its path and query, and removes long lists of preferences, which a server may ignore. */
export function normalizeHead(req: Pick<IncomingMessage, "url" | "headers">): void {
  req.url = originForm(req.url!);
  for (const name of NEGOTIATION) if ((req.headers[name]?.length ?? 0) > MAX_NEGOTIATION_CHARACTERS) delete req.headers[name];
}

function originForm(target: string): string {
  const path = target.replace(ORIGIN, "");
  return path === target || path.startsWith("/") ? path : `/${path}`;
}
