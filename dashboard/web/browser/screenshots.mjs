// Takes docs/screenshots anew: each page, dark and light, on a desktop and a phone.
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { start } from "./daemon.mjs";

const out = join(process.env.METERBRIDGE_PAGES_ROOT, "docs/screenshots");
const site = await start({ fixtures: false });
const list = (await site.api("sessions?limit=50")).sessions;
const session = list.filter((s) => s.subagents > 1).sort((a, b) => b.requests - a.requests)[0] ?? list[0];
const pages = {
  now: "/", usage: "/usage?range=30d&stack=model", sessions: "/sessions", session: `/sessions/${session.harness}:${session.session}`,
  prices: "/prices?model=claude-opus-4-5&provider=anthropic", health: "/health",
};
const looks = {
  "dark-desktop": { colorScheme: "dark", viewport: { width: 1360, height: 860 }, deviceScaleFactor: 1.5 },
  "light-desktop": { colorScheme: "light", viewport: { width: 1360, height: 860 }, deviceScaleFactor: 1.5 },
  "dark-phone": { colorScheme: "dark", viewport: { width: 390, height: 780 }, deviceScaleFactor: 2 },
  "light-phone": { colorScheme: "light", viewport: { width: 390, height: 780 }, deviceScaleFactor: 2 },
};
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
for (const [look, options] of Object.entries(looks)) {
  const context = await site.open({ ...options, reducedMotion: "reduce" });
  for (const [name, path] of Object.entries(pages)) {
    const page = await context.newPage();
    await page.goto(site.origin + path);
    await page.waitForTimeout(600);
    await page.waitForFunction(() => [...document.querySelectorAll("meter-timeline")].every((t) => t.dataset.drawn) && document.querySelector(".live-text")?.textContent === "Live");
    await page.screenshot({ path: join(out, `${name}-${look}.png`) });
    await page.close();
  }
  await context.close();
}
await site.stop();
