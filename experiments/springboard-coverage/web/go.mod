module gotrace.example/web

go 1.19
