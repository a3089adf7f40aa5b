import { forbidden } from "@freehold/kit/errors";
import type { RequestContext } from "@freehold/kit/db/org-db";
import { ADDRESS_HEADER, REQUEST_HEADER } from "@freehold/kit/auth/assertion";
import type { Request } from "express";
import { readDeviceCookie } from "./tokens/auth-cookies.ts";

const MAX_USER_AGENT_CHARACTERS = 300;

/** Caller without an access token, identified by the client address of the request. */
export interface AnonymousCaller {
  clientAddress: string;
  userAgent: string | null;
  requestId: string | null;
  /** Cookie of a device that has signed in before. */
  deviceCookie?: string | undefined;
}

/** Returns the caller of a request. Uses the client address that the gateway sends, or the socket's address without a gateway. */
export const anonymousCallerOf = (req: Request): AnonymousCaller => ({
  clientAddress: header(req, ADDRESS_HEADER) ?? req.socket.remoteAddress ?? "unknown",
  userAgent: header(req, "user-agent")?.slice(0, MAX_USER_AGENT_CHARACTERS) ?? null,
  requestId: header(req, REQUEST_HEADER) ?? null,
  deviceCookie: readDeviceCookie(req),
});

/** Returns the request context of work for a caller without an access token. */
export const requestContextOf = ({ clientAddress, requestId }: AnonymousCaller): RequestContext => ({ requestId, clientAddress });

/**
 * Throws 403 for a request that the browser marks as cross-site, to prevent CSRF with the refresh cookie. Requests without
 * `Sec-Fetch-Site`, such as those of clients other than browsers, pass.
 */
export function requireSameSite(req: Request): void {
  if (header(req, "sec-fetch-site") === "cross-site")
    throw forbidden("This operation cannot be called from a page of another site. Call it from a page of this site, or from a server.", "scope_forbidden");
}

const header = (req: Request, name: string): string | undefined => req.headers[name] as string | undefined;
