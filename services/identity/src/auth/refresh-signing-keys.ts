import type { Routes } from "@freehold/kit/http/routes";
import type { SigningKeys } from "./tokens/signing-keys.ts";

type Handler = (context: object) => Promise<unknown>;

/** Reads the signing keys again, when they are due, before each operation, so that no token is signed with a key that was retired since. */
export const refreshSigningKeys =
  (signingKeys: SigningKeys) =>
  ({ area, handlers }: Routes): Routes => {
    const refreshed = Object.keys(handlers).map((id) => {
      const handler = handlers[id] as unknown as Handler;
      return [
        id,
        async (context: object) => {
          await signingKeys.refresh();
          return handler(context);
        },
      ];
    });
    return { area, handlers: Object.fromEntries(refreshed) as Routes["handlers"] };
  };
