/** Attack on the eras of transaction ids, which all organizations share, with the role of the service. All statements are rolled back. */
import { expect, test } from "@jest/globals";
import pg from "pg";
import { running } from "../../../../test/support/running.ts";

test("only a migration begins an era of transaction ids, on which the ledger versions of all organizations depend", async () => {
  const service = new pg.Client({ connectionString: running().databaseUrls.ledger.service });
  await service.connect();
  try {
    // Control: the role reads the eras.
    expect((await service.query("select from transaction_era")).rowCount).toBeGreaterThan(0);
    await service.query("begin");
    await expect(service.query("insert into transaction_era select 32767, cluster_id from transaction_era limit 1")).rejects.toMatchObject({ code: "42501" });
  } finally {
    await service.query("rollback");
    await service.end();
  }
});
