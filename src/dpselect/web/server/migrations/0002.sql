CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    holder TEXT NOT NULL REFERENCES users (name),
    token TEXT REFERENCES tokens (id),
    provider TEXT,
    created DOUBLE PRECISION NOT NULL,
    expires DOUBLE PRECISION NOT NULL,
    ended DOUBLE PRECISION,
    CHECK ((token IS NULL) <> (provider IS NULL))
);
