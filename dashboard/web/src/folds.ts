// The rows of sub-agents below a session: loaded once, then shown and hidden.
export function folds(): void {
  addEventListener("click", (e) => {
    const button = e.target instanceof Element ? e.target.closest<HTMLButtonElement>(".fold") : null;
    if (!button) return;
    const open = button.getAttribute("aria-expanded") !== "true";
    button.setAttribute("aria-expanded", String(open));
    for (let row = button.closest("tr")?.nextElementSibling; row?.classList.contains("sub"); row = row.nextElementSibling) {
      (row as HTMLElement).hidden = !open;
    }
  });
}
