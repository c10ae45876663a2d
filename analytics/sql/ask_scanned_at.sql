-- columns: when the newest scan began, epoch milliseconds; null before the first
SELECT max(started_at) FROM scan;
