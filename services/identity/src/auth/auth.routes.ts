import { auth, isOfServiceKey } from "@freehold/contract/auth";
import { routes } from "@freehold/kit/http/routes";
import type { Identity } from "../context.ts";
import { exchangeServiceKey } from "../service-keys/exchange.ts";
import { acceptInvite, getInvite } from "./invites/invites.ts";
import { getMe } from "../me/me.ts";
import { refreshCookie } from "./tokens/refresh-cookie.ts";
import { logout, refreshToken } from "./tokens/sessions.ts";
import { login } from "./sign-in.ts";
import { signUp } from "./sign-up.ts";
import { requireOwnSite, visitorOf } from "./visitor.ts";

export function authDoor(identity: Identity) {
  const cookie = refreshCookie(identity.link(""));
  return routes(auth, {
    signUp: async ({ body, req, res }) => cookie.answer(res, await signUp(identity, body, visitorOf(req))),
    login: async ({ body, req, res }) => cookie.answer(res, await login(identity, body, visitorOf(req))),
    refreshToken: async ({ body, req, res }) => {
      requireOwnSite(req);
      const { clientId = "", clientSecret = "" } = body;
      if (isOfServiceKey(body)) return exchangeServiceKey(identity, { clientId, clientSecret }, visitorOf(req));
      return cookie.answer(res, await refreshToken(identity, cookie.read(req), visitorOf(req)));
    },
    logout: async ({ req, res }) => {
      requireOwnSite(req);
      await logout(identity, cookie.read(req), visitorOf(req));
      cookie.clear(res);
      return { loggedOut: true as const };
    },
    getMe: ({ db }) => getMe(db),
    getInvite: async ({ params, req }) => ({ invite: await getInvite(identity, params.token, visitorOf(req)) }),
    acceptInvite: async ({ params, body, req, res }) => cookie.answer(res, await acceptInvite(identity, params.token, body, visitorOf(req))),
    getSigningKeys: async () => ({ keys: await identity.signingKeys.published() }),
  });
}
