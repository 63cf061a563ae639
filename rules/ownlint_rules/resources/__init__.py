"""Resources that leak, are released twice, or are used after release."""
