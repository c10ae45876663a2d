-- How long requests took, where the log has their start, by the number of bounds
-- $1 (ms, ascending) below each.
-- columns: harness, bounds below, requests, sum in ms
SELECT harness, len(list_filter($1::BIGINT[], lambda b: b < ms)), count(*), sum(ms)::BIGINT
FROM (SELECT harness, epoch_ms(ended_at) - epoch_ms(started_at) AS ms FROM requests WHERE started_at <= ended_at)
GROUP BY ALL
ORDER BY 1, 2;
