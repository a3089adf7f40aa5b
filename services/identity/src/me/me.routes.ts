import { me } from "@freehold/contract/identity/me";
import { routes } from "@freehold/kit/http/routes";
import { authCookies } from "../auth/tokens/auth-cookies.ts";
import type { Identity } from "../context.ts";
import { changeMyConsent, changeMyPhone, completeOnboarding, updateMe } from "./me.ts";
import { changeMyPassword } from "./change-password.ts";

export function meRoutes(identity: Identity) {
  const cookie = authCookies(identity.link(""));
  return routes(me, {
    updateMe: async ({ db, body }) => ({ user: await updateMe(db, body) }),
    changeMyPhone: async ({ db, body }) => ({ user: await changeMyPhone(db, body) }),
    changeMyConsent: async ({ db, body }) => ({ user: await changeMyConsent(db, identity.clients, body) }),
    changeMyPassword: async ({ db, body, res }) => {
      const { user, deviceCookie } = await changeMyPassword(identity, db, body);
      cookie.setDevice(res, deviceCookie);
      return { user };
    },
    completeOnboarding: async ({ db, body }) => ({ user: await completeOnboarding(db, body) }),
  });
}
