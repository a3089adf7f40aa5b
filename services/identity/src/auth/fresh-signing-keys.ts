import { wrapHandlers, type Routes } from "@freehold/kit/http/routes";
import type { SigningKeys } from "./tokens/signing-keys.ts";

/** Reads the signing keys again, when they are due, before each operation, so that no token is signed with a key that was retired since. */
export const withFreshSigningKeys =
  (signingKeys: SigningKeys) =>
  (routes: Routes): Routes =>
    wrapHandlers(routes, (handler) => async (context) => {
      await signingKeys.refresh();
      return handler(context);
    });
