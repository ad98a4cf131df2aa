CREATE TABLE users (
    name TEXT PRIMARY KEY,
    role TEXT NOT NULL CHECK (role IN ('curator', 'analyst')),
    created DOUBLE PRECISION NOT NULL
);
CREATE TABLE tokens (
    id TEXT PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    holder TEXT NOT NULL REFERENCES users (name),
    created DOUBLE PRECISION NOT NULL,
    expires DOUBLE PRECISION NOT NULL,
    revoked DOUBLE PRECISION
);
CREATE TABLE datasets (
    name TEXT PRIMARY KEY,
    paused INTEGER NOT NULL DEFAULT 0,
    allowance TEXT NOT NULL
);
CREATE TABLE shares (
    dataset TEXT NOT NULL REFERENCES datasets (name),
    analyst TEXT NOT NULL,
    epsilon TEXT NOT NULL,
    PRIMARY KEY (dataset, analyst)
);
CREATE TABLE changes (
    id TEXT PRIMARY KEY,
    made DOUBLE PRECISION NOT NULL,
    who TEXT NOT NULL,
    dataset TEXT,
    what TEXT NOT NULL
);
CREATE TABLE requests (
    id TEXT PRIMARY KEY,
    analyst TEXT NOT NULL REFERENCES users (name),
    idempotency_key TEXT NOT NULL,
    dataset TEXT NOT NULL REFERENCES datasets (name),
    body TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('queued', 'running', 'answered', 'refused', 'failed')),
    worker TEXT,
    lease DOUBLE PRECISION NOT NULL DEFAULT 0,
    attempts INTEGER NOT NULL DEFAULT 0,
    answer TEXT,
    ledger_row INTEGER,
    created DOUBLE PRECISION NOT NULL,
    ended DOUBLE PRECISION,
    UNIQUE (analyst, idempotency_key)
);
CREATE INDEX open_requests ON requests (state, lease);
