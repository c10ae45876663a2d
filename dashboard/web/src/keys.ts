// Keys: g and a number for pages, / for the first field, j and k for rows.
import { turnTheme } from "./preferences";

export function keys(): void {
  let go = 0;
  addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey || typing(e.target)) return;
    const soon = Date.now() - go < 1500;
    go = 0;
    if (soon && /^[1-9]$/.test(e.key)) {
      document.querySelector<HTMLAnchorElement>(`.side a[data-key="${e.key}"]`)?.click();
      return;
    }
    switch (e.key) {
      case "g":
        go = Date.now();
        return;
      case "/":
        e.preventDefault();
        document.querySelector<HTMLElement>("main input[type=search], main .filters select, main .filters input:not([type=hidden])")?.focus();
        return;
      case "j":
        step(1);
        return;
      case "k":
        step(-1);
        return;
      case "t":
        void turnTheme();
        return;
      case "?":
        (document.getElementById("keys") as HTMLDialogElement | null)?.showModal();
    }
  });
}

function typing(at: EventTarget | null): boolean {
  return at instanceof HTMLElement && (at.isContentEditable || /^(INPUT|SELECT|TEXTAREA)$/.test(at.tagName) || at.closest("dialog, .xterm") !== null);
}

// step moves the focus to the next row's link.
function step(by: number): void {
  const links = [...document.querySelectorAll<HTMLElement>("main tbody th a, main .row-link")];
  if (links.length === 0) return;
  const here = links.findIndex((a) => a === document.activeElement || a.closest("tr")?.contains(document.activeElement));
  const next = here < 0 ? (by > 0 ? 0 : links.length - 1) : Math.min(links.length - 1, Math.max(0, here + by));
  links[next].focus();
  links[next].scrollIntoView({ block: "nearest" });
}
