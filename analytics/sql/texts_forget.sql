-- Takes titles, last replies and previews of prompts out of the ledger.
UPDATE session SET title = '', title_rank = 0, last_reply = '', last_reply_at = NULL WHERE title <> '' OR last_reply <> '';
UPDATE prompt SET preview = '' WHERE preview <> '';
