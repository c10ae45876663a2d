CREATE TABLE something_newer (id TEXT);
