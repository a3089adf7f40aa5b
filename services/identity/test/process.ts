/** Starts additional identity processes with other settings. */
import { Client } from "../../../test/support/client.ts";
import { startServiceProcess } from "../../../test/support/service-process.ts";

export interface IdentityReplica {
  client: Client;
  /** Returns the processor time that the replica has used so far. */
  cpuSeconds(): Promise<number>;
  stop(): Promise<void>;
}

/** Starts a replica with these settings. Its client calls the replica without the gateway. */
export async function startIdentity(settings: Record<string, string>): Promise<IdentityReplica> {
  const { baseUrl, metricsUrl, end } = await startServiceProcess("identity", settings);
  return {
    client: new Client(baseUrl),
    cpuSeconds: async () => {
      const metrics = await (await fetch(metricsUrl)).text();
      return Number(/^process_cpu_seconds_total\S* ([\d.e-]+)/m.exec(metrics)![1]);
    },
    stop: () => end("SIGTERM"),
  };
}
