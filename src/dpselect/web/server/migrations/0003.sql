CREATE TABLE streams (
    id TEXT PRIMARY KEY,
    analyst TEXT NOT NULL REFERENCES users (name),
    idempotency_key TEXT NOT NULL,
    dataset TEXT NOT NULL REFERENCES datasets (name),
    body TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('opening', 'open', 'ended')),
    ending TEXT CHECK (ending IN ('finished', 'closed', 'idle', 'lost', 'full', 'failed', 'refused')),
    sentence TEXT,
    holder TEXT,
    lease DOUBLE PRECISION NOT NULL DEFAULT 0,
    ledger_row INTEGER,
    asked INTEGER NOT NULL DEFAULT 0,
    remaining TEXT,
    created DOUBLE PRECISION NOT NULL,
    touched DOUBLE PRECISION NOT NULL,
    ended DOUBLE PRECISION,
    UNIQUE (analyst, idempotency_key),
    CHECK ((state = 'ended') = (ending IS NOT NULL))
);
CREATE INDEX open_streams ON streams (state, analyst);
CREATE TABLE stream_queries (
    stream TEXT NOT NULL REFERENCES streams (id),
    place INTEGER NOT NULL,
    idempotency_key TEXT NOT NULL,
    body TEXT NOT NULL,
    status INTEGER NOT NULL,
    answer TEXT NOT NULL,
    created DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (stream, place),
    UNIQUE (stream, idempotency_key)
);
