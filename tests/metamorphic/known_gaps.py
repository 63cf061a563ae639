GAPS = {}
BY_REWRITE = {}
