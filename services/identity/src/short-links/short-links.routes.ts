import { shortLinks } from "@freehold/contract/identity/short-links";
import { routes } from "@freehold/kit/http/routes";
import type { Identity } from "../context.ts";
import { followShortLink } from "./short-links.ts";

export const shortLinkRoutes = (identity: Identity) =>
  routes(shortLinks, {
    followShortLink: async ({ params, res }) => res.redirect(302, await followShortLink(identity, params.shortCode)),
  });
