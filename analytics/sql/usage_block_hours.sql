-- The full hours in which a harness has requests outside recorded blocks.
-- Columns: harness, hours since 1970.
SELECT DISTINCT r.harness, r.ended_at // 3600000
FROM request r{join}
WHERE (r.ended_at < recorded_block.end_at) IS NOT TRUE
ORDER BY 1, 2
