"""What trainers ask of parameter servers, as operators: send, recv, barriers, rows of tables that live on servers."""
