import { forbidden } from "@freehold/kit/errors";
import { REQUEST_HEADER } from "@freehold/kit/scope";
import type { Request } from "express";

/** Somebody who is not signed in: all that is known is where the request came from. */
export interface Visitor {
  address: string;
  requestId: string | null;
}

/** The visitor of a request. The gateway says the address; without it, whoever connected is all there is. */
export const visitorOf = (req: Request): Visitor => ({
  address: header(req, "x-freehold-client-address") ?? req.socket.remoteAddress ?? "unknown",
  requestId: header(req, REQUEST_HEADER) ?? null,
});

/** Refuses a request that another site's page makes with our cookie. */
export function requireOwnSite(req: Request): void {
  if (header(req, "sec-fetch-site") === "cross-site") throw forbidden("This cannot be called from another site's page.", "scope_forbidden");
}

const header = (req: Request, name: string): string | undefined => req.headers[name] as string | undefined;
