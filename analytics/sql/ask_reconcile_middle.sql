-- A moment that half of the requests and prompts lie before.
-- columns: moment (null in an empty ledger)
SELECT quantile_disc(moment, 0.5)::BIGINT FROM (SELECT ended_at AS moment FROM request UNION ALL SELECT happened_at FROM prompt);
