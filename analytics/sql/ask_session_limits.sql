-- The newest observation in [$2, $3) of each rate limit in the sessions $1.
-- columns: name, at, window_ms, used_percent, resets_at, plan
SELECT name, max(happened_at), arg_max(window_ms, happened_at), arg_max(used_percent, happened_at), arg_max(resets_at, happened_at), arg_max(plan, happened_at)
FROM rate_limit
WHERE session IN (SELECT unnest($1::INTEGER[])) AND happened_at >= $2 AND happened_at < $3
GROUP BY name
ORDER BY name;
