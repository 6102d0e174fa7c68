"""Driving the core over a replay: the engine, stops, workloads."""
