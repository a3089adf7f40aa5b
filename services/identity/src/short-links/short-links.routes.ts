import { shortLinks } from "@freehold/contract/identity/short-links";
import { routes } from "@freehold/kit/http/routes";
import { anonymousCallerOf } from "../auth/anonymous-caller.ts";
import type { Identity } from "../context.ts";
import { followShortLink } from "./short-links.ts";

export const shortLinkRoutes = (identity: Identity) =>
  routes(shortLinks, {
    followShortLink: async ({ params, req, res }) => res.redirect(302, await followShortLink(identity, params.shortCode, anonymousCallerOf(req))),
  });
