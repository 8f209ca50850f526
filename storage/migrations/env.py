"""What Alembic runs for every command: it works on the connection and in the transaction it is handed."""

from alembic import context

from storage.partial_indexes import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,  # SQLite changes a table by making it anew
    transactional_ddl=True,  # on SQLite too, since the transaction began with BEGIN IMMEDIATE
)
with context.begin_transaction():
    context.run_migrations()
