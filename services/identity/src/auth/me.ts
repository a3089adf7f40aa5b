import { operations } from "@freehold/contract/index";
import type { auth } from "@freehold/contract/auth";
import type { Output } from "@freehold/contract/operation";
import type { Role } from "@freehold/contract/roles";
import type { OrgDb } from "@freehold/kit/db";
import { notFound } from "@freehold/kit/errors";
import { readOrganization } from "../accounts/organization.queries.ts";
import { userView } from "../accounts/user.view.ts";
import { findUser } from "../accounts/users.queries.ts";

/** The operations that a role may call, public ones included. */
export const permissionsOf = (role: Role): string[] =>
  operations.filter(({ operation }) => operation.access === "public" || operation.access.includes(role)).map(({ id }) => id);

/** Who is asking, in which organization, and what their token lets them do. */
export async function getMe(db: OrgDb): Promise<Output<typeof auth.operations.getMe>> {
  const row = db.scope.userId === null ? undefined : await findUser(db, db.scope.userId);
  if (!row) throw notFound("User");
  const { id, name, slug, timezone } = await readOrganization(db);
  return { user: userView(row), organization: { id, name, slug, timezone }, permissions: permissionsOf(db.scope.role as Role) };
}
