"""The server: analysts ask private data that an institution keeps, and curators see and limit what is spent."""
