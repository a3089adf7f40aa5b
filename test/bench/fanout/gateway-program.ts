import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { SystemOptions } from "../../../deploy/system.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const collector = new URL("../processes/collect-garbage.ts", import.meta.url).href;

/** Every process from its sources as usual; the gateway also collects its garbage when it is told to. */
export const withGarbageCollection: NonNullable<SystemOptions["programOf"]> = (name) => {
  const main = join(root, name === "gateway" ? "gateway/src/main.ts" : `services/${name}/src/main.ts`);
  return { args: ["-C", "source", ...(name === "gateway" ? ["--expose-gc", "--import", collector] : []), main], cwd: root };
};
