/** Whether a vendor may be given work is up to the organization once its liability insurance has run out. */
import type { Policies } from "@freehold/contract/accounts";
import { today } from "@freehold/kit/clock";
import type { OrgDb } from "@freehold/kit/db";
import { conflict } from "@freehold/kit/errors";
import { sql } from "@freehold/kit/statement";
import type { Clients } from "../clients.ts";

/** Refuses a vendor whose liability insurance, all of it that is kept here, has run out, where the organization's policy is to block such vendors. */
export async function refuseLapsedInsurance(db: OrgDb, ask: Clients, vendorId: string | null | undefined): Promise<void> {
  const expiredOn = vendorId ? await lapsedOn(db, vendorId) : undefined;
  if (!expiredOn) return;
  const { policies } = await ask.identity.getOrganization(db, {});
  if ((JSON.parse(policies) as Policies).vendorInsurance !== "block") return;
  throw conflict(`The vendor's liability insurance ran out on ${expiredOn}. Enter a new one, or choose another vendor.`, "invalid_transition", [
    { path: "vendorId", code: "not_allowed", message: "The vendor's liability insurance has run out." },
  ]);
}

/** The last day of a liability insurance that is over; nothing while one holds or when none is known. */
async function lapsedOn(db: OrgDb, vendorId: string): Promise<string | undefined> {
  const latest = await db.first(sql<{ expiresOn: string | null }>`select max(expires_on) as expires_on from vendor_insurance
    where organization_id = ${db.organizationId} and vendor_id = ${vendorId} and kind = 'liability'`);
  return latest?.expiresOn && latest.expiresOn < today(db.scope.timezone) ? latest.expiresOn : undefined;
}
