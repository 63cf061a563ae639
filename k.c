int f(int override) { if (override) { return g(override); } else { override = 2; } x->override = 1; return override; }
