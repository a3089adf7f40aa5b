/** The two organizations of the sweeps. */
import type { NamedOperation } from "@freehold/contract";
import type { Role } from "@freehold/contract/roles";
import { anOffice, type Colleague, type Office } from "../support/office.ts";
import { sampleBody, sampleQuery, type IdOf } from "../support/samples.ts";
import { fillPath, idParams, type RequestInput } from "./sweeping.ts";
import { openTokenMint, type TokenMint } from "../support/tokens.ts";
import { memberFixtureId, pathFixtureId, subjectIdFor } from "../support/fixtures/fixture-ids.ts";
import { createFixtures, type Fixtures } from "../support/world.ts";

/** Two organizations with one resource of each kind, and valid requests to the first. */
export interface SweepWorld {
  mint: TokenMint;
  a: Office;
  b: Office;
  fixturesA: Fixtures;
  fixturesB: Fixtures;
  /** Second set of resources in the first organization. Its tenant, owner and vendor must not access the first set. */
  rivalFixtures: Fixtures;
  /** Users of the portals whose subjects are in the second set. */
  rivals: Partial<Record<Role, Colleague>>;
  /** Returns the token of an allowed caller: the organization's admin, or else the portal user whom the resource belongs to. */
  tokenFor: (named: NamedOperation, office?: Office, fixtures?: Fixtures) => string | undefined;
  /** Returns a valid request by an allowed caller of the first organization. */
  validRequest: (named: NamedOperation) => RequestInput;
}

export async function openSweepWorld(): Promise<SweepWorld> {
  const [mint, a, b] = await Promise.all([openTokenMint(), anOffice(), anOffice()]);
  const [fixturesA, fixturesB, rivalFixtures] = await Promise.all([createFixtures(a), createFixtures(b), createFixtures(a)]);
  const [tenant, owner, vendor] = [await a.tenantUser(rivalFixtures.tenant), await a.ownerUser(rivalFixtures.owner), await a.vendorUser(rivalFixtures.vendor)];
  const tokenFor: SweepWorld["tokenFor"] = ({ operation }, office = a, fixtures = fixturesA) => {
    if (operation.access === "public") return undefined;
    if (operation.access.includes("admin")) return office.token;
    const [role] = operation.access as [Role];
    return mint.genuine({ organizationId: office.organizationId, role, subjectId: subjectIdFor(fixtures, role) });
  };
  const fixtureId = memberFixtureId(fixturesA);
  const validRequest: SweepWorld["validRequest"] = (named) => {
    const [resourceParam] = idParams(named);
    const idOf: IdOf = (name) => (name === resourceParam ? pathFixtureId(fixturesA, named.operation.path) : fixtureId(name));
    return {
      path: fillPath(named, idOf),
      query: sampleQuery(named.operation, fixtureId),
      body: sampleBody(named.operation, fixtureId),
      token: tokenFor(named),
    };
  };
  return { mint, a, b, fixturesA, fixturesB, rivalFixtures, rivals: { tenant, owner, vendor }, tokenFor, validRequest };
}
