/** Reading of invites by the office. */
import type { PortalRole } from "@freehold/contract/roles";
import type { QueryOf } from "@freehold/contract/operation";
import type { tenantInvites } from "@freehold/contract/people/tenant-invites";
import type { OrgDb } from "@freehold/kit/db/org-db";
import { notFound } from "@freehold/kit/errors";
import type { Page } from "@freehold/kit/db/list";
import { inviteView, type InviteViews } from "./invite.view.ts";
import { tokenForCaller, type InviteDependencies } from "./invites.ts";
import { findInviteRow, listInviteRows, type InviteRow } from "./invites.queries.ts";

type Filters = Omit<QueryOf<(typeof tenantInvites)["operations"]["listTenantInvites"]>, "tenantId">;

/** Returns the view of an invite for the caller: staff cannot invite, so they get no token. */
const viewForCaller = <K extends PortalRole>(db: OrgDb, { tokens }: InviteDependencies, kind: K, row: InviteRow): InviteViews[K] =>
  inviteView(kind, row, db.principal.role === "staff" ? null : tokenForCaller(db, tokens, row));

/** Returns a page of the invites of a kind, of one subject if given. */
export async function listPortalInvites<K extends PortalRole>(
  db: OrgDb,
  dependencies: InviteDependencies,
  kind: K,
  subjectId: string | undefined,
  query: Filters,
): Promise<{ invites: InviteViews[K][] } & Page<InviteRow>["paging"]> {
  const { rows, paging } = await listInviteRows(db, kind, subjectId, query);
  return { invites: rows.map((row) => viewForCaller(db, dependencies, kind, row)), ...paging };
}

/** Returns an invite of a kind. Throws 404, also for one of another kind. */
export async function getPortalInvite<K extends PortalRole>(
  db: OrgDb,
  dependencies: InviteDependencies,
  kind: K,
  id: string,
): Promise<{ invite: InviteViews[K] }> {
  const row = await findInviteRow(db, id);
  if (row?.kind !== kind) throw notFound("Invite");
  return { invite: viewForCaller(db, dependencies, kind, row) };
}
