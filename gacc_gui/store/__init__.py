"""The SQLite file: schema and migrations, writes, reads."""
