// Zones are offered from the browser's own list; the theme can be turned by a key.
export function preferences(): void {
  if (matchMedia("(max-width: 860px)").matches) document.querySelector(".more")?.removeAttribute("open");
  document.querySelector(".side a[aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
  const list = document.getElementById("zones");
  document.querySelector(".prefs")?.addEventListener("toggle", () => {
    if (!list || list.childElementCount > 0) return;
    const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
    for (const zone of new Set([own, "UTC", ...Intl.supportedValuesOf("timeZone")])) {
      const option = document.createElement("option");
      option.value = zone;
      list.append(option);
    }
  });
  addEventListener("click", (e) => {
    const open = document.querySelector<HTMLDetailsElement>(".prefs[open]");
    if (open && e.target instanceof Node && !open.contains(e.target)) open.open = false;
  });
  addEventListener("keydown", (e) => {
    const open = document.querySelector<HTMLDetailsElement>(".prefs[open]");
    if (e.key === "Escape" && open) {
      open.open = false;
      open.querySelector("summary")?.focus();
    }
  });
}

// turnTheme changes between dark and light, and keeps it.
export async function turnTheme(): Promise<void> {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  await fetch("/preferences", { method: "POST", body: new URLSearchParams({ theme: root.dataset.theme }), redirect: "manual" });
}
