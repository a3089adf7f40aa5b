import { me } from "@freehold/contract/identity/me";
import { routes } from "@freehold/kit/http/routes";
import type { Identity } from "../context.ts";
import { changeMyConsent, changeMyPhone, completeOnboarding, updateMe } from "./me.ts";
import { changeMyPassword } from "./change-password.ts";

export const meRoutes = (identity: Identity) =>
  routes(me, {
    updateMe: async ({ db, body }) => ({ user: await updateMe(db, body) }),
    changeMyPhone: async ({ db, body }) => ({ user: await changeMyPhone(db, body) }),
    changeMyConsent: async ({ db, body }) => ({ user: await changeMyConsent(db, body) }),
    changeMyPassword: async ({ db, body }) => ({ user: await changeMyPassword(identity, db, body) }),
    completeOnboarding: async ({ db, body }) => ({ user: await completeOnboarding(db, body) }),
  });
