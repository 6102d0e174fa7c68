"""Placeholder of the node type while the language is built."""

from __future__ import annotations

from typing import Any

Node = Any
