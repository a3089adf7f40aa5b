import { expect, test } from "@jest/globals";
import { openDatabase } from "@freehold/kit/db/database";
import { OrgDb } from "@freehold/kit/db/org-db";
import { compile, type RawBuilder } from "@freehold/kit/db/statement";
import { systemPrincipal } from "@freehold/kit/auth/principal";
import { anOffice } from "../../../../../test/support/office.ts";
import { running } from "../../../../../test/support/running.ts";
import { aTenancy } from "../../../../../test/support/tenancy.ts";
import { withOwnerConnection } from "../../../test/ledger.fixtures.ts";
import { database } from "../../database.ts";
import { applyPostponedCredit } from "./apply-credit.ts";

test("the job keeps postponed credit with a lower id that is committed while it runs", async () => {
  const office = await anOffice();
  const { leaseId } = await aTenancy(office);
  const { organizationId } = office;
  const ledger = await openDatabase(database, running().databaseUrls.ledger.service, 2);
  /** Commits a posting with a lower id before the job deletes the rows that it has applied. */
  class Interrupted extends OrgDb {
    override async all<R>(query: RawBuilder<R>): Promise<R[]> {
      if (compile(query).text.startsWith("delete from postponed_credit")) await postpone(1);
      return super.all(query);
    }
  }
  const postpone = (id: number) =>
    withOwnerConnection(office, (owner) =>
      owner.query("insert into postponed_credit (organization_id, id, lease_id) overriding system value values ($1, $2, $3)", [organizationId, id, leaseId]),
    );
  try {
    await postpone(2);
    await applyPostponedCredit(new Interrupted(ledger, systemPrincipal(organizationId)));
    const { rows } = await withOwnerConnection(office, (owner) =>
      owner.query("select id::int from postponed_credit where organization_id = $1", [organizationId]),
    );
    expect(rows).toEqual([{ id: 1 }]);
  } finally {
    await ledger.close();
  }
});
