-- Requests whose id begins with a text: id, harness, provider, model, service
-- tier, speed, geo, start and end (epoch ms), the token classes, web searches,
-- recorded pico-USD. At most two: one is an answer, two are too many.
SELECT id::VARCHAR, harness, coalesce(provider, ''), coalesce(model, ''), coalesce(service_tier, ''), coalesce(speed, ''), coalesce(geo, ''),
       epoch_ms(started_at), epoch_ms(ended_at), input_tokens, output_tokens, reasoning_tokens, cache_read_tokens,
       cache_write_5m_tokens, cache_write_1h_tokens, web_searches, recorded_pusd
FROM requests WHERE starts_with(id::VARCHAR, ?) OR starts_with(replace(id::VARCHAR, '-', ''), ?) LIMIT 2
