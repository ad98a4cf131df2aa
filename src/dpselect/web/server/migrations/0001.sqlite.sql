CREATE TRIGGER kept_changes BEFORE DELETE ON changes BEGIN SELECT RAISE(ABORT, 'changes only grow'); END;
CREATE TRIGGER fixed_changes BEFORE UPDATE ON changes BEGIN SELECT RAISE(ABORT, 'changes only grow'); END;
CREATE TRIGGER fixed_answers BEFORE UPDATE ON requests WHEN OLD.answer IS NOT NULL BEGIN SELECT RAISE(ABORT, 'an answer stands'); END;
CREATE TRIGGER kept_requests BEFORE DELETE ON requests BEGIN SELECT RAISE(ABORT, 'a request stands'); END;
