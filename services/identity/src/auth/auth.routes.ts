import { auth, isServiceKeyGrant } from "@freehold/contract/identity/auth";
import { routes } from "@freehold/kit/http/routes";
import type { Identity } from "../context.ts";
import { exchangeServiceKey } from "../service-keys/exchange-service-key.ts";
import { acceptInvite, getInvite } from "./invites/invites.ts";
import { getMe } from "../me/me.ts";
import { authCookies } from "./tokens/auth-cookies.ts";
import { logout, refreshToken } from "./tokens/sessions.ts";
import { respondToTokenForm } from "./tokens/token-form.ts";
import { login } from "./sign-in.ts";
import { signUp } from "./sign-up.ts";
import { requireSameSite, anonymousCallerOf } from "./anonymous-caller.ts";

export function authRoutes(identity: Identity) {
  const cookie = authCookies(identity.link(""));
  return routes(auth, {
    signUp: async ({ body, req, res }) => cookie.setAndReturn(res, await signUp(identity, body, anonymousCallerOf(req))),
    login: async ({ body, req, res }) => cookie.setAndReturn(res, await login(identity, body, anonymousCallerOf(req))),
    refreshToken: async ({ body, req, res }) => {
      requireSameSite(req);
      if (typeof req.body === "string") return respondToTokenForm(identity, req.body, { req, res });
      const { clientId = "", clientSecret = "" } = body;
      if (isServiceKeyGrant(body)) return exchangeServiceKey(identity, { clientId, clientSecret }, anonymousCallerOf(req));
      return cookie.setAndReturn(res, await refreshToken(identity, cookie.read(req), anonymousCallerOf(req)));
    },
    logout: async ({ req, res }) => {
      requireSameSite(req);
      await logout(identity, cookie.read(req), anonymousCallerOf(req));
      cookie.clear(res);
      return { loggedOut: true as const };
    },
    getMe: ({ db }) => getMe(db),
    getInvite: async ({ params, req }) => ({ invite: await getInvite(identity, params.token, anonymousCallerOf(req)) }),
    acceptInvite: async ({ params, body, req, res }) => cookie.setAndReturn(res, await acceptInvite(identity, params.token, body, anonymousCallerOf(req))),
    getSigningKeys: async () => ({ keys: await identity.signingKeys.published() }),
  });
}
