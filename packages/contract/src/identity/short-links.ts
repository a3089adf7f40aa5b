import { z } from "zod";
import { operationGroup } from "../operation.ts";

export const shortLinks = operationGroup("Auth", "identity", {
  followShortLink: {
    method: "GET",
    path: "/api/i/{shortCode}",
    summary: "follow a short link",
    access: "public",
    params: z.object({
      shortCode: z.string().min(1).max(400).describe("Code of the short link, the last part of a `shortInviteLink`."),
    }),
    description: "Redirects to the page of an invite. Returns 404 for an unknown code, and once the invite is accepted, revoked, replaced or expired.",
    response: {},
    redirects: true,
  },
});
