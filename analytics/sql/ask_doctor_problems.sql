-- Input that could not be read, by harness, machine and reason: how often, and
-- the newest $1 places of each.
-- columns: harness, machine, reason, how many of the reason, path, line, detail
SELECT h.text, f.machine, p.reason, count(*) OVER w, f.path, p.line, p.detail
FROM problem p
JOIN source f ON f.id = p.source
LEFT JOIN word h ON h.id = f.harness
WINDOW w AS (PARTITION BY f.harness, f.machine, p.reason)
QUALIFY row_number() OVER (PARTITION BY f.harness, f.machine, p.reason ORDER BY p.first_seen DESC, f.path, p.line) <= $1
ORDER BY h.text, f.machine, p.reason, f.path, p.line;
