module gotrace.example/constant-memory

go 1.19
