-- One row: requests, input, output, cache read and cache write tokens of all
-- Claude transcripts, deduplicated by message id.
SELECT count(*), sum(i), sum(o), sum(r), sum(w) FROM (
  SELECT message.id, any_value(message.usage.input_tokens) i, max(message.usage.output_tokens) o,
    max(message.usage.cache_read_input_tokens) r, max(message.usage.cache_creation_input_tokens) w
  FROM read_json('{{FILES}}', format='newline_delimited', ignore_errors=true, maximum_object_size=16777216,
    columns={type:'VARCHAR', message:'STRUCT(id VARCHAR, model VARCHAR, usage STRUCT(input_tokens BIGINT, output_tokens BIGINT, cache_read_input_tokens BIGINT, cache_creation_input_tokens BIGINT))'})
  WHERE type='assistant' AND message.usage IS NOT NULL AND message.model<>'<synthetic>' GROUP BY 1)
