// Figures as the server writes them.
export type Unit = "usd" | "tokens" | "requests";

export function amount(v: number, unit: Unit): string {
  return unit === "usd" ? usd(v) : Math.round(v).toLocaleString("en-US");
}

export function usd(micro: number): string {
  const decimals = micro !== 0 && Math.abs(micro) < 10_000 ? 6 : micro !== 0 && Math.abs(micro) < 1_000_000 ? 4 : 2;
  return (micro < 0 ? "-$" : "$") + (Math.abs(micro) / 1e6).toLocaleString("en-US", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

export function axisAmount(v: number, unit: Unit): string {
  if (unit === "usd") {
    const dollars = v / 1e6;
    if (dollars === 0) return "$0";
    if (dollars >= 10_000) return "$" + compact(dollars);
    return "$" + dollars.toLocaleString("en-US", { maximumSignificantDigits: 3 });
  }
  return compact(v);
}

export function compact(v: number): string {
  for (const [from, name] of [[1e12, "T"], [1e9, "B"], [1e6, "M"], [1e3, "K"]] as const) {
    if (v >= from) return (v / from).toLocaleString("en-US", { maximumSignificantDigits: 3 }) + name;
  }
  return v.toLocaleString("en-US");
}

export function span(ms: number): string {
  const s = ms / 1000;
  if (s < 1) return `${Math.round(ms)} ms`;
  if (s < 10) return `${s.toFixed(1)} s`;
  if (s < 60) return `${Math.floor(s)} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${String(Math.floor(s % 60)).padStart(2, "0")} s`;
  return `${Math.floor(s / 3600)} h ${String(Math.floor((s % 3600) / 60)).padStart(2, "0")} min`;
}
