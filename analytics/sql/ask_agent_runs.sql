-- What callers other than a person sent to terminal $1, the newest $2.
-- columns: those of the table terminal_run
SELECT caller, agent, happened_at, verb, command, exit_code, bytes, took_ms, outcome FROM terminal_run WHERE agent = $1 ORDER BY happened_at DESC LIMIT $2;
