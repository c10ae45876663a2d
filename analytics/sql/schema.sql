-- The ledger, version 1. Times are epoch milliseconds in UTC, amounts pico-USD.
-- Words that repeat (harness, project, model, ...) are numbers of the table
-- word; 0 is "not logged". There is no primary key and no index on purpose:
-- rows are found by time (zone maps) and merged by the writer. Columns of random
-- text, and short texts of small tables, are not compressed: trying costs more than
-- the rest of a checkpoint.

CREATE TABLE meta (key VARCHAR NOT NULL, value VARCHAR NOT NULL);

CREATE TABLE word (id INTEGER NOT NULL, text VARCHAR NOT NULL);

-- One run that read sources. first_seen of a request is such a number.
CREATE TABLE scan (id INTEGER NOT NULL, started_at BIGINT NOT NULL);

CREATE TABLE source (
  id INTEGER NOT NULL, harness INTEGER NOT NULL, kind VARCHAR NOT NULL USING COMPRESSION uncompressed,
  path VARCHAR NOT NULL USING COMPRESSION uncompressed, machine VARCHAR NOT NULL USING COMPRESSION uncompressed,
  size BIGINT NOT NULL, mtime_ns BIGINT NOT NULL, "offset" BIGINT NOT NULL, lines BIGINT NOT NULL,
  state BLOB USING COMPRESSION uncompressed, parser INTEGER NOT NULL, generation BIGINT NOT NULL, gone BOOLEAN NOT NULL,
  packed BLOB USING COMPRESSION uncompressed -- all of the checkpoint but path and state in one value, which is read at every start
);

CREATE TABLE session (
  id INTEGER NOT NULL, harness INTEGER NOT NULL, native VARCHAR NOT NULL USING COMPRESSION uncompressed,
  parent INTEGER NOT NULL,            -- session.id, 0 without one
  relation VARCHAR NOT NULL USING COMPRESSION uncompressed, -- '', subagent, fork, continuation
  root INTEGER NOT NULL,              -- the session into which reports fold this one; its own id when it is none's sub-agent
  agent_type VARCHAR NOT NULL USING COMPRESSION uncompressed, title VARCHAR NOT NULL, title_rank INTEGER NOT NULL,
  project INTEGER NOT NULL, branch INTEGER NOT NULL,
  last_reply VARCHAR NOT NULL, last_reply_at BIGINT, version VARCHAR NOT NULL USING COMPRESSION uncompressed,
  first_at BIGINT, last_at BIGINT     -- of its requests; null while it has none
);

-- What neighbouring requests share: everything of them that hardly ever varies.
-- Each combination that occurs is here once, and a request names it by one number.
CREATE TABLE facet (
  id INTEGER NOT NULL, branch INTEGER NOT NULL, provider INTEGER NOT NULL, tier INTEGER NOT NULL, speed INTEGER NOT NULL, geo INTEGER NOT NULL,
  price_key INTEGER NOT NULL, price_table INTEGER NOT NULL, "precision" INTEGER NOT NULL, purpose INTEGER NOT NULL, rule INTEGER NOT NULL,
  machine INTEGER NOT NULL, parser INTEGER NOT NULL, aborted BOOLEAN NOT NULL, side BOOLEAN NOT NULL, vanished BOOLEAN NOT NULL
);

CREATE TABLE request (
  id UUID NOT NULL USING COMPRESSION uncompressed,
  harness INTEGER NOT NULL, session INTEGER NOT NULL, project INTEGER NOT NULL, model INTEGER NOT NULL, facet INTEGER NOT NULL,
  response_id VARCHAR USING COMPRESSION uncompressed, request_id VARCHAR USING COMPRESSION uncompressed,
  started_at BIGINT, ended_at BIGINT NOT NULL,
  input BIGINT, output BIGINT, reasoning BIGINT, cache_read BIGINT, cache_write_5m BIGINT, cache_write_1h BIGINT, web_searches BIGINT,
  recorded_pusd BIGINT, list_pusd HUGEINT, tools INTEGER NOT NULL,
  source INTEGER NOT NULL, line BIGINT NOT NULL, "offset" BIGINT NOT NULL, line_hash UBIGINT NOT NULL USING COMPRESSION uncompressed,
  first_seen INTEGER NOT NULL,
  owner INTEGER NOT NULL,             -- the source whose record decides session, project and branch; source is where the record that counts lies
  calls BIGINT NOT NULL               -- how many requests the row counts as: 0 for one that completes finer rows
);

-- Further sources in which a request was seen (copies, replays, mirrors), and
-- when the answer ended as those have it.
CREATE TABLE sighting (
  id UUID NOT NULL, source INTEGER NOT NULL, line BIGINT NOT NULL, "offset" BIGINT NOT NULL, line_hash UBIGINT NOT NULL, ended_at BIGINT NOT NULL
);

-- Ids of requests and prompts that are one with another id: copies in forks that
-- bear ids of their own. A copy whose original was not seen yet stands for itself.
-- copied_at is when it was copied, 0 where its parser does not tell.
CREATE TABLE alias (id UUID NOT NULL, canonical UUID NOT NULL, copied_at BIGINT NOT NULL);

CREATE TABLE prompt (
  id UUID NOT NULL, harness INTEGER NOT NULL, session INTEGER NOT NULL,
  project INTEGER NOT NULL,           -- the folder in which it was typed; 0 where its row tells none: then that of the session
  happened_at BIGINT NOT NULL, preview VARCHAR NOT NULL USING COMPRESSION uncompressed,
  source INTEGER NOT NULL, line BIGINT NOT NULL, first_seen INTEGER NOT NULL
);

-- Prompts that ended without a single request and are in no number: kept with the
-- rollup, out of date for the days of rollup_dirty. root is that of their session.
CREATE TABLE unanswered (id UUID NOT NULL, root INTEGER NOT NULL);

CREATE TABLE tool_call (
  id UUID NOT NULL USING COMPRESSION uncompressed, harness INTEGER NOT NULL, session INTEGER NOT NULL,
  request UUID USING COMPRESSION uncompressed, name INTEGER NOT NULL,
  started_at BIGINT, ended_at BIGINT, ok BOOLEAN, source INTEGER NOT NULL, first_seen INTEGER NOT NULL
);

CREATE TABLE turn (
  id UUID NOT NULL, harness INTEGER NOT NULL, session INTEGER NOT NULL, started_at BIGINT, ended_at BIGINT, outcome VARCHAR NOT NULL,
  source INTEGER NOT NULL, first_seen INTEGER NOT NULL
);

CREATE TABLE rate_limit (
  harness INTEGER NOT NULL, session INTEGER NOT NULL, happened_at BIGINT NOT NULL, name VARCHAR NOT NULL, window_ms BIGINT,
  used_percent DOUBLE, resets_at BIGINT, plan VARCHAR NOT NULL, source INTEGER NOT NULL
);

CREATE TABLE event (
  harness INTEGER NOT NULL, session INTEGER NOT NULL, happened_at BIGINT NOT NULL, kind VARCHAR NOT NULL, detail VARCHAR NOT NULL,
  source INTEGER NOT NULL, line BIGINT NOT NULL
);

CREATE TABLE problem (source INTEGER NOT NULL, line BIGINT NOT NULL, reason VARCHAR NOT NULL, detail VARCHAR NOT NULL, first_seen INTEGER NOT NULL);

-- Sums per day of the zone named in meta ('rollup_zone'), rebuilt for the days
-- that a commit touches (rollup_dirty until then). Wide numbers are not compressed: to
-- unpack 9,000 of them takes DuckDB 4 ms a column. day counts from 1970-01-01. *_n count the requests
-- that have the value; tokened counts requests with at least one token or fee.
CREATE TABLE rollup_day (
  day INTEGER NOT NULL, harness INTEGER NOT NULL, project INTEGER NOT NULL, model INTEGER NOT NULL,
  requests BIGINT NOT NULL, tokened BIGINT NOT NULL,
  input HUGEINT USING COMPRESSION uncompressed, output HUGEINT USING COMPRESSION uncompressed, reasoning HUGEINT USING COMPRESSION uncompressed,
  cache_read HUGEINT USING COMPRESSION uncompressed, cache_write HUGEINT USING COMPRESSION uncompressed,
  auto_pusd HUGEINT USING COMPRESSION uncompressed, auto_n BIGINT NOT NULL, auto_recorded_n BIGINT NOT NULL,
  recorded_pusd HUGEINT USING COMPRESSION uncompressed, recorded_n BIGINT NOT NULL, list_pusd HUGEINT USING COMPRESSION uncompressed, list_n BIGINT NOT NULL
);

-- Counted prompts by root session, day and the model that answered them: made anew
-- with the rollup for the root sessions that were touched.
CREATE TABLE rollup_prompt (
  root INTEGER NOT NULL, day INTEGER NOT NULL, harness INTEGER NOT NULL, model INTEGER NOT NULL, prompts BIGINT NOT NULL, last_at BIGINT NOT NULL
);

-- Days whose rollup is out of date: written in the transaction that changes their requests.
CREATE TABLE rollup_dirty (day INTEGER NOT NULL);

-- The rates of the table that the list prices were made with, for the view
-- prices: one row for each class. from_ms is inclusive, to_ms exclusive, null is open.
CREATE TABLE price_rate (
  provider VARCHAR NOT NULL, model VARCHAR NOT NULL, from_ms BIGINT, to_ms BIGINT, tier_above BIGINT NOT NULL,
  mode VARCHAR NOT NULL, time_window VARCHAR NOT NULL, class VARCHAR NOT NULL, pico_per_token BIGINT NOT NULL, source VARCHAR NOT NULL
);

-- What counters of tokens in harnesses' telemetry told, to be held against the
-- requests and never counted. tokens were counted after since, until until; those
-- of one harness are added. id is that of a reading, or of a counter's start.
CREATE TABLE told (
  id UUID NOT NULL, harness VARCHAR NOT NULL,
  session VARCHAR NOT NULL,           -- the main session; '' where it is not told
  model VARCHAR NOT NULL, kind VARCHAR NOT NULL, since BIGINT NOT NULL, until BIGINT NOT NULL, tokens BIGINT NOT NULL
);

-- Agents, live and past: one row each, as it is now. argv is JSON, null but for any
-- other program. exited_at is null while it runs, exit_code where none is known.
CREATE TABLE agent (
  id VARCHAR NOT NULL, name VARCHAR NOT NULL, harness VARCHAR NOT NULL, kind VARCHAR NOT NULL, origin VARCHAR NOT NULL,
  workspace VARCHAR NOT NULL, dir VARCHAR NOT NULL, argv VARCHAR, model VARCHAR NOT NULL,
  dangerous BOOLEAN NOT NULL, trust BOOLEAN NOT NULL, generation INTEGER NOT NULL, pid INTEGER NOT NULL,
  created_at BIGINT NOT NULL, started_at BIGINT, exited_at BIGINT, exit_code BIGINT, seen_at BIGINT
);

-- Which session is which agent's, and what of it: from_ms is null for all of it
-- until to_ms, which is null while it is bound. Both are half-open.
CREATE TABLE binding (
  agent VARCHAR NOT NULL, harness VARCHAR NOT NULL, session VARCHAR NOT NULL,
  source VARCHAR NOT NULL,            -- given, hook, inferred
  generation INTEGER NOT NULL, from_ms BIGINT, to_ms BIGINT
);

-- What an agent did when: the spans of one agent follow each other without gaps.
-- to_ms is null for the one that holds. source and confidence tell how it is known.
CREATE TABLE status_span (
  agent VARCHAR NOT NULL, generation INTEGER NOT NULL, status VARCHAR NOT NULL, from_ms BIGINT NOT NULL, to_ms BIGINT,
  source VARCHAR NOT NULL, confidence VARCHAR NOT NULL
);

-- Usage turns of agents; ended_at is null and ended_as '' while one is open.
CREATE TABLE agent_turn (
  agent VARCHAR NOT NULL, generation INTEGER NOT NULL, prompt_id VARCHAR NOT NULL, started_at BIGINT NOT NULL, ended_at BIGINT, ended_as VARCHAR NOT NULL
);

-- The user's consent that one agent may work with another agent or terminal.
CREATE TABLE agent_link (from_agent VARCHAR NOT NULL, to_agent VARCHAR NOT NULL, created_at BIGINT NOT NULL);

-- Commands and texts that callers other than a person sent to terminals. command
-- has at most 200 characters, and none where no texts are kept.
CREATE TABLE terminal_run (
  caller VARCHAR NOT NULL, agent VARCHAR NOT NULL, happened_at BIGINT NOT NULL, verb VARCHAR NOT NULL, command VARCHAR NOT NULL,
  exit_code BIGINT, bytes BIGINT NOT NULL, took_ms BIGINT NOT NULL, outcome VARCHAR NOT NULL
);

-- Calls of tools over the bridge, one row each; no value of an argument. via is
-- link, switch or built-in, outcome ok, tool_error, cancelled or a code. Texts that
-- are not known are ''.
CREATE TABLE bridge_call (
  id VARCHAR NOT NULL, started_at BIGINT NOT NULL, ended_at BIGINT NOT NULL, agent VARCHAR NOT NULL, session VARCHAR NOT NULL,
  via VARCHAR NOT NULL, package VARCHAR NOT NULL, version VARCHAR NOT NULL, tool VARCHAR NOT NULL, exposed VARCHAR NOT NULL,
  tool_digest VARCHAR NOT NULL, tree_digest VARCHAR NOT NULL, instance VARCHAR NOT NULL,
  queued_ms BIGINT NOT NULL, woke_ms BIGINT NOT NULL, handled_ms BIGINT NOT NULL,
  argument_bytes BIGINT NOT NULL, argument_shape VARCHAR NOT NULL, result_bytes BIGINT NOT NULL, items BIGINT NOT NULL,
  removed BIGINT NOT NULL, progress BIGINT NOT NULL, outcome VARCHAR NOT NULL, era VARCHAR NOT NULL, trace_id VARCHAR NOT NULL,
  arguments VARCHAR NOT NULL, answer VARCHAR NOT NULL
);

-- Prompts that were given to agents: those that wait, and what became of the others.
-- entry is the whole prompt as JSON, without its text where no texts are kept.
CREATE TABLE prompt_queue (
  id VARCHAR NOT NULL, agent VARCHAR NOT NULL, state VARCHAR NOT NULL, rank BIGINT NOT NULL, created_at BIGINT NOT NULL, changed_at BIGINT NOT NULL,
  entry VARCHAR NOT NULL
);
