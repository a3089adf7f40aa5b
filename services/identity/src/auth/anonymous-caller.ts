import { forbidden } from "@freehold/kit/errors";
import type { RequestContext } from "@freehold/kit/db/org-db";
import { ADDRESS_HEADER, REQUEST_HEADER } from "@freehold/kit/auth/assertion";
import type { Request } from "express";

const MAX_USER_AGENT = 300;

/** Somebody who is not signed in: all that is known is where the request came from. */
export interface AnonymousCaller {
  address: string;
  userAgent: string | null;
  requestId: string | null;
}

/** The caller of a request. The gateway says the address; without it, whoever connected is all there is. */
export const anonymousCallerOf = (req: Request): AnonymousCaller => ({
  address: header(req, ADDRESS_HEADER) ?? req.socket.remoteAddress ?? "unknown",
  userAgent: header(req, "user-agent")?.slice(0, MAX_USER_AGENT) ?? null,
  requestId: header(req, REQUEST_HEADER) ?? null,
});

/** What a caller's request brings along. */
export const requestContextOf = ({ address, requestId }: AnonymousCaller): RequestContext => ({ requestId, clientAddress: address });

/** Refuses a request that another site's page makes with our cookie. */
export function requireSameSite(req: Request): void {
  if (header(req, "sec-fetch-site") === "cross-site") throw forbidden("This cannot be called from another site's page.", "scope_forbidden");
}

const header = (req: Request, name: string): string | undefined => req.headers[name] as string | undefined;
