-- The end of both: with names. label is the key as text, label_join what that
-- needs. The caller orders them: that is cheaper than a sort here.
-- Columns: key, harness, model, requests, input, output, reasoning, cache read,
-- cache write, cache write for an hour, pico-USD, priced, unpriced, recorded, last.
SELECT {label} AS label, coalesce(hw.text, '') AS harness_name, coalesce(mw.text, '') AS model_name, g.requests::BIGINT,
       g.input, g.output, g.reasoning, g.cache_read, g.cache_write, g.cache_write_1h,
       g.cost, g.priced::BIGINT, g.unpriced::BIGINT, g.recorded::BIGINT, g.last_at::BIGINT
FROM grouped g
LEFT JOIN word hw ON hw.id = g.harness
LEFT JOIN word mw ON mw.id = g.model
{label_join}
