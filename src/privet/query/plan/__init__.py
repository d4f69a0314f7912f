"""Plans: what a statement means, as typed nodes; how they are built, merged and checked. No engine, no price."""
