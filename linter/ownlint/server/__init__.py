"""`ownlint server`: the language server, in the vocabulary of LSP 3.17.

    editor  <->  protocol process   ->  runner               ->  job
    LSP          buffers, schedule      imported and loaded      one run of the pipeline, in a copy of the runner

The *protocol process* speaks LSP on its standard streams and analyses nothing. The *runner* has imported rules and
models and forks a *job* for each run, so that nothing is imported twice, a run can be cancelled at any moment by ending
its process, and whatever is printed there never reaches the editor. A job calls `pipeline.run`, as the command line
does: the buffers of the editor are what `--stdin-filename` is for one file.
"""
