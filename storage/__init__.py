"""Rows and nothing else: tables, transactions and one store for each aggregate."""
