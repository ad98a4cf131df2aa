ALTER TABLE changes RENAME TO audit_log;
