module gotrace.example/long-run

go 1.19
