/** Passwords that everybody tries first. */
import { invalid } from "@freehold/kit/errors";
import { commonPasswords } from "./common-passwords.ts";

const common = new Set(commonPasswords.trim().split(/\s+/));

/** Refuses to take one of the most used passwords, in capitals or not; `path` is the member that it was sent in. */
export function requireUncommonPassword(path: string, password: string): void {
  if (common.has(password.normalize("NFKC").toLowerCase()))
    throw invalid([{ path, code: "not_allowed", message: `${path} is one of the most used passwords, which are tried first. Choose another one.` }]);
}
