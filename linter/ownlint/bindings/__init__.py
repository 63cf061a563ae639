"""What a binding promises: signatures, policies, keep-alives, what a result comes from."""
