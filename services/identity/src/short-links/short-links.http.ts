import { shortLinks } from "@freehold/contract/short-links";
import { handlers } from "@freehold/kit/serve";
import type { Identity } from "../context.ts";
import { followShortLink } from "./short-links.ts";

export const shortLinksDoor = (identity: Identity) =>
  handlers(shortLinks, {
    followShortLink: async ({ params, res }) => res.redirect(302, await followShortLink(identity, params.shortCode)),
  });
