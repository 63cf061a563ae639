"""What ownlint knows: rules, one a file, and models of libraries."""
