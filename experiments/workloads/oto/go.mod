module gotrace.example/oto

go 1.19

require github.com/ebitengine/oto/v3 v3.2.0

require (
	github.com/ebitengine/purego v0.7.0 // indirect
	golang.org/x/sys v0.18.0 // indirect
)
