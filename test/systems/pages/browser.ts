/** Chromium, in which tests use the pages as people do. */
import { spawnSync } from "node:child_process";
import { launch, type Browser, type Page } from "puppeteer-core";

const PROGRAMS = ["chromium", "chromium-browser", "google-chrome"];

/** Name that resolves to this machine in the browser, and is neither an address nor `localhost`. */
export const HOST_NAME = "freehold.example";

const findOnPath = (): string | undefined =>
  spawnSync("sh", ["-c", PROGRAMS.map((name) => `command -v ${name}`).join(" || ")], { encoding: "utf8" }).stdout.trim() || undefined;

/** Returns the path of Chromium. Installs Debian's package if none is on the PATH and the process runs as root, like the tests' nats-server. */
function findChromium(): string {
  const found = findOnPath();
  if (found) return found;
  if (process.getuid?.() === 0) {
    const apt = (args: string[]) => spawnSync("apt-get", args, { encoding: "utf8", env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } });
    if (apt(["install", "-y", "-q", "--no-install-recommends", "chromium"]).status !== 0) {
      apt(["update", "-q"]);
      apt(["install", "-y", "-q", "--no-install-recommends", "chromium"]);
    }
    const installed = findOnPath();
    if (installed) return installed;
  }
  throw new Error("There is no Chromium on the PATH. Install one (Debian: sudo apt-get install chromium).");
}

export const launchBrowser = (): Promise<Browser> =>
  launch({
    executablePath: findChromium(),
    args: ["--disable-dev-shm-usage", `--host-resolver-rules=MAP ${HOST_NAME} 127.0.0.1`, ...(process.getuid?.() === 0 ? ["--no-sandbox"] : [])],
  });

/** Opens a page of its own session. `problems` are the errors of its scripts and what its content security policy has refused. */
export async function openPage(browser: Browser, url: string, width = 1280): Promise<{ page: Page; problems: string[] }> {
  const page = await (await browser.createBrowserContext()).newPage();
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(message.text());
  });
  await page.setViewport({ width, height: 900 });
  await page.goto(url);
  return { page, problems };
}
