/** Organizations of a soak test, with the users, records and sessions that its traffic uses. */
import { Client } from "../support/client.ts";
import { anOffice, type Colleague, type Office } from "../support/office.ts";
import { aCharge, aTenancy, type Tenancy } from "../support/tenancy.ts";
import { signInOnDevice } from "../systems/attack/victim.ts";

export interface SoakOrganization {
  admin: Office;
  /** Portal user of the tenant. */
  tenantUser: Colleague;
  tenancy: Tenancy;
  /** Charge that is larger than all its payments together. */
  chargeId: string;
  vendorId: string;
  documentId: string;
  /** Cookie by which the admin's device is known at sign-in. */
  device: string;
}

const DOCUMENT_BYTES = 50_000;

/** Creates an organization with a tenancy, a vendor, a document and a portal user. */
async function anOrganization(baseUrl: string): Promise<SoakOrganization> {
  const admin = await anOffice(baseUrl);
  const tenancy = await aTenancy(admin);
  const chargeId = await aCharge(admin, tenancy.leaseId, 1_000_000_000_000, "2099-01-01");
  const { vendor } = await admin.call("createVendor", { body: { name: "Plumb & Sons" } });
  const { document } = await admin.call("uploadDocument", { body: { file: aFile(), entityType: "property", entityId: tenancy.propertyId } });
  const tenantUser = await admin.tenantUser(tenancy.tenantId, tenancy.leaseId);
  return { admin, tenantUser, tenancy, chargeId, vendorId: vendor.id, documentId: document.id, device: await signInOnDevice(admin) };
}

export async function createSoakOrganizations(baseUrl: string, count: number): Promise<SoakOrganization[]> {
  const organizations: SoakOrganization[] = [];
  while (organizations.length < count) organizations.push(await anOrganization(baseUrl));
  return organizations;
}

export const aFile = (): File => new File([Buffer.alloc(DOCUMENT_BYTES, "Elm Street ")], "notes.txt", { type: "text/plain" });

/** Replaces the access tokens, which are valid for fifteen minutes, by the refresh cookies of the sessions. Returns the statuses. */
export async function refreshTokens(organizations: readonly SoakOrganization[]): Promise<number[]> {
  const statuses: number[] = [];
  for (const client of organizations.flatMap(({ admin, tenantUser }): Client[] => [admin, tenantUser])) {
    const { status, body } = await client.attempt("refreshToken", { body: { grantType: "refresh_token" } });
    if (status === 200) client.token = body.accessToken;
    statuses.push(status);
  }
  return statuses;
}
