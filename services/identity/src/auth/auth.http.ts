import { auth } from "@freehold/contract/auth";
import { handlers } from "@freehold/kit/serve";
import type { Response } from "express";
import type { Identity } from "../context.ts";
import { acceptInvite, getInvite } from "./invites.ts";
import { getMe } from "./me.ts";
import { refreshCookie } from "./refresh-cookie.ts";
import { logout, refreshToken } from "./sessions.ts";
import { login } from "./sign-in.ts";
import { signUp } from "./sign-up.ts";
import { requireOwnSite, visitorOf } from "./visitor.ts";

export function authDoor(identity: Identity) {
  const cookie = refreshCookie(identity.link(""));
  const withCookie = <A>(res: Response, { answer, refreshToken }: { answer: A; refreshToken: string }): A => {
    cookie.set(res, refreshToken);
    return answer;
  };

  return handlers(auth, {
    signUp: async ({ body, req, res }) => withCookie(res, await signUp(identity, body, visitorOf(req))),
    login: async ({ body, req, res }) => withCookie(res, await login(identity, body, visitorOf(req))),
    refreshToken: async ({ req, res, requestId }) => {
      requireOwnSite(req);
      return withCookie(res, await refreshToken(identity, cookie.read(req), requestId));
    },
    logout: async ({ req, res, requestId }) => {
      requireOwnSite(req);
      await logout(identity, cookie.read(req), requestId);
      cookie.clear(res);
      return { loggedOut: true as const };
    },
    getMe: ({ db }) => getMe(db),
    getInvite: async ({ params, req }) => ({ invite: await getInvite(identity, params.token, visitorOf(req)) }),
    acceptInvite: async ({ params, body, req, res }) => withCookie(res, await acceptInvite(identity, params.token, body, visitorOf(req))),
    getSigningKeys: async () => ({ keys: await identity.signingKeys.published() }),
  });
}
