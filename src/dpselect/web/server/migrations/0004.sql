CREATE TABLE accounts (
    issuer TEXT NOT NULL,
    subject TEXT NOT NULL,
    holder TEXT NOT NULL REFERENCES users (name),
    created DOUBLE PRECISION NOT NULL,
    PRIMARY KEY (issuer, subject),
    UNIQUE (issuer, holder)
);
