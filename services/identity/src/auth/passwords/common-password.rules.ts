/** Rule against common passwords. */
import { invalid } from "@freehold/kit/errors";
import { commonPasswords } from "./common-passwords.ts";

const commonPasswordSet = new Set(commonPasswords.trim().split(/\s+/));

/** Throws 400 on field `path` for one of the most common passwords, ignoring case. */
export function requireUncommonPassword(path: string, password: string): void {
  if (commonPasswordSet.has(password.normalize("NFKC").toLowerCase()))
    throw invalid([{ path, code: "not_allowed", message: `${path} is one of the most common passwords. Choose another one.` }]);
}
